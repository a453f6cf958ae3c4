// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/can_record.hpp"

#include <fcntl.h>
#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/text.hpp"

namespace tactus::drivers::link {
namespace {

constexpr std::string_view kHead = "frame,network,can";
constexpr std::string_view kEnd = "end,";
constexpr std::size_t kMostFrames = 50'000'000;
constexpr std::chrono::seconds kLongestWait{60};  // for a disk that takes nothing

template <class T>
bool read_whole(std::string_view text, T& to, int base = 10) {
  const std::optional<T> read = rtsync::read_number<T>(text, base);
  to = read.value_or(to);
  return read.has_value();
}

}  // namespace

std::string_view next_cell(std::string_view& line) {
  const std::size_t comma = line.find(',');
  const std::string_view cell = line.substr(0, comma);
  line = comma == std::string_view::npos ? std::string_view{} : line.substr(comma + 1);
  return cell;
}

std::string can_text(const can::CanFrame& frame) {
  std::string made = rtsync::format_text(frame.extended ? "%08X#" : "%03X#", static_cast<unsigned>(frame.id));
  if (frame.remote) return made + "R" + std::to_string(frame.length);
  if (frame.fd) made += frame.bit_rate_switch ? "#1" : "#0";
  for (unsigned i = 0; i < frame.length; ++i)
    made += rtsync::format_text("%02X", static_cast<unsigned>(frame.data.at[i]));
  return made;
}

bool read_can_text(std::string_view text, can::CanFrame& to) {
  to = {};
  const std::size_t hash = text.find('#');
  if ((hash != 3 && hash != 8) || !read_whole(text.substr(0, hash), to.id, 16)) return false;
  to.extended = hash == 8;
  if (to.id > (to.extended ? 0x1FFF'FFFFU : 0x7FFU)) return false;
  text.remove_prefix(hash + 1);
  if (text.starts_with('R')) {
    to.remote = true;
    return read_whole(text.substr(1), to.length) && to.length <= 8;
  }
  if (text.starts_with('#')) {
    if (text.size() < 2 || (text[1] != '0' && text[1] != '1')) return false;
    to.fd = true;
    to.bit_rate_switch = text[1] == '1';
    text.remove_prefix(2);
  }
  if (text.size() % 2 != 0 || text.size() / 2 > (to.fd ? 64U : 8U)) return false;
  to.length = static_cast<std::uint8_t>(text.size() / 2);
  for (unsigned i = 0; i < to.length; ++i)
    if (!read_whole(text.substr(std::size_t{2} * i, 2), to.data.at[i], 16)) return false;
  return true;
}

CanRecordFile::CanRecordFile(const std::filesystem::path& folder, const std::vector<std::string>& networks)
    : networks_(networks),
      file_(rtsync::open_folder_file(folder / kCanRecord, O_WRONLY | O_CREAT | O_EXCL | O_APPEND)) {
  if (file_.get() < 0) throw std::runtime_error(rtsync::file_error(folder / kCanRecord, errno));
  text_ = std::string(kHead) + "\n";
  write();
}

void CanRecordFile::add(const GivenCan& given) {
  text_ += std::to_string(given.frame) + "," + networks_[given.network] + "," + can_text(given.can) + "\n";
  ++waiting_;
}

std::int64_t CanRecordFile::flush() {
  write();
  const std::int64_t frames = std::exchange(waiting_, 0);
  if (!failed_) written_ += frames;
  return failed_ ? frames : 0;
}

void CanRecordFile::end(std::int64_t lost) {
  text_ = std::string(kEnd) + std::to_string(written_) + "," + std::to_string(lost) + "\n";
  write();
}

void CanRecordFile::write() {
  if (!failed_ && !text_.empty() && rtsync::append_whole(file_.get(), text_) != 0) failed_ = true;
  text_.clear();
}

CanRecorder::CanRecorder(const std::filesystem::path& folder, const std::vector<std::string>& networks)
    : file_(folder, networks), ring_(kRoom) {
  thread_ = std::thread([this] { run(); });
  (void)::pthread_setname_np(thread_.native_handle(), "link-can");
}

CanRecorder::~CanRecorder() { end(); }

void CanRecorder::put(std::int64_t frame, std::uint32_t network, const can::CanFrame& can) {
  const GivenCan given{frame, network, can};
  if (ring_.push(given)) {
    is_stuck_ = false;
    return;
  }
  const auto until = std::chrono::steady_clock::now() + kLongestWait;
  while (!is_stuck_) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (ring_.push(given)) return;
    is_stuck_ = std::chrono::steady_clock::now() >= until;
  }
  lost_.fetch_add(1, std::memory_order_relaxed);
}

void CanRecorder::run() {
  while (!stopped_.load(std::memory_order_relaxed)) {
    drain();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void CanRecorder::drain() {
  GivenCan given;
  while (ring_.pop(given)) file_.add(given);
  if (const std::int64_t lost = file_.flush(); lost > 0) lost_.fetch_add(lost, std::memory_order_relaxed);
}

void CanRecorder::end() {
  if (!thread_.joinable()) return;
  stopped_.store(true, std::memory_order_relaxed);
  thread_.join();
  drain();
  file_.end(lost());
}

std::vector<GivenCan> read_can_record(const std::filesystem::path& folder,
                                      const std::vector<std::string>& networks) {
  const std::filesystem::path path = folder / kCanRecord;
  int error = 0;
  const std::string text = rtsync::read_folder_file(path, error);
  if (error != 0)
    throw std::runtime_error(rtsync::file_error(path, error) +
                             "; a run of a link with `can` has one with `record: yes`");
  std::int64_t line_number = 0;
  const auto fail = [&](const std::string& what) {
    throw std::runtime_error(path.string() + ":" + std::to_string(std::max<std::int64_t>(line_number, 1)) +
                             ": " + what);
  };
  std::vector<GivenCan> all;
  bool has_end = false;
  for (std::size_t at = 0; at < text.size();) {
    ++line_number;
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) fail("the line is cut off: the run that wrote it did not end in order");
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (has_end) fail("a line follows the end of the record");
    if (line_number == 1) {
      if (line != kHead)
        fail("this is not a record of CAN frames: its first line is not '" + std::string(kHead) + "'");
      continue;
    }
    if (line.starts_with(kEnd)) {
      line.remove_prefix(kEnd.size());
      std::size_t frames = 0;
      std::int64_t lost = 0;
      if (!read_whole(next_cell(line), frames) || !read_whole(line, lost)) fail("is not the end of a record");
      if (lost > 0)
        fail(std::to_string(lost) + " frames are missing, as the disk was too slow: the replay would differ");
      if (frames != all.size())
        fail("the record ends with " + std::to_string(frames) + " frames, and " + std::to_string(all.size()) +
             " are there");
      has_end = true;
      continue;
    }
    GivenCan& given = all.emplace_back();
    const std::string_view frame = next_cell(line), network = next_cell(line);
    const auto named = std::ranges::find(networks, network);
    if (!read_whole(frame, given.frame) || given.frame < 0)
      fail("'" + std::string(frame) + "' is not a frame");
    if (named == networks.end())
      fail("the rig has no network '" + std::string(network) + "' in link.can: it was recorded with others");
    if (!read_can_text(line, given.can)) fail("'" + std::string(line) + "' is not a frame of CAN");
    given.network = static_cast<std::uint32_t>(named - networks.begin());
    if (all.size() > 1 && all[all.size() - 2].frame > given.frame)
      fail("frame " + std::to_string(given.frame) + " comes after frame " +
           std::to_string(all[all.size() - 2].frame));
    if (all.size() == kMostFrames) fail("the record has too many frames");
  }
  if (!has_end) {
    ++line_number;
    fail("the record has no end: the run that wrote it did not end in order, and frames may be missing");
  }
  return all;
}

}  // namespace tactus::drivers::link
