// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gpiod.h>
#include <linux/gpio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "drivers/gpio/chip_paths.hpp"
#include "drivers/gpio/gpio.hpp"

/// GPIO by libgpiod 2, which speaks version 2 of the kernel's interface (Linux 5.10 and later).
namespace tactus::drivers::gpio {
namespace {

static_assert(kMostLines == GPIO_V2_LINES_MAX);

/// Edges that the kernel keeps: as many as with libgpiod 1, whose interface has no choice.
constexpr std::size_t kEdgeBuffer = 16;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

template <auto release>
struct Releaser {
  template <class Object>
  void operator()(Object* object) const {
    release(object);
  }
};
using ChipHandle = std::unique_ptr<gpiod_chip, Releaser<gpiod_chip_close>>;
using ChipInfoHandle = std::unique_ptr<gpiod_chip_info, Releaser<gpiod_chip_info_free>>;
using LineInfoHandle = std::unique_ptr<gpiod_line_info, Releaser<gpiod_line_info_free>>;
using LineSettings = std::unique_ptr<gpiod_line_settings, Releaser<gpiod_line_settings_free>>;
using LineConfig = std::unique_ptr<gpiod_line_config, Releaser<gpiod_line_config_free>>;
using RequestConfig = std::unique_ptr<gpiod_request_config, Releaser<gpiod_request_config_free>>;
using LineRequest = std::unique_ptr<gpiod_line_request, Releaser<gpiod_line_request_release>>;
using EdgeBuffer = std::unique_ptr<gpiod_edge_event_buffer, Releaser<gpiod_edge_event_buffer_free>>;

gpiod_line_bias of(Bias bias) {
  constexpr gpiod_line_bias kAll[] = {GPIOD_LINE_BIAS_AS_IS, GPIOD_LINE_BIAS_DISABLED,
                                      GPIOD_LINE_BIAS_PULL_UP,
                                      GPIOD_LINE_BIAS_PULL_DOWN};  // in the order of Bias
  return kAll[static_cast<std::size_t>(bias)];
}

gpiod_line_drive of(Drive drive) {
  constexpr gpiod_line_drive kAll[] = {GPIOD_LINE_DRIVE_PUSH_PULL, GPIOD_LINE_DRIVE_OPEN_DRAIN,
                                       GPIOD_LINE_DRIVE_OPEN_SOURCE};  // in the order of Drive
  return kAll[static_cast<std::size_t>(drive)];
}

gpiod_line_edge of(Edges edges) {
  constexpr gpiod_line_edge kAll[] = {GPIOD_LINE_EDGE_RISING, GPIOD_LINE_EDGE_FALLING,
                                      GPIOD_LINE_EDGE_BOTH};  // in the order of Edges
  return kAll[static_cast<std::size_t>(edges)];
}

LineSettings settings_for(gpiod_line_direction direction) {
  LineSettings settings(::gpiod_line_settings_new());
  if (settings == nullptr || ::gpiod_line_settings_set_direction(settings.get(), direction) != 0)
    fail("line settings");
  return settings;
}

/// `levels`: of outputs. The bits of the request are the lines in their order.
LineRequest request(gpiod_chip& chip, const std::vector<unsigned>& lines, gpiod_line_settings& settings,
                    const std::uint64_t* levels, const std::string& consumer) {
  if (lines.empty() || lines.size() > kMostLines) {
    errno = EINVAL;
    fail("request");
  }
  const LineConfig config(::gpiod_line_config_new());
  if (config == nullptr ||
      ::gpiod_line_config_add_line_settings(config.get(), lines.data(), lines.size(), &settings) != 0)
    fail("line configuration");
  // A line that is named twice is one to the library.
  if (::gpiod_line_config_get_num_configured_offsets(config.get()) != lines.size()) {
    errno = EBUSY;
    fail("request");
  }
  if (levels != nullptr) {
    std::array<gpiod_line_value, kMostLines> values{};
    for (std::size_t i = 0; i < lines.size(); ++i)
      values.at(i) = (*levels >> i & 1U) != 0 ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
    if (::gpiod_line_config_set_output_values(config.get(), values.data(), lines.size()) != 0)
      fail("output values");
  }
  const RequestConfig request_config(::gpiod_request_config_new());
  if (request_config == nullptr) fail("request configuration");
  ::gpiod_request_config_set_consumer(request_config.get(), consumer.c_str());
  ::gpiod_request_config_set_event_buffer_size(request_config.get(), kEdgeBuffer);
  LineRequest made(::gpiod_chip_request_lines(&chip, request_config.get(), config.get()));
  if (made == nullptr) fail("request");
  return made;
}

/// A group of lines of one request. What a frame does with it is one system call on its descriptor, and nothing
/// else: the kernel's bits are the seam's levels. The library's own functions make the same call, line by line
/// of its tables.
class Group final : public Inputs, public Outputs {
 public:
  Group(LineRequest request, std::size_t lines)
      : request_(std::move(request)),
        fd_(::gpiod_line_request_get_fd(request_.get())),
        mask_(~std::uint64_t{0} >> (kMostLines - lines)) {}

  int read(std::uint64_t& levels) TACTUS_RT override {
    gpio_v2_line_values values = values_of(0);
    const int error = call(GPIO_V2_LINE_GET_VALUES_IOCTL, values);
    if (error == 0) levels = values.bits & mask_;
    return error;
  }
  int write(std::uint64_t levels) TACTUS_RT override {
    gpio_v2_line_values values = values_of(levels);
    return call(GPIO_V2_LINE_SET_VALUES_IOCTL, values);
  }
  SafeWrite prepare(std::uint64_t levels) const override {
    static_assert(sizeof(gpio_v2_line_values) <= SafeWrite::kMostBytes);
    SafeWrite prepared{.fd = fd_,
                       .size = sizeof(gpio_v2_line_values),
                       .request = GPIO_V2_LINE_SET_VALUES_IOCTL,
                       .read_request = GPIO_V2_LINE_GET_VALUES_IOCTL};
    const gpio_v2_line_values values = values_of(levels);
    std::memcpy(prepared.argument.data(), &values, sizeof values);
    return prepared;
  }

 private:
  gpio_v2_line_values values_of(std::uint64_t levels) const TACTUS_RT {
    gpio_v2_line_values values{};
    values.bits = levels & mask_;
    values.mask = mask_;
    return values;
  }
  int call(unsigned long request, gpio_v2_line_values& values) const TACTUS_RT {
    while (::ioctl(fd_, request, &values) < 0)
      if (errno != EINTR) return errno;
    return 0;
  }

  LineRequest request_;
  int fd_;
  std::uint64_t mask_;
};

class Gpiod2Edges final : public EdgeLine {
 public:
  explicit Gpiod2Edges(LineRequest request)
      : request_(std::move(request)),
        events_(::gpiod_edge_event_buffer_new(kEdgeBuffer)),
        fd_(::gpiod_line_request_get_fd(request_.get())) {
    if (events_ == nullptr) fail("edge buffer");
    // A read waits otherwise, should an edge be gone again between poll and read.
    const int flags = ::fcntl(fd_, F_GETFL);
    if (flags < 0 || ::fcntl(fd_, F_SETFL, flags | O_NONBLOCK) < 0) fail("descriptor");
  }

  int fd() const TACTUS_RT override { return fd_; }
  std::size_t buffer() const TACTUS_RT override { return kEdgeBuffer; }

  /// The library reads into the buffer that was made beforehand: one system call, no heap.
  Taken take(std::span<std::int64_t> stamps) TACTUS_RT override {
    Taken taken;
    while (taken.count < stamps.size()) {
      const std::size_t room = std::min(kEdgeBuffer, stamps.size() - taken.count);
      const int read = ::gpiod_line_request_read_edge_events(request_.get(), events_.get(), room);
      if (read < 0) {
        if (errno == EINTR) continue;
        // Edges that were read count first; the error comes again.
        if (errno != EAGAIN && taken.count == 0) taken.error = errno;
        break;
      }
      const auto count = static_cast<std::size_t>(read);
      for (std::size_t i = 0; i < count; ++i)
        stamps[taken.count++] = static_cast<std::int64_t>(::gpiod_edge_event_get_timestamp_ns(
            ::gpiod_edge_event_buffer_get_event(events_.get(), static_cast<unsigned long>(i))));
      if (count < room) break;
    }
    return taken;
  }

 private:
  LineRequest request_;
  EdgeBuffer events_;
  int fd_;
};

class Gpiod2Chip final : public Chip {
 public:
  explicit Gpiod2Chip(const std::string& path) : chip_(open(path)) {
    const ChipInfoHandle info(::gpiod_chip_get_info(chip_.get()));
    if (info == nullptr) fail(path);
    info_ = {path, ::gpiod_chip_info_get_name(info.get()), ::gpiod_chip_info_get_label(info.get()),
             static_cast<unsigned>(::gpiod_chip_info_get_num_lines(info.get()))};
  }

  const ChipInfo& info() const override { return info_; }

  LineInfo line(unsigned offset) const override {
    const LineInfoHandle line(::gpiod_chip_get_line_info(chip_.get(), offset));
    if (line == nullptr) fail("line");
    const char* const name = ::gpiod_line_info_get_name(line.get());
    const char* const consumer = ::gpiod_line_info_get_consumer(line.get());
    return {name == nullptr ? "" : name, ::gpiod_line_info_is_used(line.get()),
            consumer == nullptr ? "" : consumer};
  }

  std::unique_ptr<EdgeLine> request_edges(unsigned line, Edges edges, Bias bias,
                                          const std::string& consumer) override {
    const LineSettings settings = settings_for(GPIOD_LINE_DIRECTION_INPUT);
    if (::gpiod_line_settings_set_edge_detection(settings.get(), of(edges)) != 0 ||
        ::gpiod_line_settings_set_bias(settings.get(), of(bias)) != 0 ||
        ::gpiod_line_settings_set_event_clock(settings.get(), GPIOD_LINE_CLOCK_MONOTONIC) != 0)
      fail("line settings");
    return std::make_unique<Gpiod2Edges>(request(*chip_, {line}, *settings, nullptr, consumer));
  }
  std::unique_ptr<Inputs> request_inputs(const std::vector<unsigned>& lines, Bias bias,
                                         const std::string& consumer) override {
    const LineSettings settings = settings_for(GPIOD_LINE_DIRECTION_INPUT);
    if (::gpiod_line_settings_set_bias(settings.get(), of(bias)) != 0) fail("line settings");
    return std::make_unique<Group>(request(*chip_, lines, *settings, nullptr, consumer), lines.size());
  }
  std::unique_ptr<Outputs> request_outputs(const std::vector<unsigned>& lines, Drive drive,
                                           std::uint64_t levels, const std::string& consumer) override {
    const LineSettings settings = settings_for(GPIOD_LINE_DIRECTION_OUTPUT);
    if (::gpiod_line_settings_set_drive(settings.get(), of(drive)) != 0) fail("line settings");
    return std::make_unique<Group>(request(*chip_, lines, *settings, &levels, consumer), lines.size());
  }

 private:
  static ChipHandle open(const std::string& path) {
    ChipHandle chip(::gpiod_chip_open(path.c_str()));
    if (chip != nullptr) return chip;
    const int error = errno;
    // Something else than a chip is ENODEV or ENOENT to the library, as is a chip that is gone, or none.
    const bool another = (error == ENODEV || error == ENOENT) && ::access(path.c_str(), F_OK) == 0 &&
                         !::gpiod_is_gpiochip_device(path.c_str());
    errno = another ? ENOTTY : error;
    fail(path);
  }

  ChipHandle chip_;
  ChipInfo info_;
};

class Gpiod2 final : public Gpio {
 public:
  std::vector<std::string> paths() const override { return chip_paths(); }
  std::unique_ptr<Chip> open(const std::string& path) const override {
    return std::make_unique<Gpiod2Chip>(path);
  }
};

}  // namespace

std::unique_ptr<Gpio> system_gpio() { return std::make_unique<Gpiod2>(); }

}  // namespace tactus::drivers::gpio
