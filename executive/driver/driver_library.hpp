// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/driver.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "config/place.hpp"
#include "config/shape.hpp"
#include "executive/driver/driver.hpp"
#include "executive/model/model_library.hpp"

namespace tactus::executive {

/// A driver's library, found by kind and name: lib/tactus/libtactus-<kind>-<name>.so. One of this build exports
/// tactus_driver() (driver.hpp), one that was built against the installed headers tactus_driver_entry()
/// (tactus/driver.h).
class DriverLibrary {
 public:
  /// Throws LibraryError: not there (and why the build left it out), not loadable (and what it needs, if the
  /// build noted that), not a driver, another build, another ABI. @when setup
  DriverLibrary(const std::string& kind, const std::string& name);
  /// The same, from the file that find_driver() found.
  DriverLibrary(const std::filesystem::path& file, const std::string& kind, const std::string& name);

  const std::filesystem::path& file() const { return library_.file(); }
  /// A new driver. It must be gone before the library. @when setup
  std::unique_ptr<Driver> make() const;
  /// The same, typed: make<RecordDriver>(). Throws LibraryError if its kind is another. @when setup
  template <class Seam>
  std::unique_ptr<Seam> make() const {
    if (Seam::kKind != kind_) refuse();
    return std::unique_ptr<Seam>(static_cast<Seam*>(make().release()));
  }

 private:
  [[noreturn]] void refuse() const;

  SharedLibrary library_;
  const DriverEntry* entry_ = nullptr;  // nullptr: it is `sdk_`
  const tactus_driver* sdk_ = nullptr;
  std::string kind_;
  std::string name_;
};

/// The file of a driver. Throws LibraryError: not there, and why the build left it out. @when setup
std::filesystem::path find_driver(const std::string& kind, const std::string& name);

/// A sentence that names both libraries where another driver of this kind and name is there as well; empty: there is none.
/// @when setup
std::string replaced_driver(const std::filesystem::path& used, const std::string& kind,
                            const std::string& name);

/// The names of all drivers of a kind that this machine has, sorted. @when setup
std::vector<std::string> driver_names(const std::string& kind);

/// Reason why the build left a driver out; empty: it did not. @when setup
std::string reason_left_out(const std::string& kind, const std::string& name);

/// Returns the keys of a section that `driver` knows. Reports the others, unless `common` knows them.
/// @when setup
config::Node keys_of(const Driver& driver, const config::Section& common, const config::Node& keys,
                     const std::string& path, config::Problems& problems);

}  // namespace tactus::executive
