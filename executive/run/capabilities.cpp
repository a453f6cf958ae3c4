// SPDX-License-Identifier: Apache-2.0
#include "executive/run/capabilities.hpp"

#include "executive/capability/cause/run_causes.hpp"
#include "executive/capability/cause/run_teller.hpp"
#include "executive/capability/checkpoint/rig_checkpoints.hpp"
#include "executive/capability/clock/run_clock.hpp"
#include "executive/capability/flight/run_flight.hpp"
#include "executive/capability/isolation/run_isolation.hpp"
#include "executive/capability/library/run_libraries.hpp"
#include "executive/capability/link/run_link.hpp"
#include "executive/capability/live/run_live.hpp"
#include "executive/capability/policy/run_policies.hpp"
#include "executive/capability/privilege/foreign_threads.hpp"
#include "executive/capability/privilege/run_privileges.hpp"
#include "executive/capability/record/run_recordings.hpp"
#include "executive/capability/watch/hardware_watchdog.hpp"
#include "executive/capability/watch/run_witness.hpp"
#include "executive/capability/watch/systemd_service.hpp"

namespace tactus::executive {
namespace {

constexpr CapabilityRow kCapabilities[] = {
    {&make_capability<RunClock>},
    {&make_capability<RunPrivileges>},  // an abort for a lost privilege is the end that all others see
    {&make_capability<ForeignThreads>},
    {&make_capability<SystemdService>},
    {&make_capability<RunCauses>},
    {&make_capability<RunPolicies>},
    {&make_capability<RunTeller>},
    {&make_capability<RunFlight>},
    {&make_capability<RunLink>},
    {&make_capability<RunIsolation>},
    {&make_capability<RunLibraries>},  // its reason of the end comes before that of a job that failed
    {&make_capability<RunLive>},
    {&make_capability<RunWitness>},
    {&make_capability<RunRecordings>, &RunRecordings::known},
    {&make_capability<RigCheckpoints>},
    {&make_capability<HardwareWatchdog>},  // counts from its start: last
};

}  // namespace

std::vector<CapabilityRow> capabilities() { return {std::begin(kCapabilities), std::end(kCapabilities)}; }

}  // namespace tactus::executive
