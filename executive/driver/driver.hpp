// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <memory>
#include <type_traits>

#include "config/shape.hpp"
#include "rtsync/interface.hpp"

namespace tactus::executive {

/// A driver of any kind. Each kind is a class that derives from this one and says which kind it is:
///
///     class RecordDriver : public Driver {
///      public:
///       static constexpr const char* kKind = "record";
///
/// Threads  one thread at setup.
class Driver : public rtsync::Interface {
 public:
  /// The keys it understands in its section of the rig file, beside the common ones: for the reference page.
  /// nullptr: none. DriverWithFields (driver_with_fields.hpp) makes it of a table. @when setup
  virtual std::shared_ptr<const config::Section> section() const { return nullptr; }
};

/// The one symbol a driver's library exports: `extern "C" const DriverEntry* tactus_driver()`. Drivers see
/// C++ classes of the executive, so they are built with it: `build` must equal ours.
struct DriverEntry {
  const char* build;  ///< TACTUS_DRIVER_BUILD
  const char* kind;   ///< kKind of a seam
  const char* name;   ///< "csv"
  Driver* (*make)();  ///< a new object of that seam; the caller deletes it
};
using DriverFunction = const DriverEntry* (*)();

/// The executive's version and the compiler's C++ ABI: what two sides of a virtual call must share.
#define TACTUS_TEXT_OF(x) #x
#define TACTUS_TEXT(x) TACTUS_TEXT_OF(x)
#define TACTUS_DRIVER_BUILD "tactus driver 10, C++ ABI " TACTUS_TEXT(__GXX_ABI_VERSION)

template <class Seam, class Class>
constexpr DriverEntry driver_entry(const char* name) {
  static_assert(std::is_base_of_v<Driver, Seam> && std::is_base_of_v<Seam, Class>,
                "a driver derives from the seam of its kind");
  return {TACTUS_DRIVER_BUILD, Seam::kKind, name, []() -> Driver* { return static_cast<Seam*>(new Class); }};
}

/// Defines the entry of a driver's library, outside of all namespaces, once:
///
///     TACTUS_DRIVER(tactus::executive::RecordDriver, "csv", tactus::drivers::record::Csv)
#define TACTUS_DRIVER(Seam, name, Class)                                               \
  extern "C" TACTUS_EXPORT const tactus::executive::DriverEntry* tactus_driver() {     \
    static constexpr auto kEntry = tactus::executive::driver_entry<Seam, Class>(name); \
    return &kEntry;                                                                    \
  }

}  // namespace tactus::executive
