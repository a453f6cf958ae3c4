// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/capability/link/link_part.hpp"
#include "executive/driver/link.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// The link of one run: joins the others before the frames, and leaves them after.
///
/// Threads  the service thread.
class RunLink final : public Capability {
 public:
  static bool is_needed(const RunContext& run) { return run.rig.link() != nullptr; }
  explicit RunLink(RunContext& run);

  void prepare() override;
  /// Throws MachineError.
  bool join() override;
  void ready() override { link_.ready(); }
  void poll(RunVoice& voice) override;
  /// Tells the others how it ended. That takes a bounded time, in which signals are served.
  void leave() override;
  void drop() override { link_.leave({false, "the rig was not started"}); }  // nothing after it has left
  void summarize(config::Json& all, Summary what) const override {
    if (what == Summary::ended) all["link"] = link_.summary(run_.stuck);
  }
  void report(LiveReport which, config::Json& body) override;

 private:
  RunContext& run_;
  Link& link_;
  LinkPart part_;
};

}  // namespace tactus::executive
