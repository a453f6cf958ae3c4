// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_reader.hpp"

#include <algorithm>
#include <utility>

#include "executive/flight/flight_ring_reader.hpp"
#include "executive/flight/flight_search.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {
namespace {

/// Exactly what * part / whole; part < whole.
std::int64_t share_of(std::int64_t what, std::uint64_t part, std::uint64_t whole) {
  return static_cast<std::int64_t>(static_cast<rtsync::Wide>(what) * static_cast<rtsync::Wide>(part) /
                                   static_cast<rtsync::Wide>(whole));
}

constexpr std::size_t kMostCauses = 4;  // of a frame

FlownCause cause_of(const FlightRecord& record) {
  FlownCause made;
  const auto cause = static_cast<unsigned>(record.detail & FlightCause::kCause);
  if (cause < rtsync::kCauses) made.cause = static_cast<rtsync::Cause>(cause);
  const auto part = (record.detail & FlightCause::kPart) >> FlightCause::kPartShift;
  if (part <= static_cast<int>(rtsync::LatePart::answer)) made.part = static_cast<rtsync::LatePart>(part);
  made.of_wake = (record.detail & FlightCause::kOfWake) != 0;
  made.job = record.id;
  return made;
}

}  // namespace

std::int64_t FlightClock::of_ticks(std::uint64_t ticks) const {
  if (anchors_.empty()) return bounded_ns(flight_ticks_as_ns(ticks, scale_));
  const auto next = std::ranges::upper_bound(anchors_, ticks, {}, &Anchor::ticks);
  if (next == anchors_.begin() || next == anchors_.end()) {
    const Anchor& near = next == anchors_.begin() ? *next : anchors_.back();
    return bounded_ns(near.kernel_ns + bounded_ns(flight_ticks_as_ns(ticks - near.ticks, scale_)));
  }
  const Anchor& a = *std::prev(next);
  return a.kernel_ns + share_of(next->kernel_ns - a.kernel_ns, ticks - a.ticks, next->ticks - a.ticks);
}

std::uint64_t FlightClock::ticks_before(std::int64_t kernel_ns) const {
  const auto next = std::ranges::upper_bound(anchors_, kernel_ns, {}, &Anchor::kernel_ns);
  return next == anchors_.begin() ? 0 : std::prev(next)->ticks;
}

std::int64_t FlightClock::of_rig(std::int64_t ns) const {
  if (anchors_.empty()) return ns;
  const auto next = std::ranges::upper_bound(anchors_, ns, {}, &Anchor::rig_ns);
  if (next == anchors_.begin() || next == anchors_.end()) {
    const Anchor& near = next == anchors_.begin() ? *next : anchors_.back();
    return bounded_ns(near.kernel_ns + bounded_ns(ns - near.rig_ns));
  }
  const Anchor& a = *std::prev(next);
  return a.kernel_ns + share_of(next->kernel_ns - a.kernel_ns, static_cast<std::uint64_t>(ns - a.rig_ns),
                                static_cast<std::uint64_t>(next->rig_ns - a.rig_ns));
}

FlightView::FlightView(const FlightFile& file, std::uint64_t first)
    : file_(file), first_(first), clock_(file.plan().tick_scale) {
  FlightRingReader records(file.head(0), file.cells(0), first);
  std::optional<FlightClock::Anchor> anchor;  // as far as it is read; the first may be cut
  std::uint64_t lost = 0;
  while (const std::optional<FlightRecord> record = records.next()) {
    if (std::exchange(lost, records.lost()) != records.lost()) anchor.reset();
    const std::int64_t value = bounded_ns(static_cast<std::int64_t>(record->value));
    if (record->kind == FlightKind::anchor_ticks) anchor = {record->value, 0, 0};
    if (!anchor) continue;
    if (record->kind == FlightKind::anchor_kernel) anchor->kernel_ns = value;
    if (record->kind != FlightKind::anchor_rig) continue;
    anchor->rig_ns = value;
    if (anchor->kernel_ns != 0) clock_.add(*anchor);
    anchor.reset();
  }
}

std::optional<FlownFrame> FlightView::last() const {
  std::optional<FlownFrame> found;
  (void)visit(0, {.frame = [&found](const FlownFrame& frame) { found = frame; }});
  return found;
}

std::uint64_t FlightView::visit(std::size_t ring, const Visitor& visitor) const {
  const std::uint64_t since = clock_.ticks_before(visitor.since_ns);
  FlightRingReader records(file_.head(ring), file_.cells(ring),
                           ring == 0 ? first_ : start_of_jobs(file_, ring, since));
  std::optional<std::uint64_t> before;  // when the job before ended
  std::optional<FlownFrame> frame;      // as far as it is known
  std::vector<FlownCause> causes;       // of the frame to come
  std::uint64_t waits = 0;
  std::uint32_t awaited = 0;
  std::uint64_t stamp = 0;
  std::uint64_t lost = 0;
  while (const std::optional<FlightRecord> record = records.next()) {
    if (records.lost() != lost) {  // what follows belongs to something else
      lost = records.lost();
      before.reset();
      frame.reset();
      causes.clear();
      waits = 0;
    }
    const std::int64_t value = bounded_ns(static_cast<std::int64_t>(record->value));
    switch (record->kind) {
      case FlightKind::job:
        if (before && visitor.job && record->value >= since)
          visitor.job({record->id, clock_.of_ticks(*before), clock_.of_ticks(record->value), false});
        [[fallthrough]];
      case FlightKind::idle:
        before = record->value;
        break;
      case FlightKind::frame:
        frame.emplace();
        frame->frame = value;
        frame->causes.swap(causes);
        causes.clear();
        frame->lost = record->id;
        frame->overrun = static_cast<rtsync::OverrunCause>(record->detail & FlightFlags::kCause);
        frame->paced = (record->detail & FlightFlags::kPaced) != 0;
        frame->late_wake = (record->detail & FlightFlags::kLateWake) != 0;
        frame->late_by_housekeeping = (record->detail & FlightFlags::kHousekeeping) != 0;
        frame->grace = (record->detail & FlightFlags::kGrace) != 0;
        break;
      case FlightKind::stamp:
        stamp = record->value;
        if (frame) frame->housekeeping_ns = record->id;
        break;
      case FlightKind::slot:
        if (frame) frame->wake_ns = value;  // of the rig's clock so far
        break;
      case FlightKind::late:
        if (frame) frame->late_ns = value;
        break;
      case FlightKind::work:
        if (!frame) break;
        frame->wake_ns =
            frame->paced ? clock_.of_rig(frame->wake_ns + frame->late_ns) : clock_.of_ticks(stamp) - value;
        frame->done_ns = frame->wake_ns + value;
        break;
      case FlightKind::slack:
        if (!frame) break;
        frame->slack_ns = value;
        frame->index = records.index();
        if (visitor.frame) visitor.frame(*frame);
        frame.reset();
        break;
      case FlightKind::event:
        if (visitor.event)
          visitor.event(
              {static_cast<FlightEvent>(record->detail), record->id, clock_.of_ticks(record->value)});
        break;
      case FlightKind::cause:
        if (causes.size() < kMostCauses) causes.push_back(cause_of(*record));
        break;
      case FlightKind::figure:
        if (!causes.empty() && record->detail < kFlightFigures) causes.back().figures[record->detail] = value;
        break;
      case FlightKind::wait:
        waits = record->value;
        awaited = record->id;
        break;
      case FlightKind::wait_end:
        if (waits != 0 && visitor.job)
          visitor.job({awaited, clock_.of_ticks(waits), clock_.of_ticks(record->value), true});
        waits = 0;
        break;
      case FlightKind::variable:
        if (visitor.value) visitor.value({record->id, record->value});
        break;
      case FlightKind::edge:
        if (visitor.edge) visitor.edge({value, record->id, record->detail});
        break;
      default:
        break;  // an anchor, or of a tactus to come
    }
  }
  return records.lost();
}

FlownKernel FlightView::kernel(std::int64_t from_ns) const {
  FlownKernel kernel;
  FlightRingReader records(file_.head(file_.kernel_ring()), file_.cells(file_.kernel_ring()));
  while (const std::optional<FlightRecord> record = records.next()) {
    const std::int64_t at = bounded_ns(static_cast<std::int64_t>(record->value));
    if (at < from_ns) continue;
    if (record->kind == FlightKind::on_cpu)
      kernel.switches.push_back({at, record->id,
                                 static_cast<std::uint16_t>(record->detail & FlightSwitch::kCpu),
                                 (record->detail & FlightSwitch::kReady) != 0});
    if (record->kind == FlightKind::page_fault)
      kernel.faults.push_back({at, record->id,
                               static_cast<std::uint16_t>(record->detail & FlightSwitch::kCpu),
                               (record->detail & FlightSwitch::kMajor) != 0});
  }
  const auto by_time = [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; };
  std::ranges::stable_sort(kernel.switches, by_time);
  std::ranges::stable_sort(kernel.faults, by_time);
  return kernel;
}

std::optional<FlownFrame> FlightView::unended_frame() const {
  const FlightFrameNow& now = file_.frame_now();
  const std::uint64_t since = now.since.load();
  if (since == 0) return std::nullopt;
  FlownFrame frame;
  frame.frame = now.frame.load();
  frame.wake_ns = frame.done_ns = clock_.of_ticks(since);
  return frame;
}

std::optional<FlownUnended> FlightView::unended(std::size_t ring) const {
  const rtsync::RunningJob& now = file_.head(ring).now;
  const std::uint32_t job = now.job.load();
  const std::uint64_t since = now.since.load();
  if (job >= file_.plan().jobs.size() || since == 0) return std::nullopt;
  return FlownUnended{job, clock_.of_ticks(since)};
}

}  // namespace tactus::executive
