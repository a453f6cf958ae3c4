// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/record_formats.hpp"

namespace tactus::executive {

namespace fs = std::filesystem;

RecordFormat::RecordFormat(const std::string& of)
    : name(of), library(RecordDriver::kKind, of), driver(library.make<RecordDriver>()) {}

std::string RecordFormat::extension() const { return fs::path(driver->file_name("x")).extension().string(); }

std::string RecordFormat::recording(const fs::path& file) const {
  std::string name_of_file = file.stem().string();
  std::string prefix = fs::path(driver->file_name("x")).stem().string();
  prefix.pop_back();
  if (name_of_file.starts_with(prefix) && name_of_file.size() > prefix.size())
    name_of_file.erase(0, prefix.size());
  return name_of_file;
}

RecordFormats::RecordFormats() {
  for (const std::string& name : driver_names(RecordDriver::kKind))
    all_.push_back(std::make_unique<const RecordFormat>(name));
}

const RecordFormats& RecordFormats::kept() {
  static const RecordFormats* const formats = new RecordFormats;
  return *formats;
}

const RecordFormat* RecordFormats::named(const std::string& name) const {
  for (const auto& format : all_)
    if (format->name == name) return format.get();
  return nullptr;
}

const RecordFormat* RecordFormats::of_extension(const fs::path& file) const {
  for (const auto& format : all_)
    if (format->extension() == file.extension().string()) return format.get();
  return nullptr;
}

}  // namespace tactus::executive
