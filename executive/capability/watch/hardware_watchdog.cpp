// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/watch/hardware_watchdog.hpp"

#include <system_error>

#include "executive/capability/watch/settings.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

std::string no_watchdog_note() {
  const std::string here = rtsync::watchdog_here().string();
  return "no hardware watchdog (watchdog.device): if the machine hangs, or the rig and the processes that "
         "watch "
         "it are killed together, the outputs stay as they are; " +
         (here.empty()
              ? "this machine has none, and softdog (modprobe softdog) helps only while the kernel runs"
              : here + " is here: watchdog: { device: auto }");
}

void HardwareWatchdog::start() {
  const RigSettings& settings = run_.rig.settings();
  const WatchdogSection& section = settings.of<WatchdogSection>();
  std::vector<rtsync::Provision>& provisions = run_.provisions;
  if (!section.device) return;
  if (!run_.realtime)
    return provisions.push_back(rtsync::refused("a watchdog (" + *section.device + ")", "none",
                                                {"this rig is not in real time, or does not begin so",
                                                 "set realtime.enabled: yes, and remove --no-realtime"}));
  name_ = *section.device == "auto" ? rtsync::watchdog_here().string() : *section.device;
  if (name_.empty())
    return provisions.push_back(rtsync::refused(
        "a watchdog (auto)", "none",
        {"this machine has no /dev/watchdog", "modprobe the driver of its watchdog, or softdog"}));
  device_ = std::make_unique<rtsync::WatchdogDevice>(rtsync::WatchdogSettings{name_, section.timeout});
  provisions.push_back(device_->provision());
  run_.executive->add(part_.emplace(*device_, run_.pacing->clock()));
  // Refused as it was asked for, it is switched off again before anybody says that nothing was started.
  if (!device_->provision().granted && settings.privileges == Privileges::require)
    (void)device_->close_cleanly();
}

void HardwareWatchdog::ready() {
  if (run_.realtime && !run_.rig.plan().safe_outputs.empty() &&
      !run_.rig.settings().of<WatchdogSection>().device)
    run_.voice->say(no_watchdog_note());
}

/// Switched off after a clean end alone: whatever else happened, the machine is to be reset.
void HardwareWatchdog::stop() {
  if (device_ == nullptr || !device_->armed() || left_counting_) return;
  RunVoice& voice = *run_.voice;
  if (device_->failed() > 0)
    voice.say(std::to_string(device_->failed()) +
              " kicks of the watchdog failed: " + std::generic_category().message(device_->last_error()));
  if (run_.end.in_order()) {
    const rtsync::Provision closed = device_->close_cleanly();
    closed.granted ? voice.log().info(rtsync::sentence(closed)) : voice.log().warn(rtsync::sentence(closed));
  } else {
    left_counting_ = true;
    voice.say("the watchdog " + name_ +
              " continues to count, as this was not a clean end: it resets the machine within " +
              rtsync::duration_text(device_->timeout().count()));
  }
}

}  // namespace tactus::executive
