// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/capability/live/live_access.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Live access of one run: the side that answers, and the servers.
///
/// Threads  the service thread.
class RunLive final : public Capability {
 public:
  static bool is_needed(const RunContext& run) { return run.executive->plan().live; }
  explicit RunLive(RunContext& run);

  /// Programs outside may look in from here on. Throws MachineError.
  void open() override;
  void poll(RunVoice& voice) override;
  /// Answers waiting clients, then closes the servers.
  void ended() override;
  void drop() override;
  void summarize(config::Json& all, Summary what) const override {
    if (what == Summary::ended) all["live"] = access_.summary();
  }
  bool owns(pid_t tid) const override { return tid == access_.tid(); }
  LiveAccess& access() { return access_; }

 private:
  void close_servers();

  RunContext& run_;
  LiveAccess access_;
};

}  // namespace tactus::executive
