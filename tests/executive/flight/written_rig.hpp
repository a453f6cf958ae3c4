// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "executive/flight/flight_trace.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::flight_test {

inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::int64_t kStart = 1'000'000'000'000;  // of frame 0, on every clock

inline FlightPlan plan_in(const std::filesystem::path& folder) {
  FlightPlan made;
  made.folder = folder.string();
  made.rig = "tried";
  made.jobs = {"a.step", "b.step", "c.step"};
  made.threads = {{"main", 1e5}, {"side", 1e5}};
  made.period_ns = kMs;
  made.before_ns = 100 * kMs;
  made.after_ns = 10 * kMs;
  made.most_bytes = 16 << 20;
  return made;
}

inline constexpr std::int32_t kMainTid = 500'001, kSideTid = 500'002, kOtherTid = 500'003;

/// A rig that is written by hand: ticks are nanoseconds, main runs a and b, and side c.
class WrittenRig {
 public:
  explicit WrittenRig(const FlightPlan& plan) : file(FlightFile::make(plan, 0)) {
    for (std::size_t i = 0; i <= file->rings(); ++i) rings.emplace_back(file->head(i), file->cells(i));
    file->head(0).tid.store(kMainTid);
    file->head(1).tid.store(kSideTid);
  }
  ~WrittenRig() {
    if (file) file->remove();
  }

  /// Frame k, woken `late` after its slot; a takes `a_ns`, b 100 us.
  void frame(std::int64_t k, std::int64_t a_ns = 200'000,
             rtsync::OverrunCause cause = rtsync::OverrunCause::none, std::int64_t late = 0) {
    frame_at(k, k, a_ns, cause, late);
  }
  /// The same in slot number `n` since the start.
  void frame_at(std::int64_t k, std::int64_t n, std::int64_t a_ns,
                rtsync::OverrunCause cause = rtsync::OverrunCause::none, std::int64_t late = 0) {
    const std::int64_t slot = kStart + n * kMs;
    const std::int64_t wake = slot + late;
    const std::int64_t work = a_ns + 110'000;
    side(wake);
    rings[0].begin(20);
    put({wake + 5'000, UINT32_MAX, 0, FlightKind::idle});
    put({wake + 5'000 + a_ns, 0, 0, FlightKind::job});
    put({wake + 105'000 + a_ns, 1, 0, FlightKind::job});
    rings[0].end();
    rings[0].begin(20);
    if (k % 10 == 0) {
      put({slot, 0, 0, FlightKind::anchor_ticks});
      put({slot, 0, 0, FlightKind::anchor_kernel});
      put({slot, 0, 0, FlightKind::anchor_rig});
    }
    if (before_frame) before_frame(k);
    put({k, 0, static_cast<std::uint16_t>(FlightFlags::kPaced | static_cast<unsigned>(cause)),
         FlightKind::frame});
    put({wake + work + stamp_behind, 0, 0, FlightKind::stamp});
    put({slot, 0, 0, FlightKind::slot});
    put({late, 0, 0, FlightKind::late});
    put({work, 0, 0, FlightKind::work});
    put({kMs - late - work, 0, 0, FlightKind::slack});
    if (behind_frame) behind_frame(k);
    rings[0].end();
  }
  /// Why frame k was late; job a took `took`.
  void cause(std::int64_t k, rtsync::Cause cause, std::uint32_t job, bool of_wake = false) {
    put({k, job,
         static_cast<std::uint16_t>(static_cast<unsigned>(cause) | (of_wake ? FlightCause::kOfWake : 0U)),
         FlightKind::cause});
  }
  void figure(FlightFigure which, std::int64_t value) {
    put({value, 0, static_cast<std::uint16_t>(which), FlightKind::figure});
  }
  /// The kernel's: a CPU is with that thread from then on, in ns since the start.
  void on_cpu(std::int64_t ns, std::uint16_t cpu, std::uint32_t thread, bool ready = false) {
    kernel({kStart + ns, thread, static_cast<std::uint16_t>(cpu | (ready ? FlightSwitch::kReady : 0U)),
            FlightKind::on_cpu});
  }
  void page_faults(std::int64_t ns, std::uint16_t thread, std::uint32_t count, bool major = false) {
    kernel({kStart + ns, count, static_cast<std::uint16_t>(thread | (major ? FlightSwitch::kMajor : 0U)),
            FlightKind::page_fault});
  }
  void name(std::size_t place, std::int32_t tid, std::int32_t process, const std::string& text) {
    FlightName name;
    name.tid = tid;
    name.process = process;
    name.priority = 20;
    text.copy(name.name, sizeof name.name - 1);
    text.copy(name.process_name, sizeof name.process_name - 1);
    file->names()[place].put(name);
  }
  std::uint64_t last() const { return rings[0].count() - 1; }
  TraceResult write(const test::TempDir& dir, std::optional<std::uint64_t> about = {}) const {
    return write_trace(FlightView(*file), {dir.path(), "tried out", about});
  }

  struct Put {
    std::int64_t value;
    std::uint32_t id;
    std::uint16_t detail;
    FlightKind kind;
  };
  void put(const Put& record, std::size_t ring = 0) {
    rings[ring].put({static_cast<std::uint64_t>(record.value), record.id, record.detail, record.kind});
  }

  std::unique_ptr<FlightFile> file;
  std::deque<FlightRing> rings;  // the last one is the kernel's
  std::function<void(std::int64_t)> before_frame, behind_frame;
  std::int64_t stamp_behind = 1'000;  // the end of a frame, in ns

 private:
  void kernel(const Put& record) {
    rings.back().begin(1);
    put(record, rings.size() - 1);
    rings.back().end();
  }
  void side(std::int64_t wake) {
    rings[1].begin(2);
    rings[1].put({static_cast<std::uint64_t>(wake + 20'000), UINT32_MAX, 0, FlightKind::idle});
    rings[1].put({static_cast<std::uint64_t>(wake + 70'000), 2, 0, FlightKind::job});
    rings[1].end();
  }
};

}  // namespace tactus::executive::flight_test
