#include "executive/driver/driver.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "executive/model/suggest.hpp"

namespace tactus::executive {

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
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

namespace {

/// What the build wrote where the library would lie: why it left the driver out. Empty: it did not.
std::string reason_left_out(const std::string& library) {
  std::string reason;
  for (const auto& folder : plugin_folders())
    if (std::ifstream file(folder / (library + ".left-out")); std::getline(file, reason)) return reason;
  return {};
}

std::filesystem::path find_driver(const std::string& kind, const std::string& name) {
  const std::string library = "tactus-" + kind + "-" + name;
  try {
    return find_library(library, {});
  } catch (const LibraryError&) {
    const std::string none = "this machine has no driver '" + name + "' of kind '" + kind + "'";
    const std::string reason = reason_left_out(library);
    if (!reason.empty()) throw LibraryError(none + "; it was not built: " + reason);
    throw LibraryError(none +
                       did_you_mean(name, driver_names(kind), [](const std::string& one) { return one; }));
  }
}

}  // namespace

DriverLibrary::DriverLibrary(const std::string& kind, const std::string& name)
    : library_(find_driver(kind, name)) {
  void* const symbol = library_.symbol("tactus_driver");
  if (symbol == nullptr)
    throw LibraryError(library_.file().string() + " exports no 'tactus_driver': it is no driver");
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
  entry_ = reinterpret_cast<DriverFunction>(symbol)();
  if (entry_ == nullptr)
    throw LibraryError(library_.file().string() + " describes no driver: it is no driver");
  if (std::string(entry_->build) != TACTUS_DRIVER_BUILD)
    throw LibraryError(library_.file().string() + " was built for '" + entry_->build + "', this tactus is '" +
                       TACTUS_DRIVER_BUILD + "': build the driver again with this tactus");
  if (entry_->kind != kind || entry_->name != name)
    throw LibraryError(library_.file().string() + " is driver '" + entry_->name + "' of kind '" +
                       entry_->kind + "'");
}

}  // namespace tactus::executive
