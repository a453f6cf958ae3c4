// SPDX-License-Identifier: Apache-2.0

#include "config/rules.hpp"
#include "executive/capability/link/settings.hpp"
#include "executive/capability/record/settings.hpp"
#include "executive/plan/draft.hpp"
#include "executive/plan/setting_rules.hpp"

namespace tactus::executive {
namespace {

using namespace config;

constexpr const char* kOwnName = ExecutiveVariables::kLink;

Fields<LinkSection> link_fields() {
  return {
      "A link to virtual-time participants: the rig takes part in their simulation. The driver adds its own "
      "keys here.",
      {
          located(&LinkSection::origin),
          optional("driver", &LinkSection::driver, name(), "driver of the link: silkit"),
          rest(&LinkSection::device, "the driver's own"),
      }};
}

std::vector<config::Field<RigSettings>> link_keys() {
  return {rig_key(
      setting::when_present<LinkSection>(whole_section("link", link_fields(), "virtual-time participants")))};
}

/// Changes the settings as if the rig file had no link, and recorded nothing of it.
void leave_link_out(RigSettings& settings) {
  settings.of<LinkSection>() = {};
  const auto linked = [](const Located<std::string>& name) {
    return name.value.starts_with(std::string(kOwnName) + ".");
  };
  std::vector<RecordingSettings>& recordings = settings.of<RecordSettings>().recordings;
  for (RecordingSettings& recording : recordings) std::erase_if(recording.variables, linked);
  std::erase_if(recordings, [](const RecordingSettings& recording) { return recording.variables.empty(); });
}

/// Checks that an input of the link has no other writer, and is not written while its model may be running.
void check_linked(Draft& draft, const VariableRef& input) {
  const auto refuse = [&](const std::string& why) {
    draft.problems.add(draft.settings.of<LinkSection>().origin, "'" + input.name() + "' " + why);
  };
  for (const Connection& connection : draft.plan.connections)
    if (connection.to.overlaps(input))
      refuse("is already fed by '" + connection.from.name() + "'; an input has one source");
  for (const PlannedJob& job : draft.plan.jobs) {
    if (job.model != input.model || !draft.plan.is_asynchronous(job.thread)) continue;
    return refuse(
        "belongs to a model on the asynchronous thread '" + draft.plan.threads[job.thread - 1].name +
        "', which may be reading it at any time; subscribe with an input of a model on main, and connect its "
        "output from there");
  }
}

/// Records everything that the link receives, unless the rig file has a recording of that name.
void record_link(RigSettings& settings) {
  std::vector<RecordingSettings>& recordings = settings.of<RecordSettings>().recordings;
  for (const RecordingSettings& recording : recordings)
    if (recording.name == kOwnName) return;
  RecordingSettings& recording = recordings.emplace_back();
  recording.name = kOwnName;
  recording.origin = settings.of<LinkSection>().origin;
  recording.variables.push_back(
      {std::string(kOwnName) + ".*", recording.origin.place, recording.origin.path + ".record"});
}

void make_link(Draft& draft) {
  RigSettings& settings = draft.settings;
  LinkSection& section = settings.of<LinkSection>();
  const LinkOverrides& overrides = draft.link_overrides;
  if (overrides.off) return leave_link_out(settings);
  if (!section.present) {
    if (!overrides.replay.empty())
      draft.problems.add(settings.rig.place, kOwnName, "the rig has no link, so there is nothing to replay");
    return;
  }
  draft.names_link = true;
  const auto library = draft.load_driver("link", section.driver);
  if (library == nullptr) return;
  const LinkContext context{
      .rig = settings.rig.value,
      .base = draft.base,
      .frame = draft.plan.frame,
      .real_frame = rtsync::real_period(draft.plan.frame, settings.realtime.ratio),
      .realtime = overrides.realtime,
      .replay = overrides.replay,
      .find = [&draft](const Located<std::string>& name) { return draft.find_variable(name); }};
  std::unique_ptr<Link> made =
      library->make<LinkDriver>()->make(section.device, section.origin.path, context, draft.problems);
  if (made == nullptr) return;  // said why
  section.device = made->resolved();
  if (made->mode() == LinkMode::paced && !settings.realtime.enabled.value)
    draft.problems.add(section.origin,
                       "mode paced needs a rig in real time: set realtime.enabled: yes, or mode: follow");
  if (made->records()) record_link(settings);
  draft.rig.variables.add_link(*made);
  draft.rig.link = std::move(made);
}

void check_link(Draft& draft) {
  if (draft.rig.link == nullptr) return;
  for (const VariableRef& input : draft.rig.link->inputs()) check_linked(draft, input);
}

}  // namespace

const CapabilitySection kLinkSection{&link_keys, &make_link, &check_link};

}  // namespace tactus::executive
