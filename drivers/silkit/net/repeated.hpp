// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Does something again and again while it is of use. Only for the inside of net/: it brings asio along.
#include <asio/steady_timer.hpp>
#include <functional>
#include <utility>

namespace tactus::silkit {

/// Threads  the I/O thread.
class Repeated {
 public:
  /// `work` runs `every` that long after start(), as long as it returns true.
  Repeated(asio::io_context& io, asio::steady_timer::duration every, std::function<bool()> work)
      : every_(every), work_(std::move(work)), timer_(io) {}

  void start() {
    if (std::exchange(runs_, true)) return;
    timer_.expires_after(every_);
    timer_.async_wait([this](const asio::error_code& stopped) {
      runs_ = false;
      if (!stopped && work_()) start();
    });
  }

 private:
  const asio::steady_timer::duration every_;
  const std::function<bool()> work_;
  asio::steady_timer timer_;
  bool runs_ = false;
};

}  // namespace tactus::silkit
