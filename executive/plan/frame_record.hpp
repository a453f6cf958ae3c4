// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace tactus::executive {

/// Figures of a frame after it: the values of `rt.*`, and a row of frames.csv, in the order of
/// visit_fields().
struct FrameRecord {
  std::int64_t frame = -1;
  std::int64_t late = 0;  ///< ns, as all times here
  std::int64_t work = 0;
  std::int64_t slack = 0;  ///< negative: an overrun
  std::int64_t overruns = 0;
  std::int64_t late_wakes = 0;
  std::int64_t late_by_housekeeping = 0;
  std::int64_t lost = 0;
  std::int32_t cause = 0;        ///< rtsync::Cause, of the overrun, else of the late wake
  std::int32_t overrun = 0;      ///< rtsync::OverrunCause
  std::int32_t beside = 0;       ///< rtsync::Cause, of the rest of its lateness
  std::int64_t beside_time = 0;  ///< time of `beside`; `cause` has the rest
  std::int64_t behind = 0;       ///< housekeeping after the frame before
};

/// A field of FrameRecord, as people and files call it.
struct FrameField {
  enum class Kind {
    count,
    time,
    cause,
    overrun
  };  ///< a cause is a number with names: Cause, or OverrunCause
  const char* name;
  Kind kind;
  const char* about;
};

/// Calls visit(FrameField, field) for each field of a record.
template <class Record, class Visit>
void visit_fields(Record& record, Visit visit) {
  using Kind = FrameField::Kind;
  const auto field = [&](const char* name, auto& value, Kind kind, const char* about) {
    visit(FrameField{name, kind, about}, value);
  };
  field("frame", record.frame, Kind::count, "number of the frame that the rest describe");
  field("late", record.late, Kind::time, "wake minus slot");
  field("work", record.work, Kind::time, "end of the work minus wake");
  field("slack", record.slack, Kind::time, "next slot minus end of the work; negative: an overrun");
  field("overruns", record.overruns, Kind::count, "overruns so far");
  field("late_wakes", record.late_wakes, Kind::count, "late wakes so far");
  field("late_by_housekeeping", record.late_by_housekeeping, Kind::count,
        "frames so far that housekeeping made late");
  field("lost", record.lost, Kind::count, "slots so far in which no frame ran");
  field("cause", record.cause, Kind::cause, "why it overran or woke late; 0: it did neither");
  field("overrun", record.overrun, Kind::overrun,
        "part of the frame that made it overrun; rt.cause says why");
  field("beside", record.beside, Kind::cause, "second cause of its lateness, beside rt.cause; 0: none");
  field("beside_time", record.beside_time, Kind::time, "lateness due to rt.beside; rt.cause has the rest");
  field("behind", record.behind, Kind::time,
        "housekeeping between the jobs of the frame before and its wait; 0: there was no frame before");
}

}  // namespace tactus::executive
