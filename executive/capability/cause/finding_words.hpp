// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "executive/frame/frame_note.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/evidence/evidence.hpp"

/// Words of which the sentences about late frames are made.
///
/// Threads  the service thread.
namespace tactus::executive {

/// "in frame 7"; "in frames 7 to 9".
std::string frames_text(std::int64_t first, std::int64_t last);
/// "a.step, b.step, c.step first": those of a group with the largest excess.
std::string first_of(const JobGroup& group, const Plan& plan);
/// " in fsync"; empty: that is not known.
std::string in_what(const rtsync::SwitchTimes& switches);
/// "mapped 16.0 MiB in 1 call, 6.20 ms, 4096 page faults".
std::string maps_text(const rtsync::MapTimes& maps);
/// "16384 page faults without a record"; empty: there are none.
std::string counted_text(const rtsync::Evidence& seen);
/// "softirq NET_RX"; "irq 24 (virtio0)".
std::string interrupt_text(const rtsync::InterruptTimes& interrupts);
/// "control group /rig.slice"; "its control group", where it is not known which one.
std::string group_of(const rtsync::Evidence& seen);
/// "cpu.max: 20.0 ms of each 100 ms".
std::string quota_text(const rtsync::Evidence& seen);
/// "; the limit of control group /rig.slice ... stopped threads": it may have been that, or not.
std::string perhaps_quota(const rtsync::Evidence& seen);

}  // namespace tactus::executive
