#include "executive/driver.hpp"

#include <string>

namespace tactus::executive {

DriverLibrary::DriverLibrary(const std::string& kind, const std::string& name)
    : library_(find_library("tactus-" + kind + "-" + name, {})) {
  void* const symbol = library_.symbol("tactus_driver");
  if (symbol == nullptr)
    throw LibraryError(library_.file().string() + " exports no 'tactus_driver': it is no driver");
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
  entry_ = reinterpret_cast<DriverFunction>(symbol)();
  if (std::string(entry_->build) != TACTUS_DRIVER_BUILD)
    throw LibraryError(library_.file().string() + " was built for '" + entry_->build + "', this tactus is '" +
                       TACTUS_DRIVER_BUILD + "': build the driver again with this tactus");
  if (entry_->kind != kind || entry_->name != name)
    throw LibraryError(library_.file().string() + " is driver '" + entry_->name + "' of kind '" +
                       entry_->kind + "'");
}

std::unique_ptr<RecordSink> DriverLibrary::make_record_sink() const {
  return std::unique_ptr<RecordSink>(static_cast<RecordSink*>(entry_->make()));
}

}  // namespace tactus::executive
