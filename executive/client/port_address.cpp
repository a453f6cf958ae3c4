// SPDX-License-Identifier: Apache-2.0
#include "executive/client/port_address.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "config/document.hpp"
#include "config/json.hpp"
#include "config/json_of.hpp"
#include "config/text.hpp"
#include "executive/client/running_rigs.hpp"
#include "rtsync/host/unix_socket.hpp"
#include "rtsync/joined.hpp"

namespace tactus::client {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHowToListen =
    "start it with a control port: tactus run RIG.yaml --live unix:live.sock, or `live: { http: {} }` in the "
    "rig file";

/// "127.0.0.1:8086", "[::1]:8086", "http://localhost:8086/", and as a rig says it, "http://127.0.0.1:8086/v1".
std::optional<PortAddress> tcp_address(std::string text) {
  if (text.starts_with("http://")) text.erase(0, 7);
  if (text.ends_with('/')) text.pop_back();
  if (text.ends_with("/v1")) text.erase(text.size() - 3);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || text.find('/') != std::string::npos) return std::nullopt;
  const std::string port = text.substr(colon + 1);
  if (port.empty() || port.size() > 5 || !std::all_of(port.begin(), port.end(), config::is_digit))
    return std::nullopt;
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return std::nullopt;
  return PortAddress{"", host, port};
}

/// Address of the control port in a rig file.
struct Listens {
  std::string rig;
  std::string where;  ///< empty: it has no such section
};
Listens read_rig_file(const fs::path& file) try {
  Listens found;
  const config::Document document = config::Document::from_file(file.string());
  const config::Node& root = document.root();
  if (const config::Node* const rig = root.find("rig")) found.rig = rig->text();
  const config::Node* const live = root.find("live");
  const config::Node* const http = live == nullptr ? nullptr : live->find("http");
  if (http == nullptr) return found;
  const config::Node* const listen = http->find("listen");
  found.where = listen == nullptr || !listen->is_scalar() ? "unix:live.sock" : listen->text();
  return found;
} catch (const std::exception& error) {
  throw NoRigError(error.what());
}

/// Returns what the log of a run says of its open control port: "http: listens on http://127.0.0.1:40123/v1". Empty:
/// nothing.
std::string listening_line(const fs::path& folder) {
  std::ifstream log(folder / "log.txt");
  std::string line;
  while (std::getline(log, line))
    if (const std::size_t at = line.find("http: listens on "); at != std::string::npos)
      return line.substr(at);
  return "";
}

}  // namespace

std::optional<PortAddress> port_of_run(const fs::path& folder) {
  // A rig that was killed leaves its socket.
  const auto listens_at = [&folder](const fs::path& socket) {
    const std::string path = (folder / socket).string();
    return rtsync::may_listen(path) ? std::optional(PortAddress{path, "", ""}) : std::nullopt;
  };
  if (auto found = listens_at("live.sock")) return found;
  std::error_code error;
  if (!fs::exists(folder / "rig.yaml", error)) return std::nullopt;
  const Listens listens = read_rig_file(folder / "rig.yaml");
  if (listens.where.starts_with("unix:")) return listens_at(listens.where.substr(5));
  std::optional<PortAddress> address = tcp_address(listens.where);
  if (!address) return std::nullopt;
  address->run = folder;
  address->rig = listens.rig;
  if (address->port != "0") return address;  // else any free one, which the run has told
  const std::string told = listening_line(folder);
  const std::size_t at = told.find("http://");
  if (at == std::string::npos) return std::nullopt;
  const std::optional<PortAddress> found = tcp_address(told.substr(at + 7, told.find('/', at + 7) - at - 7));
  if (found) address->port = found->port;
  return found ? address : std::nullopt;
}

std::string how_it_ended(const fs::path& folder) {
  std::ifstream file(folder / "summary.json");
  const config::Json summary = config::json_of(std::string(std::istreambuf_iterator<char>(file), {}));
  if (!summary.is_object() || !summary.contains("outcome") || !summary["outcome"].is_string()) return "";
  const std::string outcome = summary["outcome"].get<std::string>();
  if (outcome == "unfinished") return "";
  std::string text = outcome;
  if (summary.contains("frames") && summary["frames"].is_object() && summary["frames"].contains("run"))
    text += " after " + summary["frames"]["run"].dump() + " frames";
  if (summary.contains("reason") && summary["reason"].is_string() && summary["reason"] != "")
    text += ": " + config::one_line(summary["reason"].get<std::string>());
  if (summary.contains("exit_status")) text += ", exit status " + summary["exit_status"].dump();
  return text;
}

std::string end_of_run(const fs::path& folder, bool runs) {
  if (const std::string how = how_it_ended(folder); !how.empty()) return "has ended: " + how;
  if (listening_line(folder).empty()) return "";
  return std::string(runs ? "is ending" : "is ending, or was killed") +
         ": it no longer listens; see how it ended in " + (folder / "summary.json").string();
}

namespace {

/// Returns true for a folder in runs/ of this rig. That of servo-left begins with "servo-", too.
bool is_run_of(const std::string& rig, const fs::path& folder) {
  return folder.filename().string().starts_with(rig + "-") && rig_of(folder) == rig;
}

/// Returns when the run of a folder began. The time of the folder itself is that of the newest file in it, and a rig that
/// runs makes summary.json anew every few seconds.
fs::file_time_type begin_of_run(const fs::path& folder, std::error_code& error) {
  return fs::last_write_time(folder / "rig.yaml", error);
}

/// A rig of this name that runs on this machine. One that is ending counts only if there is no other.
std::optional<PortAddress> running(const std::string& name) {
  std::size_t unseen = 0;
  std::optional<PortAddress> found;
  std::vector<fs::path> open;
  std::vector<fs::path> ending;
  for (const RunningRig& rig : running_rigs(unseen)) {
    if (rig.rig != name) continue;
    const std::optional<PortAddress> port = port_of_run(rig.folder);
    if (!port && !end_of_run(rig.folder, true).empty()) {
      ending.push_back(rig.folder);
      continue;
    }
    open.push_back(rig.folder);
    found = port;
  }
  if (open.size() > 1)
    throw NoRigError("several rigs are called " + name + "; name the run folder:\n  " +
                     rtsync::joined(open, "\n  ", [](const fs::path& each) { return each.string(); }));
  if (open.size() == 1 && !found)
    throw NoRigError("rig " + name + " runs in " + open[0].string() + ", but without a control port; " +
                     kHowToListen);
  if (open.empty() && !ending.empty())
    throw NoRigError("rig " + name + " in " + ending.back().string() + " " + end_of_run(ending.back(), true));
  return found;
}

/// Complains of the newest run, in runs/ or in a folder beside it, of a rig that has ended, if there is one.
void refuse_ended(const std::string& rig) {
  fs::path newest;
  fs::file_time_type made{};
  std::error_code error;
  const auto look_at = [&](const fs::path& folder) {
    if (const auto time = begin_of_run(folder, error); !error && (newest.empty() || time > made)) {
      newest = folder;
      made = time;
    }
  };
  for (const fs::directory_entry& entry : fs::directory_iterator("runs", error))
    if (entry.is_directory(error) && is_run_of(rig, entry.path())) look_at(entry.path());
  // A run that was given another folder (--out), beside this one's rig files.
  for (const fs::directory_entry& entry : fs::directory_iterator(".", error))
    if (fs::exists(entry.path() / "summary.json", error) && rig_of(entry.path()) == rig)
      look_at(entry.path().filename());
  if (newest.empty()) return;
  if (const std::string how = how_it_ended(newest); !how.empty())
    throw NoRigError("rig " + config::show(rig) + " does not run any more; its newest run, " +
                     newest.string() + ", has ended: " + how);
}

/// The run in runs/ that began last of those that listen; of a rig, if one is named.
std::optional<PortAddress> newest_run(const std::string& rig) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("runs", error)) {
    if (!entry.is_directory(error)) continue;
    if (!rig.empty() && !is_run_of(rig, entry.path())) continue;
    found.emplace_back(begin_of_run(entry.path(), error), entry.path());
  }
  std::sort(found.rbegin(), found.rend());
  std::optional<std::vector<RunningRig>> rigs;  // looked for once, and only where it matters
  // An address of TCP does not tell whether a process has the run: another rig may have it by now.
  const auto has_process = [&](const fs::path& folder) {
    std::size_t unseen = 0;
    if (!rigs) rigs = running_rigs(unseen);
    return std::ranges::any_of(
        *rigs, [&](const RunningRig& each) { return fs::equivalent(each.folder, folder, error); });
  };
  for (const auto& [time, folder] : found) {
    try {
      const auto address = port_of_run(folder);
      if (address && (!address->path.empty() || (!listening_line(folder).empty() && has_process(folder))))
        return address;
    } catch (const NoRigError&) {  // a run folder with a damaged rig file
    }
  }
  return std::nullopt;
}

}  // namespace

bool looks_like_address(const std::string& word) {
  std::error_code error;
  static constexpr const char* kBegins[] = {"/", "./", "../", "~", "unix:", "http:", "https:"};
  const bool begins = std::any_of(std::begin(kBegins), std::end(kBegins),
                                  [&](const char* begin) { return word.starts_with(begin); });
  // An expression: a.x / b.y
  if (!begins && word.find_first_of(" ()<>=+^") != std::string::npos) return fs::exists(word, error);
  return word.find('/') != std::string::npos || word.find(':') != std::string::npos ||
         word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".sock") ||
         config::is_name(word) || fs::exists(word, error);
}

PortAddress find_port(const std::string& where) {
  std::error_code error;
  if (where.empty()) {
    if (auto here = port_of_run(".")) return *here;
    if (auto run = newest_run("")) return *run;
    throw NoRigError(
        std::string("no rig with a control port was found, neither in this folder nor in runs/; name its "
                    "run folder, socket or address, or ") +
        kHowToListen);
  }
  if (where.starts_with("unix:")) return {where.substr(5), "", ""};
  if (fs::is_socket(where, error)) return {where, "", ""};
  if (fs::is_directory(where, error)) {
    const std::string how_ended = how_it_ended(where);
    if (how_ended.empty())
      if (auto folder = port_of_run(where)) return *folder;
    // A folder of its name, as `tactus new rig` makes one, does not hide a rig that runs.
    if (config::is_name(where))
      if (auto rig = running(where)) return *rig;
    if (!how_ended.empty()) throw NoRigError("the run of " + where + " has ended: " + how_ended);
    if (!fs::exists(fs::path(where) / "rig.yaml", error))
      throw NoRigError(where + " is not a run folder: it holds no rig.yaml; give one that `tactus run` made");
    if (const std::string how = end_of_run(where); !how.empty())
      throw NoRigError("the run of " + where + " " + how);
    throw NoRigError(
        where + ": " +
        (read_rig_file(fs::path(where) / "rig.yaml").where.empty()
             ? std::string("the rig file of this run has no live section, so there is no port; ") +
                   kHowToListen
             : std::string("the run is over, or its rig has not begun to listen")));
  }
  if (fs::is_regular_file(where, error)) {
    const Listens listens = read_rig_file(where);
    if (listens.rig.empty()) throw NoRigError(where + " is not a rig file: it has no key rig");
    if (!listens.where.empty() && !listens.where.starts_with("unix:"))
      if (auto address = tcp_address(listens.where); address && address->port != "0") {
        address->rig = listens.rig;
        return *address;
      }
    if (auto run = newest_run(listens.rig)) return *run;
    refuse_ended(listens.rig);
    if (listens.where.empty())
      throw NoRigError(where + " has no live section, and no run of it in runs/ listens; " + kHowToListen);
    throw NoRigError("no run of " + where +
                     " in runs/ listens: is it running? Name its run folder if it is elsewhere");
  }
  if (auto address = tcp_address(where)) return *address;
  if (config::is_name(where)) {
    if (auto rig = running(where)) return *rig;
    refuse_ended(where);
  }
  throw NoRigError(
      config::show(where) +
      " is not a rig: no rig of that name runs here (`tactus ps` lists them), there is no such file or "
      "folder, and it is not an address; an address is unix:PATH or 127.0.0.1:8086");
}

}  // namespace tactus::client
