// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/attempt_folder.hpp"

#include <system_error>

#include "rtsync/host/folder_file.hpp"

namespace tactus::campaign {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kInAFolder = 1000;  // number of cases whose attempts are in one folder

void must(int error, const fs::path& file) {
  if (error != 0) throw std::system_error(error, std::generic_category(), file.string());
}

void drop(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  must(error.value(), folder);
}

}  // namespace

AttemptFolder::AttemptFolder(const fs::path& campaign, std::int64_t number, int attempt,
                             const std::string& instance)
    : name_("cases/" + std::to_string(number / kInAFolder) + "/" + std::to_string(number) + "-" +
            std::to_string(attempt)),
      ended_(campaign / name_),
      running_(campaign / (name_ + (instance.empty() ? "" : "." + instance) + ".running")) {}

void AttemptFolder::make(const std::string& line) const {
  std::error_code error;
  fs::remove_all(running_, error);
  fs::create_directories(running_, error);
  must(error.value(), running_);
  must(rtsync::replace_folder_file(running_ / "command.txt", line + "\n"), running_ / "command.txt");
}

bool AttemptFolder::finish(const ProcessEnd& end) const {
  must(write_end(running_ / "end.json", end), running_ / "end.json");
  std::error_code error;
  fs::rename(running_, ended_, error);
  if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
    fs::remove_all(running_, error);
    return false;
  }
  must(error.value(), ended_);
  return true;
}

AttemptFolder::Left AttemptFolder::look() const {
  std::error_code error;
  if (fs::is_directory(ended_, error)) return read_end(ended_ / "end.json") ? Left::whole : Left::torn;
  if (!fs::is_directory(running_, error)) return Left::nothing;
  if (!read_end(running_ / "end.json")) return Left::torn;
  fs::rename(running_, ended_, error);
  must(error.value(), ended_);
  return Left::whole;
}

bool AttemptFolder::began() const {
  std::error_code error;
  return fs::exists(output(), error) || fs::exists(ended_, error);
}

std::string AttemptFolder::line() const {
  int error = 0;
  std::string text = rtsync::read_folder_file(ended_ / "command.txt", error);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

ProcessEnd AttemptFolder::end() const { return read_end(ended_ / "end.json").value_or(ProcessEnd{}); }

void AttemptFolder::remove_running() const { drop(running_); }

void AttemptFolder::remove() const {
  drop(running_);
  drop(ended_);
}

}  // namespace tactus::campaign
