// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "executive/capability/link/link_part.hpp"
#include "executive/frame/executive.hpp"
#include "executive/run_base/pacing.hpp"
#include "executive/run_base/rig_threads.hpp"
#include "executive/run_base/run_part.hpp"

namespace tactus::executive {

/// The link of one run: joins the others before the frames, and leaves them after.
class RunLink final : public RunPart {
 public:
  /// All must outlive it. @when setup
  RunLink(Link& link, Executive& executive, const Pacing& pacing, const RigCpus& cpus);

  /// Records what the frames wait for. @when setup
  void record_in(FlightPart& flight) { part_.record_in(flight); }
  /// What joins the others, and may take long: for another thread, which may come back when this is gone.
  std::function<void()> joining(std::int64_t first_frame);
  /// After that. False: it was stopped meanwhile. Throws MachineError.
  bool joined() const;
  void ready() { link_.ready(); }
  /// Tells the others how it ended. That takes a bounded time, in which `tick` is called.
  void leave(const RunEnd& end, const std::function<void()>& tick, RunVoice& voice);
  void poll(RunVoice& voice) override;

 private:
  Link& link_;
  Executive& executive_;
  const RigCpus& cpus_;
  LinkPart part_;
  std::shared_ptr<std::string> refusal_ = std::make_shared<std::string>();
};

}  // namespace tactus::executive
