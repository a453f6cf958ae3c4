// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Trick's variable server on a TCP port: sessions, their sockets, and the one thread they share.
///
/// Threads  open(), take_log_lines(), close(): one at a time. Everything else happens on the thread
/// "live-trick".
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drivers/live/trick/settings.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::trick {

class Server final : public executive::LiveServer {
 public:
  /// `settings` have passed check().
  explicit Server(TrickSettings settings);
  ~Server() override;

  std::vector<std::string> describe() const override;
  config::Node resolved() const override;
  void open(executive::LiveRig& rig, const rtsync::ThreadSettings& helper) override;
  std::vector<std::string> take_log_lines() override;
  void close() override;

  /// Port on which it listens, after open(): the one that the system chose, if it did.
  std::uint16_t port() const;

 private:
  class Loop;

  TrickSettings settings_;
  std::unique_ptr<Loop> loop_;
};

}  // namespace tactus::drivers::trick
