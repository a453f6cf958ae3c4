#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "executive/model_library.hpp"
#include "executive/record_sink.hpp"

namespace tactus::executive {

/// The one symbol a driver's library exports: `extern "C" const DriverEntry* tactus_driver()`. Drivers see
/// C++ classes of the executive, so they are built with it: `build` must equal ours.
struct DriverEntry {
  const char* build;  ///< TACTUS_DRIVER_BUILD
  const char* kind;   ///< "record"
  const char* name;   ///< "csv"
  void* (*make)();    ///< a new object of the kind's class; the caller deletes it
};
using DriverFunction = const DriverEntry* (*)();

/// The executive's version and the compiler's C++ ABI: what two sides of a virtual call must share.
#define TACTUS_TEXT_OF(x) #x
#define TACTUS_TEXT(x) TACTUS_TEXT_OF(x)
#define TACTUS_DRIVER_BUILD "tactus driver 1, C++ ABI " TACTUS_TEXT(__GXX_ABI_VERSION)

/// A driver's library, found by kind and name: lib/tactus/libtactus-<kind>-<name>.so.
class DriverLibrary {
 public:
  /// Throws LibraryError: not there (the machine lacks this driver), not loadable, not a driver, another
  /// build. @when setup
  DriverLibrary(const std::string& kind, const std::string& name);

  /// Only for kind "record".
  std::unique_ptr<RecordSink> make_record_sink() const;

 private:
  SharedLibrary library_;
  const DriverEntry* entry_ = nullptr;
};

}  // namespace tactus::executive
