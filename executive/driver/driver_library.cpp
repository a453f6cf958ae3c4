// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/driver_library.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "config/fields.hpp"
#include "executive/driver/sdk_driver.hpp"
#include "executive/model/suggest.hpp"
#include "rtsync/crash/witness_page.hpp"

namespace tactus::executive {
namespace {

std::string noted_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

/// Opens a library. If the loader lacks a library for it, the error names that one, as the build noted beside
/// it.
SharedLibrary open_library(const std::filesystem::path& file, const std::string& kind,
                           const std::string& name) try {
  return SharedLibrary(file);
} catch (const LibraryError& error) {
  std::string why = error.what();
  const std::string needs = noted_in(file.parent_path() / ("tactus-" + kind + "-" + name + ".needs"));
  if (needs.empty() || why.find("cannot open shared object file") == std::string::npos) throw;
  why.erase(std::min(why.size(), why.find(": it needs ")));  // what is noted knows the package
  throw LibraryError(why + "; the driver '" + name + "' needs " + needs);
}

}  // namespace

std::vector<std::string> driver_names(const std::string& kind) {
  const std::string begin = "libtactus-" + kind + "-";
  const std::string end = ".so";
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& folder : plugin_folders()) {
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const std::string file = entry.path().filename().string();
      if (file.starts_with(begin) && file.ends_with(end))
        names.push_back(file.substr(begin.size(), file.size() - begin.size() - end.size()));
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string reason_left_out(const std::string& kind, const std::string& name) {
  for (const auto& folder : plugin_folders())
    if (std::string reason = noted_in(folder / ("tactus-" + kind + "-" + name + ".left-out"));
        !reason.empty())
      return reason;
  return {};
}

config::Node keys_of(const Driver& driver, const config::Section& common, const config::Node& keys,
                     const std::string& path, config::Problems& problems) {
  const auto own = driver.section();
  config::Section all = common;
  if (own != nullptr) {
    all.keys.insert(all.keys.end(), own->keys.begin(), own->keys.end());
    all.refused = own->refused;
  }
  std::vector<config::Node::Entry> known;
  for (const config::Node::Entry& entry : keys.entries()) {
    if (std::ranges::any_of(all.keys, [&](const config::KeyShape& key) { return key.key == entry.key; }))
      known.push_back(entry);
    else
      config::Table::unknown_key(entry, config::Context(problems, path), all);
  }
  return config::Node::map(std::move(known), keys.place());
}

std::filesystem::path find_driver(const std::string& kind, const std::string& name) {
  try {
    return find_library("tactus-" + kind + "-" + name, {});
  } catch (const LibraryError&) {
    const std::string none = "this machine has no driver '" + name + "' of kind '" + kind + "'";
    const std::string reason = reason_left_out(kind, name);
    if (!reason.empty()) throw LibraryError(none + "; it was not built: " + reason);
    throw LibraryError(none + did_you_mean(name, driver_names(kind)));
  }
}

std::string replaced_driver(const std::filesystem::path& used, const std::string& kind,
                            const std::string& name) {
  std::error_code error;
  for (const auto& folder : plugin_folders()) {
    const std::filesystem::path other = folder / ("libtactus-" + kind + "-" + name + ".so");
    if (std::filesystem::is_regular_file(other, error) && !std::filesystem::equivalent(used, other, error))
      return "driver '" + name + "' of kind '" + kind + "' is that of " + used.string() +
             ", which replaces " + other.string() +
             " because TACTUS_PLUGIN_PATH comes first; if that is not meant, give yours another name";
  }
  return {};
}

DriverLibrary::DriverLibrary(const std::string& kind, const std::string& name)
    : DriverLibrary(find_driver(kind, name), kind, name) {}

DriverLibrary::DriverLibrary(const std::filesystem::path& file, const std::string& kind,
                             const std::string& name)
    : library_(open_library(file, kind, name)) {
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
  if (void* const symbol = library_.symbol("tactus_driver_entry")) {
    library_.expect_own_symbols();
    const std::string path = library_.file().string();
    const rtsync::Doing doing("driver '" + name + "' was loaded");
    try {
      sdk_ = reinterpret_cast<tactus_driver_entry_function>(symbol)();
    } catch (...) {
      throw LibraryError(path + ": an exception left its tactus_driver_entry()");
    }
    const tactus_driver is = known_driver(sdk_, path);
    kind_ = is.kind;
    name_ = is.name;
  } else if (void* const own = library_.symbol("tactus_driver")) {
    entry_ = reinterpret_cast<DriverFunction>(own)();
    if (entry_ == nullptr)
      throw LibraryError(library_.file().string() + " describes no driver: it is not a driver");
    if (std::string(entry_->build) != TACTUS_DRIVER_BUILD)
      throw LibraryError(library_.file().string() + " was built for '" + entry_->build +
                         "', this tactus is '" + TACTUS_DRIVER_BUILD +
                         "': build the driver again with this tactus");
    kind_ = entry_->kind;
    name_ = entry_->name;
  } else {
    throw LibraryError(library_.file().string() +
                       " exports neither 'tactus_driver_entry' nor 'tactus_driver': it is not a driver");
  }
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  if (kind_ != kind || name_ != name) refuse();
}

std::unique_ptr<Driver> DriverLibrary::make() const {
  if (sdk_ != nullptr) return make_sdk_driver(*sdk_, library_.file().string());
  return std::unique_ptr<Driver>(entry_->make());
}

void DriverLibrary::refuse() const {
  throw LibraryError(library_.file().string() + " is driver '" + name_ + "' of kind '" + kind_ +
                     "'; its file must be named libtactus-" + kind_ + "-" + name_ + ".so");
}

}  // namespace tactus::executive
