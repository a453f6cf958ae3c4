// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "executive/driver/driver_library.hpp"
#include "executive/driver/record_sink.hpp"

namespace tactus::executive {

/// A record driver with its library.
struct RecordFormat {
  /// Throws LibraryError. @when setup
  explicit RecordFormat(const std::string& of);

  std::string name;
  DriverLibrary library;
  std::unique_ptr<RecordDriver> driver;

  /// ".mf4". @when service
  std::string extension() const;
  /// The recording that a file of this format holds, by its name: "motion" of "log_motion.trk". @when service
  std::string recording(const std::filesystem::path& file) const;
};

/// All recording formats that this machine has.
///
/// Threads  share it freely.
class RecordFormats {
 public:
  /// Loads their libraries. Throws LibraryError. @when setup
  RecordFormats();
  /// All of this machine, loaded once and kept until the process ends. Throws LibraryError. @when setup
  static const RecordFormats& kept();

  /// nullptr: there is none of that name.
  const RecordFormat* named(const std::string& name) const;
  /// The one whose files end so; nullptr: none does.
  const RecordFormat* of_extension(const std::filesystem::path& file) const;
  /// All formats, sorted by name.
  const std::vector<std::unique_ptr<const RecordFormat>>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<const RecordFormat>> all_;
};

}  // namespace tactus::executive
