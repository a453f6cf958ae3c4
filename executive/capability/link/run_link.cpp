// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/link/run_link.hpp"

#include <atomic>

#include "executive/driver/device_error.hpp"
#include "executive/run_base/machine_error.hpp"

namespace tactus::executive {

RunLink::RunLink(Link& link, Executive& executive, const Pacing& pacing, const RigCpus& cpus)
    : link_(link),
      executive_(executive),
      cpus_(cpus),
      part_(link, pacing.sync(), std::string_view(pacing.clock().name()) == "monotonic") {
  executive.add(part_);
  if (link.mode() == LinkMode::follow) executive.model_requests().forbid_realtime();
}

std::function<void()> RunLink::joining(std::int64_t first_frame) {
  return [&link = link_, &commands = executive_.link_commands(), helper = cpus_.helper("link"), first_frame,
          refusal = refusal_] {
    try {
      link.join(commands, helper, first_frame);
    } catch (const DeviceError& error) {
      *refusal = error.what();
    }
  };
}

bool RunLink::joined() const {
  if (refusal_->empty()) return true;
  if (executive_.stop_requested() || executive_.abort_requested()) return false;
  throw not_started("link: " + *refusal_);
}

void RunLink::leave(const RunEnd& end, const std::function<void()>& tick, RunVoice& voice) {
  const LinkEnd how{end.in_order(), end.reason.empty() ? "the rig has run its frames" : end.reason};
  std::atomic<bool> left{false};
  rtsync::PinnedThread leaver(cpus_.helper("setup"), [&] {
    link_.leave(how);
    left.store(true);
  });
  while (!left.load()) tick();
  leaver.join();
  for (const std::string& line : link_.take_log_lines()) voice.say(line);
}

void RunLink::poll(RunVoice& voice) {
  for (const std::string& line : link_.take_log_lines()) voice.say(line);
  if (executive_.stop_requested() || executive_.abort_requested()) link_.cancel();
}

}  // namespace tactus::executive
