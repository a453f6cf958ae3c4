// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/link/run_link.hpp"

#include <atomic>
#include <memory>
#include <string>

#include "executive/capability/fault/run_faults.hpp"
#include "executive/capability/flight/run_flight.hpp"
#include "executive/capability/link/settings.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/run_base/machine_error.hpp"
#include "executive/run_base/patience.hpp"

namespace tactus::executive {

RunLink::RunLink(RunContext& run)
    : run_(run),
      link_(*run.rig.link()),
      part_(link_.frames(), run.pacing->sync(), std::string_view(run.pacing->clock().name()) == "monotonic") {
  run.executive->add(part_);
  if (link_.mode() == LinkMode::follow) run.executive->model_requests().forbid_realtime();
  if (auto* const flight = run.find<RunFlight>(); flight != nullptr && flight->part() != nullptr)
    part_.record_in(*flight->part());
}

void RunLink::prepare() {
  if (RunFaults* const faults = run_.find<RunFaults>()) part_.obey(faults->link_faults());
}

bool RunLink::join() {
  const auto refusal = std::make_shared<std::string>();
  // It may take long, and come back when this object is gone.
  const auto joining = [&link = link_, &commands = run_.executive->link_commands(),
                        helper = run_.cpus.helper("link"), first_frame = run_.first_frame(),
                        folder = run_.options.folder, refusal] {
    try {
      if (!folder.empty() && link.records()) link.record_to(folder);
      link.join(commands, helper, first_frame);
    } catch (const DeviceError& error) {
      *refusal = error.what();
    }
  };
  if (!run_.aside("the join of the federation", joining)) return false;
  if (refusal->empty()) return true;
  if (!run_.executive->stop_requested() && !run_.executive->abort_requested())
    throw not_started("link: " + *refusal);
  run_.end = {Outcome::stopped, "stopped before the rig had joined the federation", 0};
  run_.executive->abandon();
  return false;
}

void RunLink::leave() {
  const RunEnd& end = run_.end;
  const LinkEnd how{end.in_order(), end.reason.empty() ? "the rig has run its frames" : end.reason};
  std::atomic<bool> left{false};
  rtsync::PinnedThread leaver(run_.cpus.helper("setup"), [&] {
    link_.leave(how);
    left.store(true);
  });
  const Patience patience;
  while (!left.load()) run_.tick(patience.next());
  leaver.join();
  for (const std::string& line : link_.take_log_lines()) run_.voice->say(line);
}

void RunLink::poll(RunVoice& voice) {
  for (const std::string& line : link_.take_log_lines()) voice.say(line);
  if (run_.executive->stop_requested() || run_.executive->abort_requested()) link_.cancel();
}

void RunLink::report(LiveReport which, config::Json& body) {
  if (which != LiveReport::link) return;
  body = link_.knowledge();
  body.update({{"linked", true},
               {"driver", run_.rig.settings().of<LinkSection>().driver.value},
               {"mode", name_of(link_.mode())},
               {"status", link_.status()},
               {"about", link_.describe()}});
}

}  // namespace tactus::executive
