// SPDX-License-Identifier: Apache-2.0
#include "executive/report/recording_files.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <system_error>

namespace tactus::report {
namespace {

namespace fs = std::filesystem;

bool is_of_a_run(const fs::path& path) {
  constexpr std::array kOther = {".yaml", ".json", ".jsonl", ".txt", ".html", ".pftrace"};
  return std::ranges::find(kOther, path.extension()) != kOther.end();
}

}  // namespace

RecordingFiles::RecordingFiles(const fs::path& folder, bool with_frames, std::vector<std::string>& remarks) {
  std::error_code error;
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path& path = entry.path();
    if (!entry.is_regular_file(error)) continue;
    if (path.extension() != ".csv")
      others.push_back(path);
    else if (path.filename() != "frames.csv")
      all_.push_back({path, path.stem().string(), &csv_});
  }
  const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
  std::ranges::sort(all_, by_path);
  std::ranges::sort(others);
  add_others(others, remarks);
  // The frames' own times have plots already.
  const fs::path frames = folder / "frames.csv";
  if (with_frames && fs::exists(frames, error)) all_.push_back({frames, "frames", &csv_});
}

void RecordingFiles::add_others(const std::vector<fs::path>& others, std::vector<std::string>& remarks) {
  // Their drivers are loaded only where there may be such a file.
  if (std::ranges::all_of(others, is_of_a_run)) return;
  try {
    formats_ = std::make_unique<const executive::RecordFormats>();
  } catch (const std::exception& failed) {
    remarks.push_back(std::string("recordings in other formats than CSV are not shown: ") + failed.what());
    return;
  }
  for (const fs::path& path : others) {
    const executive::RecordFormat* const format = formats_->of_extension(path);
    if (format == nullptr) {
      if (path.extension() == ".h5")
        remarks.push_back(path.filename().string() + " is not shown: this tactus was built without HDF5");
      continue;
    }
    const std::string recording = format->recording(path);
    const auto same = std::ranges::find(all_, recording, &RecordingFile::recording);
    if (same == all_.end())
      all_.push_back({path, recording, format});
    else
      remarks.push_back(path.filename().string() + " is not shown: " + same->path.filename().string() +
                        " holds a recording of the same name");
  }
}

}  // namespace tactus::report
