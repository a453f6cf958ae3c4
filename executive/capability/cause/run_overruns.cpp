// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/run_overruns.hpp"

#include <utility>

#include "executive/capability/cause/finding_text.hpp"
#include "executive/flight/flight_trace.hpp"

namespace tactus::executive {

using rtsync::OverrunCause;

void RunOverruns::take(const FrameNote& note, Clock::time_point now) {
  const rtsync::FrameTiming& timing = note.timing;
  const bool is_known = !note.is_late_from_after(std::exchange(noted_, timing.frame));
  if (timing.overrun == OverrunCause::none || timing.grace) return;
  const bool follows = is_known && (timing.overrun == OverrunCause::catching_up ||
                                    note.overrun.cause == rtsync::Cause::catching_up);
  if (follows && open_) {
    ++followers_;
    cost_ns_ -= timing.slack.count();
    last_frame_ = timing.frame;
    changed_ = true;
    return;
  }
  if (open_) tell(true);
  begin(note, now);
}

void RunOverruns::note_lost(std::uint64_t notes) {
  if (notes > lost_) history_.leave_out(static_cast<std::int64_t>(notes - lost_));
  lost_ = notes;
}

Json RunOverruns::job_of(const Finding& finding) const {
  return finding.job < plan_.jobs.size() ? Json(plan_.jobs[finding.job].name) : Json();
}

/// Names what had the rest of the lateness; null: nothing.
Json RunOverruns::beside_of(const FrameNote& note) const {
  const Finding& finding = note.beside;
  if (finding.cause == rtsync::Cause::none) return nullptr;
  return {{"cause", std::string(name_of(finding.cause))},
          {"who", culprit_of(finding, plan_)},
          {"text", text_of(finding, plan_, cpus_)},
          {"job", job_of(finding)},
          {"share_ns", note.beside_share.count()}};
}

void RunOverruns::begin(const FrameNote& note, Clock::time_point now) {
  open_.reset();
  if (now - second_ >= std::chrono::seconds(1)) {
    second_ = now;
    in_second_ = 0;
  }
  if (++in_second_ > kMostPerSecond) return history_.leave_out(1);
  const rtsync::FrameTiming& timing = note.timing;
  const Finding& finding = note.named();
  Json evidence = Json::array();
  for (const FindingFigure& figure : figures_of(finding))
    evidence.push_back({{"figure", figure.name},
                        {"value", figure.value},
                        {"unit", figure.unit},
                        {"usual", figure.usual ? Json(*figure.usual) : Json()}});
  open_ = Json{{"id", ++ids_},
               {"frame", timing.frame},
               {"sim_time_ns", plan_.frame.times(timing.frame).count()},
               {"over_ns", -timing.slack.count()},
               {"late_ns", timing.late.count()},
               {"work_ns", timing.work.count()},
               {"lost", timing.lost},
               {"by", text_of(timing.overrun)},
               {"cause", std::string(name_of(finding.cause))},
               {"who", culprit_of(finding, plan_)},
               {"text", text_of(finding, plan_, cpus_)},
               {"job", job_of(finding)},
               {"share_ns", (note.lateness() - note.beside_share).count()},
               {"beside", beside_of(note)},
               {"evidence", std::move(evidence)}};
  last_frame_ = timing.frame;
  followers_ = 0;
  cost_ns_ = -timing.slack.count();
  changed_ = true;
}

void RunOverruns::flush(std::int64_t next_frame) {
  if (!open_) return;
  const bool caught_up = next_frame > last_frame_ + 1 || next_frame <= last_frame_;
  if (caught_up || changed_) tell(caught_up);
}

void RunOverruns::tell(bool caught_up) {
  Json entry = *open_;
  entry["followers"] = followers_;
  entry["cost_ns"] = cost_ns_;
  entry["caught_up"] = caught_up;
  history_.add(std::move(entry), ids_);
  changed_ = false;
  if (caught_up) open_.reset();
}

}  // namespace tactus::executive
