// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "drivers/can/model/settings.hpp"
#include "drivers/can/port/shared_bus.hpp"

namespace tactus::drivers::can {

/// The bus of a model, as other drivers find it by the address of the model's variable `bus.state`.
///
/// Threads  silence(): any, also a signal handler. The rest: one thread at setup.
class ModelBus final : public SharedBus {
 public:
  /// Makes one more port. @when setup
  using Open = std::function<std::unique_ptr<Port>()>;

  /// All three must outlive it. @when setup
  ModelBus(const void* state, const Settings& settings, const Database& database);
  ~ModelBus() override;

  /// Lets others join. `fd`: the bus carries frames of CAN FD. @when setup
  void opened(bool fd, Open open);
  /// Throws away what waits at the stations of others; `for_good`: they send nothing any more. Async-signal-safe.
  void silence(bool for_good) noexcept;

  const std::string& interface() const override { return settings_.interface; }
  std::vector<BusMessage> messages(const std::string& pattern) const override;
  Port& join() override;
  bool carries_fd() const override { return fd_; }
  bool keeps_when_full() const TACTUS_RT override { return settings_.on_full == OnFull::retry; }

 private:
  static constexpr std::size_t kMost = 8;

  const void* const state_;
  const Settings& settings_;
  const Database& database_;
  bool fd_ = false;
  Open open_;
  std::deque<std::unique_ptr<Port>> ports_;
  std::atomic<Port*> joined_[kMost] = {};  // for silence()
};

}  // namespace tactus::drivers::can
