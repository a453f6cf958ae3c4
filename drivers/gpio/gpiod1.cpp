// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gpiod.h>
#include <linux/gpio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "drivers/gpio/chip_paths.hpp"
#include "drivers/gpio/gpio.hpp"

/// GPIO by libgpiod 1, which speaks version 1 of the kernel's interface.
namespace tactus::drivers::gpio {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

using ChipHandle = std::shared_ptr<gpiod_chip>;

int flags_of(Bias bias) {
  constexpr int kAll[] = {0, GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE, GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP,
                          GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN};  // in the order of Bias
  return kAll[static_cast<std::size_t>(bias)];
}

int flags_of(Drive drive) {
  constexpr int kAll[] = {0, GPIOD_LINE_REQUEST_FLAG_OPEN_DRAIN,
                          GPIOD_LINE_REQUEST_FLAG_OPEN_SOURCE};  // in the order of Drive
  return kAll[static_cast<std::size_t>(drive)];
}

int request_type(Edges edges) {
  constexpr int kAll[] = {GPIOD_LINE_REQUEST_EVENT_RISING_EDGE, GPIOD_LINE_REQUEST_EVENT_FALLING_EDGE,
                          GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES};  // in the order of Edges
  return kAll[static_cast<std::size_t>(edges)];
}

/// The descriptors of this process that are requested groups of lines.
std::vector<int> line_handles() {
  std::vector<int> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    if (std::filesystem::read_symlink(entry.path(), error) != "anon_inode:gpio-linehandle") continue;
    const std::string name = entry.path().filename();
    int fd = -1;
    (void)std::from_chars(name.data(), name.data() + name.size(), fd);
    found.push_back(fd);
  }
  std::ranges::sort(found);
  return found;
}

/// A group of lines of one request, and its descriptor, which libgpiod 1 keeps for itself: it is the one that
/// was not there before.
class Group final : public Inputs, public Outputs {
 public:
  Group(ChipHandle chip, const std::vector<unsigned>& lines, int type, int flags, std::uint64_t levels,
        const std::string& consumer)
      : chip_(std::move(chip)) {
    gpiod_line_bulk_init(&lines_);
    std::array<int, GPIOD_LINE_BULK_MAX_LINES> values{};
    if (lines.empty() || lines.size() > values.size()) {
      errno = EINVAL;
      fail("request");
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      gpiod_line* const line = ::gpiod_chip_get_line(chip_.get(), lines[i]);
      if (line == nullptr) fail("line");
      gpiod_line_bulk_add(&lines_, line);
      values.at(i) = (levels >> i & 1U) != 0 ? 1 : 0;
    }
    static std::mutex requesting;
    const std::scoped_lock lock(requesting);
    const std::vector<int> before = line_handles();
    const gpiod_line_request_config config{consumer.c_str(), type, flags};
    if (::gpiod_line_request_bulk(&lines_, &config, values.data()) != 0) fail("request");
    std::vector<int> made;
    for (const int fd : line_handles())
      if (!std::ranges::binary_search(before, fd)) made.push_back(fd);
    if (made.size() != 1) {
      ::gpiod_line_release_bulk(&lines_);
      errno = EAGAIN;
      fail("descriptor");
    }
    fd_ = made.front();
  }
  ~Group() override { ::gpiod_line_release_bulk(&lines_); }

  int read(std::uint64_t& levels) TACTUS_RT override {
    gpiohandle_data data{};
    if (const int error = call(GPIOHANDLE_GET_LINE_VALUES_IOCTL, data); error != 0) return error;
    levels = 0;
    for (unsigned i = 0; i < lines_.num_lines; ++i) levels |= std::uint64_t{data.values[i] != 0} << i;
    return 0;
  }
  int write(std::uint64_t levels) TACTUS_RT override {
    gpiohandle_data data = data_of(levels);
    return call(GPIOHANDLE_SET_LINE_VALUES_IOCTL, data);
  }
  SafeWrite prepare(std::uint64_t levels) const override {
    static_assert(sizeof(gpiohandle_data) <= SafeWrite::kMostBytes);
    SafeWrite prepared{.fd = fd_,
                       .size = sizeof(gpiohandle_data),
                       .request = GPIOHANDLE_SET_LINE_VALUES_IOCTL,
                       .read_request = GPIOHANDLE_GET_LINE_VALUES_IOCTL};
    const gpiohandle_data data = data_of(levels);
    std::memcpy(prepared.argument.data(), &data, sizeof data);
    return prepared;
  }

 private:
  gpiohandle_data data_of(std::uint64_t levels) const TACTUS_RT {
    gpiohandle_data data{};
    for (unsigned i = 0; i < lines_.num_lines; ++i) data.values[i] = static_cast<__u8>(levels >> i & 1U);
    return data;
  }
  int call(unsigned long request, gpiohandle_data& data) const TACTUS_RT {
    while (::ioctl(fd_, request, &data) < 0)
      if (errno != EINTR) return errno;
    return 0;
  }

  ChipHandle chip_;
  gpiod_line_bulk lines_{};
  int fd_ = -1;
};

class Gpiod1Edges final : public EdgeLine {
 public:
  Gpiod1Edges(ChipHandle chip, unsigned line, Edges edges, Bias bias, const std::string& consumer)
      : chip_(std::move(chip)), line_(::gpiod_chip_get_line(chip_.get(), line)) {
    if (line_ == nullptr) fail("line");
    const gpiod_line_request_config config{consumer.c_str(), request_type(edges), flags_of(bias)};
    if (::gpiod_line_request(line_, &config, 0) != 0) fail("request");
    fd_ = ::gpiod_line_event_get_fd(line_);
    // A read waits otherwise, should an edge be gone again between poll and read.
    const int flags = fd_ < 0 ? -1 : ::fcntl(fd_, F_GETFL);
    if (flags < 0 || ::fcntl(fd_, F_SETFL, flags | O_NONBLOCK) < 0) {
      const int error = errno;
      ::gpiod_line_release(line_);
      errno = error;
      fail("descriptor");
    }
  }
  ~Gpiod1Edges() override { ::gpiod_line_release(line_); }

  int fd() const TACTUS_RT override { return fd_; }
  std::size_t buffer() const TACTUS_RT override { return kBuffer; }

  Taken take(std::span<std::int64_t> stamps) TACTUS_RT override {
    std::array<gpiod_line_event, kBuffer> events;
    Taken taken;
    while (taken.count < stamps.size()) {
      const auto room = static_cast<unsigned>(std::min(events.size(), stamps.size() - taken.count));
      const int read = ::gpiod_line_event_read_fd_multiple(fd_, events.data(), room);
      if (read < 0) {
        if (errno == EINTR) continue;
        // Edges that were read count first; the error comes again.
        if (errno != EAGAIN && taken.count == 0) taken.error = errno;
        break;
      }
      for (int i = 0; i < read; ++i)
        stamps[taken.count++] = events[static_cast<std::size_t>(i)].ts.tv_sec * 1'000'000'000LL +
                                events[static_cast<std::size_t>(i)].ts.tv_nsec;
      if (static_cast<unsigned>(read) < room) break;
    }
    return taken;
  }

 private:
  static constexpr std::size_t kBuffer = 16;  // DECLARE_KFIFO in the kernel's gpiolib-cdev.c

  ChipHandle chip_;
  gpiod_line* line_;
  int fd_ = -1;
};

class Gpiod1Chip final : public Chip {
 public:
  explicit Gpiod1Chip(const std::string& path) : chip_(::gpiod_chip_open(path.c_str()), close) {
    if (chip_ == nullptr) fail(path);
    info_ = {path, ::gpiod_chip_name(chip_.get()), ::gpiod_chip_label(chip_.get()),
             ::gpiod_chip_num_lines(chip_.get())};
  }

  const ChipInfo& info() const override { return info_; }

  LineInfo line(unsigned offset) const override {
    gpiod_line* const line = ::gpiod_chip_get_line(chip_.get(), offset);
    if (line == nullptr || ::gpiod_line_update(line) != 0) fail("line");
    const char* const name = ::gpiod_line_name(line);
    const char* const consumer = ::gpiod_line_consumer(line);
    return {name == nullptr ? "" : name, ::gpiod_line_is_used(line), consumer == nullptr ? "" : consumer};
  }

  std::unique_ptr<EdgeLine> request_edges(unsigned line, Edges edges, Bias bias,
                                          const std::string& consumer) override {
    return std::make_unique<Gpiod1Edges>(chip_, line, edges, bias, consumer);
  }
  std::unique_ptr<Inputs> request_inputs(const std::vector<unsigned>& lines, Bias bias,
                                         const std::string& consumer) override {
    return std::make_unique<Group>(chip_, lines, GPIOD_LINE_REQUEST_DIRECTION_INPUT, flags_of(bias), 0,
                                   consumer);
  }
  std::unique_ptr<Outputs> request_outputs(const std::vector<unsigned>& lines, Drive drive,
                                           std::uint64_t levels, const std::string& consumer) override {
    return std::make_unique<Group>(chip_, lines, GPIOD_LINE_REQUEST_DIRECTION_OUTPUT, flags_of(drive), levels,
                                   consumer);
  }

 private:
  static void close(gpiod_chip* chip) {
    if (chip != nullptr) ::gpiod_chip_close(chip);
  }

  ChipHandle chip_;
  ChipInfo info_;
};

class Gpiod1 final : public Gpio {
 public:
  std::vector<std::string> paths() const override { return chip_paths(); }
  std::unique_ptr<Chip> open(const std::string& path) const override {
    return std::make_unique<Gpiod1Chip>(path);
  }
};

}  // namespace

std::unique_ptr<Gpio> system_gpio() { return std::make_unique<Gpiod1>(); }

}  // namespace tactus::drivers::gpio
