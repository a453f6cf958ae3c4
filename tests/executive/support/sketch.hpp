// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A plan in plain data, of which both an Executive and the reference are made. Its models mix all that they
/// can see into hashes: whatever happens in another order, at another time or with other data shows in every
/// later value.
#include <tactus/model.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "executive/model/job_class.hpp"
#include "executive/plan/plan.hpp"
#include "tests/executive/support/test_namespaces.hpp"

namespace tactus::executive::test {

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29);
}

/// What a model of a sketch consists of.
struct Cell {
  static constexpr std::size_t kInputs = 3;
  std::uint64_t in[kInputs] = {};
  std::uint64_t seen = 0;  ///< all that its jobs ever saw
  std::uint64_t out = 0;
  double x = 1;
  double dx = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

struct SketchCell {
  std::size_t thread = 0;
  std::optional<std::size_t> loop{};
};

struct SketchJob {
  std::size_t cell = 0;
  tactus_job_class job_class = TACTUS_SCHEDULED;
  unsigned phase = 60000;
  rtsync::Period cycle{};
  rtsync::Period first{};
  std::optional<rtsync::Period> stop{};
  bool enabled = true;
  bool dynamic = false;
  std::size_t thread = 0;                 ///< as PlannedJob::thread
  std::optional<std::size_t> switches{};  ///< a job that it switches on and off
  bool commands = false;                  ///< asks for pauses, steps, ...
};

struct SketchWire {
  std::size_t from = 0, to = 0;  ///< cells
  std::size_t input = 0;
  bool delayed = false;
};

struct SketchLoop {
  std::vector<std::size_t> cells;
  rtsync::Period cycle;
  IntegrationMethod method = IntegrationMethod::rk4;
  std::size_t thread = 0;
};

struct SketchThread {
  ThreadKind kind = ThreadKind::scheduled;
  std::int64_t frames = 0;  ///< in a period
  rtsync::WaitMode wait = rtsync::WaitMode::adaptive;
};

/// A call, and what the model had seen after it.
struct Happened {
  std::size_t job = 0;
  std::int64_t time_ns = 0;
  std::int64_t frame = 0;
  std::uint64_t value = 0;
  friend bool operator==(const Happened&, const Happened&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Happened& h) {
    return out << "job " << h.job << " at " << h.time_ns << " frame " << h.frame << " value " << h.value;
  }
};
using Trace = std::vector<Happened>;

struct Sketch {
  rtsync::Period frame{1'000'000, 1};
  rtsync::Period freeze_frame{1'000'000, 1};
  rtsync::Period record{1'000'000, 1};  ///< how often all outputs are recorded
  std::vector<SketchCell> cells{};
  std::vector<SketchJob> jobs{};
  std::vector<SketchWire> wires{};
  std::vector<SketchLoop> loops{};
  std::vector<SketchThread> threads{};
  std::vector<TimedCommand> commands{};
  std::int64_t frames = 20;

  bool is_background(std::size_t thread) const {
    return thread != 0 && threads[thread - 1].kind != ThreadKind::scheduled;
  }
  rtsync::Period period(std::size_t thread) const {
    return {frame.num() * threads[thread - 1].frames, frame.den()};
  }
  std::size_t recording() const { return jobs.size(); }  ///< its number in traces
  static std::string cell_name(std::size_t cell) { return "c" + std::to_string(cell); }
  static std::string part_name(std::size_t job) { return "j" + std::to_string(job); }
  std::string job_name(std::size_t job) const { return cell_name(jobs[job].cell) + "." + part_name(job); }
  /// The thread a job is called on.
  std::size_t home(std::size_t job) const {
    if (job == recording()) return 0;
    const SketchJob& j = jobs[job];
    if (is_integration(j.job_class)) return loops[*cells[j.cell].loop].thread;
    const bool of_frame = j.job_class == TACTUS_TOP_OF_FRAME || j.job_class == TACTUS_END_OF_FRAME;
    return is_cyclic(j.job_class) || (of_frame && is_background(j.thread)) ? j.thread : 0;
  }
};

/// For people who look into a failure.
inline std::ostream& operator<<(std::ostream& out, const Sketch& s) {
  const auto print = [&](const rtsync::Period& p) -> std::ostream& {
    return out << p.num() << "/" << p.den();
  };
  print(s.frame) << " ns, freeze frame ";
  print(s.freeze_frame) << " ns, " << s.frames << " frames; threads";
  for (const SketchThread& t : s.threads) out << " " << (t.kind == ThreadKind::scheduled ? 0 : t.frames);
  out << "\n";
  for (std::size_t i = 0; i < s.jobs.size(); ++i) {
    const SketchJob& j = s.jobs[i];
    out << s.job_name(i) << " " << name_of(j.job_class) << "/" << j.phase << " every ";
    print(j.cycle) << " from ";
    print(j.first);
    if (j.stop) out << " to " << j.stop->num() << "/" << j.stop->den();
    out << " thread " << j.thread << (j.enabled ? "" : " off") << (j.dynamic ? " dynamic" : "")
        << (j.commands ? " commands" : "");
    if (j.switches) out << " switches j" << *j.switches;
    out << "\n";
  }
  for (const SketchLoop& l : s.loops) {
    out << "loop on thread " << l.thread << " every ";
    print(l.cycle) << " of";
    for (const std::size_t cell : l.cells) out << " c" << cell;
    out << "\n";
  }
  for (const SketchWire& w : s.wires)
    out << "c" << w.from << (w.delayed ? " ~> c" : " -> c") << w.to << " in" << w.input << "\n";
  for (const TimedCommand& o : s.commands)
    out << "command " << static_cast<int>(o.call.command) << " at " << o.at.count() << " " << o.call.name
        << "\n";
  return out;
}

/// The same with all scheduled threads' jobs on main.
inline Sketch folded(Sketch sketch) {
  std::vector<std::size_t> now(sketch.threads.size() + 1, 0);
  std::vector<SketchThread> left;
  for (std::size_t t = 1; t <= sketch.threads.size(); ++t) {
    if (!sketch.is_background(t)) continue;
    left.push_back(sketch.threads[t - 1]);
    now[t] = left.size();
  }
  for (SketchCell& cell : sketch.cells) cell.thread = now[cell.thread];
  for (SketchJob& job : sketch.jobs) job.thread = now[job.thread];
  for (SketchLoop& loop : sketch.loops) loop.thread = now[loop.thread];
  sketch.threads = left;
  return sketch;
}

/// What a job may do beside reading and writing its cell.
class Deeds {
 public:
  virtual ~Deeds() = default;
  virtual bool call_at(std::size_t job, std::int64_t sim_time_ns) = 0;
  virtual void enable(std::size_t job, bool on) = 0;
  virtual void request(Command command, std::int64_t value) = 0;
  virtual void wrote(const Happened& happened) = 0;
};

/// Sometimes asks for something; in a freeze for its end, sooner or later.
inline void give_commands(const Sketch& sketch, const SketchJob& job, const tactus_call& call,
                          std::uint64_t h, Deeds& deeds) {
  if (job.job_class == TACTUS_FREEZE && call.frame >= 3) return deeds.request(Command::resume, 0);
  const auto some = static_cast<std::int64_t>(h >> 8 & 7);
  switch (h >> 40 & 31) {
    case 0:
    case 1:
      return deeds.request(Command::pause, 0);
    case 2:
    case 3:
      return deeds.request(Command::step, 1 + some);
    case 4: {  // in the past, now or later
      const std::int64_t frame = job.job_class == TACTUS_FREEZE ? some : call.frame + some - 2;
      return deeds.request(Command::run_until, std::max<std::int64_t>(sketch.frame.times(frame).count(), 0));
    }
    case 5:
      return deeds.request(Command::resume, 0);
    default:
      return;
  }
}

/// One call of a job.
inline void perform(const Sketch& sketch, std::size_t index, Cell& cell, const tactus_call& call,
                    Deeds& deeds) {
  const SketchJob& job = sketch.jobs[index];
  std::uint64_t h = mix(cell.seen, index + 1);
  h = mix(h, static_cast<std::uint64_t>(call.sim_time_ns));
  h = mix(h, static_cast<std::uint64_t>(call.frame));
  h = mix(h, std::bit_cast<std::uint64_t>(call.dt));
  for (const std::uint64_t in : cell.in) h = mix(h, in);
  h = mix(h, std::bit_cast<std::uint64_t>(cell.x));
  if (job.job_class == TACTUS_DERIVATIVE)
    cell.dx =
        static_cast<double>(cell.in[0] % 1000) - 3 * cell.x + 1e-6 * static_cast<double>(call.sim_time_ns);
  if (job.dynamic) {
    const bool frozen = is_freeze_cyclic(job.job_class);
    const auto scale =
        static_cast<std::uint64_t>((frozen ? sketch.freeze_frame : sketch.frame).floor().count());
    if ((h >> 20 & 7) != 0)
      h = mix(
          h, deeds.call_at(index, call.sim_time_ns + 1 + static_cast<std::int64_t>(h % (2 * scale))) ? 1 : 2);
    if ((h >> 24 & 7) == 0)
      h = mix(h,
              deeds.call_at(index, call.sim_time_ns - static_cast<std::int64_t>(h & 1)) ? 1 : 2);  // refused
  }
  if (job.switches) deeds.enable(*job.switches, (h >> 12 & 3) != 0);
  if (job.commands) give_commands(sketch, job, call, h, deeds);
  cell.seen = h;
  cell.out = mix(h, 7);
  deeds.wrote({index, call.sim_time_ns, call.frame, h});
}

/// What the recording takes at its times: the outputs of all models whose threads keep step with it.
inline std::uint64_t recorded(const Sketch& sketch, const Cell* cells) {
  std::uint64_t h = 0;
  for (std::size_t i = 0; i < sketch.cells.size(); ++i)
    if (!sketch.is_background(sketch.cells[i].thread))
      h = mix(mix(h, cells[i].out), std::bit_cast<std::uint64_t>(cells[i].x));
  return h;
}

/// The same by job, for plans that differ in nothing but their threads.
inline std::vector<Trace> by_job(const Sketch& sketch, const std::vector<Trace>& by_thread) {
  std::vector<Trace> sorted(sketch.jobs.size() + 1);
  for (const Trace& trace : by_thread)
    for (const Happened& happened : trace) sorted[happened.job].push_back(happened);
  return sorted;
}

}  // namespace tactus::executive::test
