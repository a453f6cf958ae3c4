// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/options.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 27;  // under the service its control port has a path of 107 bytes then

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/// Throws unless the name can be that of a folder, a rig, a library and a CMake target.
void check_name(const std::string& name) {
  const bool fits =
      !name.empty() && name.size() <= kLongestName && is_lower(name.front()) &&
      std::ranges::all_of(name, [](char c) { return is_lower(c) || config::is_digit(c) || c == '_'; });
  if (!fits)
    throw CommandError(kWrongInput,
                       "the name '" + name +
                           "': a lower-case letter, then lower-case letters, digits and underscores, "
                           "27 at most, e.g. water_pump");
  for (const char* const taken : {"all", "clean", "help", "install", "package", "test", "layout", "reader"})
    if (name == taken)
      throw CommandError(kWrongInput,
                         "the name '" + name + "' is taken by what builds the folder; choose another");
}

/// "water_pump": WaterPump.
std::string class_name(const std::string& name) {
  std::string made;
  bool first = true;
  for (const char c : name) {
    if (c != '_') made += first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    first = c == '_';
  }
  return made;
}

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += by.size())
    text.replace(at, mark.size(), by);
  return text;
}

/// Returns the folder of what was installed beside this program: one for each kind.
fs::path find_templates() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) throw CommandError(kWrongMachine, "/proc/self/exe: " + error.message());
  const fs::path folder = self.parent_path().parent_path() / "share/tactus/new";
  if (!fs::is_directory(folder, error))
    throw CommandError(kWrongMachine, folder.string() + " is not there; install tactus again, as a whole");
  return folder;
}

std::vector<std::string> kinds_in(const fs::path& templates) {
  std::vector<std::string> kinds;
  for (const fs::directory_entry& entry : fs::directory_iterator(templates))
    kinds.push_back(entry.path().filename());
  std::ranges::sort(kinds);
  return kinds;
}

class NewCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("make a folder with a model, a driver or a rig of your own that builds, tests and runs");
    app.add_option("WHAT", kind_, "model, driver or rig")->required();
    app.add_option("NAME", name_, "its name, e.g. water_pump")->required();
    app.add_option("--kind", driver_kind_,
                   "make a driver of this kind: model (hardware), format (of recordings) or clock");
    add_value(app, "--to", folder_, "DIR", "make this folder; default NAME");
  }

  int run() override {
    const fs::path templates = find_template();
    check_name(name_);
    const fs::path folder = folder_.empty() ? fs::path(name_) : fs::path(folder_);
    std::error_code error;
    if (!fs::create_directory(folder, error))
      throw CommandError(
          kWrongInput,
          folder.string() + ": " + (error ? error.message() : "is there already; give --to another name"));
    std::vector<fs::path> files(fs::directory_iterator(templates), {});
    std::ranges::sort(files);
    for (const fs::path& file : files) write(file, folder / filled(file.filename().string()));
    put("%s: made; %s says how to continue\n", folder.c_str(), (folder / "README.md").c_str());
    return kOk;
  }

 private:
  /// The folder that is copied.
  fs::path find_template() const {
    const fs::path templates = find_templates();
    const std::vector<std::string> all = kinds_in(templates);
    if (std::ranges::find(all, kind_) == all.end())
      throw CommandError(kWrongInput,
                         "there is no kind '" + kind_ + "'" + executive::did_you_mean(kind_, all));
    const bool driver = kind_ == "driver";
    if (!driver && !driver_kind_.empty())
      throw CommandError(
          kWrongInput, "--kind is for drivers alone: tactus new driver " + name_ + " --kind " + driver_kind_);
    if (!driver) return templates / kind_;
    const std::vector<std::string> kinds = kinds_in(templates / kind_);
    if (std::ranges::find(kinds, driver_kind_) != kinds.end()) return templates / kind_ / driver_kind_;
    if (driver_kind_.empty())
      throw CommandError(kWrongInput,
                         "of what kind is the driver? --kind model (hardware as a model of the rig), "
                         "--kind format (of recordings) or --kind clock (of frames)");
    throw CommandError(kWrongInput, "there is no kind '" + driver_kind_ + "' of drivers" +
                                        executive::did_you_mean(driver_kind_, kinds));
  }

  std::string filled(const std::string& text) const {
    return replaced(replaced(text, "@NAME@", name_), "@CLASS@", class_name(name_));
  }

  void write(const fs::path& from, const fs::path& to) const {
    std::ifstream in(from, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::ofstream out(to, std::ios::binary);
    out << filled(text) << std::flush;
    if (!in || !out) throw CommandError(kEndedEarly, to.string() + ": " + std::strerror(errno));
    fs::permissions(to, fs::status(from).permissions() | fs::perms::owner_write);
    put("  %s\n", to.c_str());
  }

  std::string kind_, name_, driver_kind_, folder_;
};

}  // namespace

std::unique_ptr<CommandDriver> new_command() { return std::make_unique<NewCommand>(); }

}  // namespace tactus::app
