// SPDX-License-Identifier: Apache-2.0
#include "executive/run/capabilities.hpp"

#include "executive/capability/action/run_actions.hpp"
#include "executive/capability/cause/run_causes.hpp"
#include "executive/capability/cause/run_teller.hpp"
#include "executive/capability/cause/settings.hpp"
#include "executive/capability/checkpoint/rig_checkpoints.hpp"
#include "executive/capability/checkpoint/settings.hpp"
#include "executive/capability/clock/run_clock.hpp"
#include "executive/capability/fault/run_faults.hpp"
#include "executive/capability/fault/settings.hpp"
#include "executive/capability/flight/run_flight.hpp"
#include "executive/capability/flight/settings.hpp"
#include "executive/capability/histogram/run_histograms.hpp"
#include "executive/capability/isolation/run_isolation.hpp"
#include "executive/capability/judge/run_judge.hpp"
#include "executive/capability/judge/settings.hpp"
#include "executive/capability/library/run_libraries.hpp"
#include "executive/capability/limit/run_limits.hpp"
#include "executive/capability/limit/settings.hpp"
#include "executive/capability/link/run_link.hpp"
#include "executive/capability/link/settings.hpp"
#include "executive/capability/live/run_live.hpp"
#include "executive/capability/live/settings.hpp"
#include "executive/capability/message/run_messages.hpp"
#include "executive/capability/policy/run_policies.hpp"
#include "executive/capability/policy/settings.hpp"
#include "executive/capability/privilege/foreign_threads.hpp"
#include "executive/capability/privilege/run_privileges.hpp"
#include "executive/capability/privilege/settings.hpp"
#include "executive/capability/record/run_recordings.hpp"
#include "executive/capability/record/settings.hpp"
#include "executive/capability/stimulus/run_stimuli.hpp"
#include "executive/capability/stimulus/settings.hpp"
#include "executive/capability/watch/hardware_watchdog.hpp"
#include "executive/capability/watch/run_witness.hpp"
#include "executive/capability/watch/settings.hpp"
#include "executive/capability/watch/systemd_service.hpp"

namespace tactus::executive {
namespace {

constexpr CapabilityRow kCapabilities[] = {
    {&make_capability<RunClock>},
    // An abort for a lost privilege is the end that all others see.
    {&make_capability<RunPrivileges>, &kPrivilegeSection},
    {&make_capability<ForeignThreads>},
    {&make_capability<SystemdService>},
    {&make_capability<RunCauses>, &kCauseSection},
    {&make_capability<RunPolicies>, &kPolicySection},
    {&make_capability<RunTeller>},
    {&make_capability<RunFlight>, &kFlightSection},
    {&make_capability<RunLink>, &kLinkSection},
    {&make_capability<RunIsolation>},
    {&make_capability<RunMessages>},  // what a model said comes before the reason of the end
    {&make_capability<RunHistograms>},
    {&make_capability<RunLibraries>},  // its reason of the end comes before that of a job that failed
    {&make_capability<RunActions>},    // its last notes come before the journal is closed
    {&make_capability<RunJudge>, &kJudgeSection},  // clients hear its last verdicts
    {&make_capability<RunLive>, &kLiveSection},
    {&make_capability<RunWitness>},
    // After all that write into the frame before it begins. A fault keeps what a stimulus has shown in the frame before.
    {&make_capability<RunFaults>, &kFaultSection},
    {&make_capability<RunStimuli>, &kStimulusSection},
    {&make_capability<RunLimits>, &kLimitSection},
    {&make_capability<RunRecordings>, &kRecordSection, &RunRecordings::known},
    {&make_capability<RigCheckpoints>, &kCheckpointSection},
    {&make_capability<HardwareWatchdog>, &kWatchSection},  // counts from its start: last
};

std::vector<CapabilityRow>& rows() {
  static std::vector<CapabilityRow> all{std::begin(kCapabilities), std::end(kCapabilities)};
  return all;
}

}  // namespace

std::vector<CapabilityRow> capabilities() { return rows(); }

std::vector<const CapabilitySection*> capability_sections() {
  std::vector<const CapabilitySection*> sections;
  for (const CapabilityRow& row : rows())
    if (row.section != nullptr) sections.push_back(row.section);
  return sections;
}

AddedCapability::AddedCapability(const CapabilityRow& row) { rows().push_back(row); }
AddedCapability::~AddedCapability() { rows().pop_back(); }

}  // namespace tactus::executive
