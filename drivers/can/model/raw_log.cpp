// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/raw_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <stdexcept>

#include "drivers/can/log/log_format.hpp"
#include "drivers/can/port/thread_name.hpp"

namespace tactus::drivers::can {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10U;  // bytes that are written at once, about

}  // namespace

RawLog::RawLog(const std::string& file, RawFormat format, const std::string& channel, std::int64_t origin,
               std::int64_t realtime)
    : format_(format),
      channel_(channel),
      origin_(origin),
      realtime_(realtime),
      ring_(kRoom),
      file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644)) {
  if (file_.get() < 0) {
    const int error = errno;
    throw std::runtime_error(
        "raw.file: " + file + ": " + reason_of(error) +
        (error == EEXIST ? "; it is not written over: remove it, or write another name" : ""));
  }
  if (format_ == RawFormat::asc) (void)write(asc_head());
  thread_ = std::thread([this] { run(); });
  name_thread(thread_, "can-raw");
}

void RawLog::finish() {
  if (!thread_.joinable()) return;
  stopped_.store(true, std::memory_order_relaxed);
  thread_.join();
  drain();
  if (format_ == RawFormat::asc) (void)write(asc_end());
}

void RawLog::run() {
  while (!stopped_.load(std::memory_order_relaxed)) {
    drain();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::string RawLog::line_of(const Seen& seen) const {
  LoggedFrame line;
  const bool is_asc = format_ == RawFormat::asc;
  line.time = is_asc ? seen.stamp - origin_ : seen.stamp + realtime_;
  line.channel = is_asc ? "1" : channel_;
  line.is_sent = seen.is_sent;
  line.frame = seen.frame;
  return (is_asc ? asc_line(line) : candump_line(line)) + "\n";
}

void RawLog::drain() {
  Seen seen;
  bool is_more = true;
  while (is_more) {
    std::string block;
    std::uint64_t count = 0;
    while (block.size() < kBlock && (is_more = ring_.take(seen))) {
      block += line_of(seen);
      ++count;
    }
    const std::uint64_t kept = write(block);
    written_.fetch_add(kept, std::memory_order_relaxed);
    if (kept < count) lost_.fetch_add(count - kept, std::memory_order_release);
  }
}

/// Writes lines. Returns how many of them are in the file; after a failure none is any more.
std::uint64_t RawLog::write(std::string_view lines) {
  if (error() != 0) return 0;
  std::size_t at = 0;
  while (at < lines.size()) {
    const ssize_t written = ::write(file_.get(), lines.data() + at, lines.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      error_.store(written < 0 ? errno : EIO, std::memory_order_relaxed);
      break;
    }
    at += static_cast<std::size_t>(written);
  }
  std::string_view whole = lines.substr(0, at);
  whole = whole.substr(0, whole.rfind('\n') + 1);  // none: npos + 1 is 0
  size_ += static_cast<std::int64_t>(whole.size());
  if (whole.size() < at)
    (void)!::ftruncate(file_.get(), size_);  // a half line would be no line of the format
  return static_cast<std::uint64_t>(std::ranges::count(whole, '\n'));
}

}  // namespace tactus::drivers::can
