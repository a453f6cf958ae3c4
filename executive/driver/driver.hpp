#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "executive/driver/clock_driver.hpp"
#include "executive/driver/link.hpp"
#include "executive/driver/live.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/model/model_library.hpp"

namespace tactus::executive {

/// The one symbol a driver's library exports: `extern "C" const DriverEntry* tactus_driver()`. Drivers see
/// C++ classes of the executive, so they are built with it: `build` must equal ours.
struct DriverEntry {
  const char* build;  ///< TACTUS_DRIVER_BUILD
  const char* kind;   ///< one of those that DriverLibrary makes
  const char* name;   ///< "csv"
  void* (*make)();    ///< a new object of the kind's class; the caller deletes it
};
using DriverFunction = const DriverEntry* (*)();

/// The executive's version and the compiler's C++ ABI: what two sides of a virtual call must share.
#define TACTUS_TEXT_OF(x) #x
#define TACTUS_TEXT(x) TACTUS_TEXT_OF(x)
#define TACTUS_DRIVER_BUILD "tactus driver 4, C++ ABI " TACTUS_TEXT(__GXX_ABI_VERSION)

/// A driver's library, found by kind and name: lib/tactus/libtactus-<kind>-<name>.so.
class DriverLibrary {
 public:
  /// Throws LibraryError: not there (and why the build left it out), not loadable, not a driver, another
  /// build. @when setup
  DriverLibrary(const std::string& kind, const std::string& name);

  /// Only for the kind that says so.
  std::unique_ptr<RecordSink> make_record_sink() const { return make<RecordSink>(); }     ///< "record"
  std::unique_ptr<ClockDriver> make_clock_driver() const { return make<ClockDriver>(); }  ///< "clock"
  std::unique_ptr<ModelDriver> make_model_driver() const { return make<ModelDriver>(); }  ///< "model"
  std::unique_ptr<LinkDriver> make_link_driver() const { return make<LinkDriver>(); }     ///< "link"
  std::unique_ptr<LiveDriver> make_live_driver() const { return make<LiveDriver>(); }     ///< "live"

 private:
  template <class T>
  std::unique_ptr<T> make() const {
    return std::unique_ptr<T>(static_cast<T*>(entry_->make()));
  }

  SharedLibrary library_;
  const DriverEntry* entry_ = nullptr;
};

/// The names of all drivers of a kind that this machine has, sorted. @when setup
std::vector<std::string> driver_names(const std::string& kind);

}  // namespace tactus::executive
