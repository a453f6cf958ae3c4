// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "executive/driver/record_formats.hpp"

namespace tactus::report {

/// A recording of a run folder.
struct RecordingFile {
  std::filesystem::path path;
  std::string recording;
  const executive::RecordFormat* format;
};

/// Those of a run folder: CSV first, then the other formats. What is there in two formats, as `tactus convert`
/// makes it, is read once.
class RecordingFiles {
 public:
  /// `with_frames`: frames.csv, too. What is not shown is added to `remarks`.                  @when service
  RecordingFiles(const std::filesystem::path& folder, bool with_frames, std::vector<std::string>& remarks);
  const std::vector<RecordingFile>& all() const { return all_; }

 private:
  void add_others(const std::vector<std::filesystem::path>& others, std::vector<std::string>& remarks);

  const executive::RecordFormat csv_{"csv"};
  std::unique_ptr<const executive::RecordFormats> formats_;
  std::vector<RecordingFile> all_;
};

}  // namespace tactus::report
