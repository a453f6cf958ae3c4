// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/raw_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "drivers/can/log/log_format.hpp"
#include "drivers/can/port/thread_name.hpp"

namespace tactus::drivers::can {
RawLog::RawLog(const std::string& file, RawFormat format, const std::string& channel, std::int64_t origin,
               std::int64_t realtime)
    : format_(format), channel_(channel), origin_(origin), realtime_(realtime), ring_(kRoom) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (descriptor >= 0) file_ = ::fdopen(descriptor, "w");
  if (file_ == nullptr) {
    const int error = errno;
    if (descriptor >= 0) (void)::close(descriptor);
    throw std::runtime_error(
        "raw.file: " + file + ": " + std::strerror(error) +  // NOLINT(concurrency-mt-unsafe)
        (error == EEXIST ? "; it is not written over: remove it, or write another name" : ""));
  }
  if (format_ == RawFormat::asc) write(asc_head());
  thread_ = std::thread([this] { run(); });
  name_thread(thread_, "can-raw");
}

RawLog::~RawLog() {
  stopped_.store(true, std::memory_order_relaxed);
  thread_.join();
  drain();
  if (format_ == RawFormat::asc) write(asc_end());
  (void)std::fclose(file_);
}

void RawLog::run() {
  while (!stopped_.load(std::memory_order_relaxed)) {
    drain();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void RawLog::drain() {
  Seen seen;
  std::uint64_t count = 0;
  while (ring_.take(seen)) {
    LoggedFrame line;
    const bool is_asc = format_ == RawFormat::asc;
    line.time = is_asc ? seen.stamp - origin_ : seen.stamp + realtime_;
    line.channel = is_asc ? "1" : channel_;
    line.is_sent = seen.is_sent;
    line.frame = seen.frame;
    write((is_asc ? asc_line(line) : candump_line(line)) + "\n");
    ++count;
  }
  if (!failed_ && std::fflush(file_) != 0) failed_ = true;
  (failed_ ? lost_ : written_).fetch_add(count, std::memory_order_relaxed);
}

void RawLog::write(const std::string& text) {
  if (!failed_ && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) failed_ = true;
}

}  // namespace tactus::drivers::can
