// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/cause.hpp"

#include <array>

namespace tactus::rtsync {
namespace {

struct Words {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array<Words, kCauses> kWords{{
    {"none", "nothing was late"},
    {"computed", "a job used its CPU longer than usual"},
    {"blocked", "a job slept, waited for a lock, or did I/O"},
    {"faulted", "page faults"},
    {"heap", "calls of the heap"},
    {"preempted", "another thread had the CPU"},
    {"interrupted", "interrupts had the CPU"},
    {"migrated", "the thread was moved to another CPU"},
    {"throttled", "a limit of CPU time: the kernel's for real-time threads, or that of a control group"},
    {"machine_stopped", "the machine stood still"},
    {"slowed", "the CPU was slower than usual"},
    {"timer_late", "the timer woke the thread late"},
    {"waited", "it waited for another thread"},
    {"clock", "a fault of the external clock"},
    {"catching_up", "it began late because of an overrun before"},
    {"housekeeping", "the executive's own work"},
    {"unknown", "no evidence covers it"},
    {"suspended", "a debugger stopped the thread"},
    {"injected", "a fault made a job longer or disturbed the external clock, as it was asked to"},
}};

}  // namespace

std::string_view name_of(Cause cause) TACTUS_RT { return kWords[static_cast<std::size_t>(cause)].name; }
std::string_view meaning_of(Cause cause) TACTUS_RT { return kWords[static_cast<std::size_t>(cause)].meaning; }

}  // namespace tactus::rtsync
