// SPDX-License-Identifier: Apache-2.0
/// A model driver for tests: an output whose values go into a file that the test maps: what the hardware
/// would see, and when it was driven safe.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <new>

#include "config/fields.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"
#include "executive/driver/model_driver.hpp"
#include "rtsync/crash/last_writes.hpp"
#include "tests/rig/drivers/tape.hpp"

namespace tactus::test {
namespace {

struct Settings {
  std::string file;
  double safe = -1;
  bool stuck = false;  ///< the device refuses to be driven safe
  std::string terminal;
  std::int64_t crash_at = 0;  ///< so many writes; 0: never
  std::int64_t loop_at = 0;
  std::int64_t crash_behind = 0;  ///< so many frames
  bool deaf = false;              ///< it never comes back from being driven safe
};

const config::Fields<Settings>& fields() {
  using S = Settings;
  static const config::Fields<S> fields{
      "An output for tests.",
      {
          config::required("file", &S::file, config::length(1, 4096), "where it is written"),
          config::optional("terminal", &S::terminal,
                           "that others get a height of 42 lines when the rig has ended"),
          config::optional("crash_at", &S::crash_at, config::range(std::int64_t{0}, std::int64_t{1} << 40),
                           "the write with which it crashes; 0: none"),
          config::optional("crash_behind", &S::crash_behind,
                           config::range(std::int64_t{0}, std::int64_t{1} << 40),
                           "the frame behind which it crashes; 0: none"),
          config::optional("deaf", &S::deaf, "it never comes back from being driven safe"),
          config::optional("loop_at", &S::loop_at, config::range(std::int64_t{0}, std::int64_t{1} << 40),
                           "the write that never returns; 0: none"),
          config::optional("stuck", &S::stuck, "the device refuses to be driven safe"),
          config::required("safe", &S::safe, config::range(-1e9, 1e9), "the safe value"),
      }};
  return fields;
}

class TapeModel final : public executive::DrivenModel, public executive::SafeOutput {
 public:
  explicit TapeModel(Settings settings) : settings_(std::move(settings)) {}

  void declare(Declare& d) override {
    d.input("value", value_, "1", "what is written");
    d.job<&TapeModel::write>("write", JobClass::end_of_frame);
  }
  void open(const executive::OpenRequest&) override {
    const int file = ::open(settings_.file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ::ftruncate(file, sizeof(Tape)) != 0)
      throw executive::DeviceError("tape " + settings_.file + " cannot be opened");
    void* const memory = ::mmap(nullptr, sizeof(Tape), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) throw executive::DeviceError("tape " + settings_.file + " cannot be mapped");
    tape_ = new (memory) Tape;
    tape_->value = settings_.safe;
    if (!settings_.terminal.empty()) leave_height_to_others();
  }
  executive::SafeOutput* safe_output() override { return this; }
  std::vector<executive::DrivenOutput> outputs() const override {
    return {{"value", "tape " + settings_.file, settings_.safe}};
  }

  bool drive_safe() TACTUS_RT override {
    if (tape_ == nullptr) return true;
    while (settings_.deaf) std::atomic_signal_fence(std::memory_order_seq_cst);
    if (settings_.stuck) return false;
    tape_->value = settings_.safe;
    ++tape_->times_safe;
    return true;
  }
  const char* frame_ended() TACTUS_RT override {
    if (++tape_->turns == settings_.crash_behind) ::raise(SIGSEGV);
    return nullptr;
  }

  void write() {
    if (ended()) return;
    tape_->value = value_;
    const std::int64_t writes = ++tape_->writes;
    if (writes == settings_.crash_at) ::raise(SIGSEGV);
    while (writes == settings_.loop_at) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    if (ended()) (void)drive_safe();
  }

 private:
  void leave_height_to_others() const {
    const int terminal = ::open(settings_.terminal.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    rtsync::LastWrite write{TIOCSWINSZ, {}};
    const winsize size{42, 80, 0, 0};
    std::memcpy(write.argument.data(), &size, sizeof size);
    (void)rtsync::leave_last_write(terminal, write);
    (void)::close(terminal);
  }

  const Settings settings_;
  double value_ = 0;
  Tape* tape_ = nullptr;
};

class TapeDriver final : public executive::DriverWithFields<executive::ModelDriver, fields> {
 public:
  std::unique_ptr<executive::DrivenModel> make(const config::Node& settings, const std::string& path,
                                               config::Problems& problems) override {
    auto read = load(settings, path, problems);
    return read ? std::make_unique<TapeModel>(std::move(*read)) : nullptr;
  }
};

}  // namespace
}  // namespace tactus::test

TACTUS_DRIVER(tactus::executive::ModelDriver, "tape", tactus::test::TapeDriver)
