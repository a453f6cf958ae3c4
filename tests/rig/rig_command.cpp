// SPDX-License-Identifier: Apache-2.0
#include "rig_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace tactus::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

/// The text says whether its rig runs in real time.
bool says_its_pace(const std::string& text) {
  const std::size_t section = text.find("realtime:");
  if (text.find("mode: follow") != std::string::npos) return true;
  return section != std::string::npos && text.substr(section, 300).find("enabled:") != std::string::npos;
}

/// No test may come to depend on punctuality because its rig says nothing: such a rig runs in real time.
void demand_a_word_on_real_time(const Arguments& arguments, const fs::path& cwd) {
  if (arguments.empty() || (arguments[0] != "run" && arguments[0] != "calibrate")) return;
  for (const std::string& word : arguments)
    if (word == "--no-realtime" || word == "--help" || word.starts_with("realtime.enabled=") ||
        (word == "--from" && arguments[0] == "calibrate"))  // it looks at a run, and runs nothing
      return;
  for (const std::string& word : arguments) {
    const fs::path file = cwd / word;
    if (!word.ends_with(".yaml") || word.starts_with("@") || !fs::is_regular_file(file)) continue;
    if (!says_its_pace(read_file(file)))
      throw std::logic_error(
          "the rig of this test says nothing of real time: write realtime: { enabled: no } "
          "into " +
          file.string() + ", or give --no-realtime");
  }
}

}  // namespace

void expect_looks_of_late_frames_only(const SyscallCount& count, const Json& summary) {
  std::uint64_t late = 0;
  for (const Json& cause : summary["causes"])
    late += cause["overruns"].get<std::uint64_t>() + cause["late_wakes"].get<std::uint64_t>();
  EXPECT_LE(looks_behind_late_frames(count), 2 * late) << count;
}

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Command tactus(const Arguments& arguments, const fs::path& cwd) {
  demand_a_word_on_real_time(arguments, cwd);
  Command command;
  command.argv = Arguments{TACTUS_COMMAND} + arguments;
  command.cwd = cwd;
  command.without_env = {"TACTUS_PLUGIN_PATH"};
  const auto has = [&](const char* text) {
    return std::find(arguments.begin(), arguments.end(), text) != arguments.end();
  };
  command.child = !arguments.empty() && arguments[0] == "run" && !has("--no-witness") && !has("--help");
  return command;
}

Arguments patient() {
  Arguments arguments{
      "--set", "realtime.max_overrun=9e9 s", "--set", "realtime.max_consecutive_overruns=100000000 frames",
      "--set", "threads.stuck_after=30 s",   "--set", "flight_recorder.traces=0"};
  if (kSanitized) arguments = arguments + Arguments{"--set", "memory.lock=no", "--set", "memory.heap=0 B"};
  return arguments;
}

Command run_rig(const std::string& rig, const Arguments& arguments, const fs::path& cwd) {
  return tactus(Arguments{"run", example(rig)} + patient() + arguments, cwd);
}

std::string example(const std::string& name) { return std::string(TACTUS_RIGS) + "/" + name + ".yaml"; }

bool is_root() { return ::geteuid() == 0; }

std::optional<Command> without_privileges(Command command, const TempDir& dir, std::string& why) {
  Arguments drop{"prlimit", "--rtprio=0:0", "--memlock=65536:65536"};
  if (is_root()) {
    fs::permissions(dir.path(), fs::perms::all);
    drop = drop + Arguments{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"};
  }
  Command probe;
  probe.argv = drop + Arguments{"test", "-x", command.argv[0],    "-a", "-r", example("servo"),
                                "-a",   "-w", dir.path().string()};
  try {
    const Finished done = run(probe);
    if (done.status != 0) {
      why = "a user without privileges cannot reach the command or the folder: " + done.err;
      return std::nullopt;
    }
  } catch (const std::exception& error) {
    why = error.what();
    return std::nullopt;
  }
  command.argv = drop + command.argv;
  return command;
}

Json summary_of(const fs::path& folder) {
  try {
    return Json::parse(read_file(folder / "summary.json"));
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
    return Json::object();
  }
}

std::vector<std::string> Table::column(const std::string& name) const {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] != name && !header[i].starts_with(name + " {")) continue;
    std::vector<std::string> values;
    for (const auto& row : rows) values.push_back(row.at(i));
    return values;
  }
  throw std::runtime_error("no column " + name);
}

std::vector<std::int64_t> Table::integers(const std::string& name) const {
  std::vector<std::int64_t> values;
  for (const std::string& text : column(name)) values.push_back(std::stoll(text));
  return values;
}

Table read_table(const fs::path& file) {
  const std::string text = read_file(file);
  Table table;
  std::size_t from = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', from)) {
    const std::string line = text.substr(from, end - from);
    from == 0 ? table.header = split(line) : table.rows.emplace_back(split(line));
    from = end + 1;
  }
  table.torn = text.substr(from);
  return table;
}

double nanoseconds(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  if (error != std::errc{}) throw std::runtime_error("'" + text + "' is no duration");
  if (unit == " ns") return number;
  if (unit == " us") return number * 1e3;
  if (unit == " ms") return number * 1e6;
  if (unit == " s") return number * 1e9;
  throw std::runtime_error("'" + text + "' has no unit of time");
}

::testing::AssertionResult same_duration(const std::string& screen, std::int64_t ns) {
  const double shown = nanoseconds(screen);
  const double exact = static_cast<double>(ns);
  if (std::abs(shown - exact) <= 0.0051 * std::abs(exact)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "the screen says " << screen << ", summary.json " << ns << " ns";
}

bool wait_until_heard(const Process& process, int signal) {
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (std::chrono::steady_clock::now() < until) {
    std::ifstream status("/proc/" + std::to_string(process.pid()) + "/status");
    std::uint64_t pending = 0;
    for (std::string word; status >> word;)
      if (word == "ShdPnd:") {
        status >> std::hex >> pending;
        break;
      }
    if ((pending >> (signal - 1) & 1) == 0) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

std::optional<std::chrono::milliseconds> cpu_time_of(const Process& process) {
  const std::string stat = read_file("/proc/" + std::to_string(process.pid()) + "/stat");
  const std::size_t name_ends = stat.rfind(')');
  if (name_ends == std::string::npos) return std::nullopt;
  std::istringstream fields(stat.substr(name_ends + 1));
  std::string state;
  std::int64_t user = 0, kernel = 0;
  fields >> state;
  for (int skipped = 0; skipped < 10; ++skipped) fields >> user;  // ppid to cmajflt
  if (!(fields >> user >> kernel) || state == "Z") return std::nullopt;
  return std::chrono::milliseconds((user + kernel) * 1000 / ::sysconf(_SC_CLK_TCK));
}

bool wait_for_cpu_time(const Process& process, std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (std::chrono::steady_clock::now() < until) {
    const auto now = cpu_time_of(process);
    if (!now || *now >= time) return now.has_value();
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

std::size_t count_in(const fs::path& file, const std::string& text) {
  const std::string all = fs::exists(file) ? read_file(file) : "";
  std::size_t count = 0;
  for (std::size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + text.size()))
    ++count;
  return count;
}

bool wait_for_text(const fs::path& file, const std::string& text, std::chrono::milliseconds limit,
                   std::size_t times) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < until) {
    if (count_in(file, text) >= times) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

}  // namespace tactus::test
