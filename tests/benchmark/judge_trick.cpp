// SPDX-License-Identifier: Apache-2.0
// What does an event's condition that does not hold cost a frame, beside the same of NASA Trick?
#include <optional>
#include <string>
#include <vector>

#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/judge_cases.hpp"
#include "tests/benchmark/process.hpp"
#include "tests/benchmark/trick_sim.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::benchmark {
namespace {

constexpr int kEvents = 100;
/// A test has to expect something: this is asked at the end of the run alone.
constexpr const char* kExpects = "expect: { ends: { run: frames > 0 } }\n";

/// The servo rig with events, as `tactus run` has it. Its start is left out: it is that of a run of no frames.
class EventRig {
 public:
  EventRig() {
    std::string events;
    for (int i = 0; i < kEvents; ++i)
      // Each has a limit of its own: what is written twice is computed once.
      events += "  event_" + std::to_string(i) + ": { when: motor.current > " +
                std::to_string(1'000'000 + i) + " A, do: [ log it holds ] }\n";
    with_ = dir_.write("with.test.yaml", "test: with\nevents:\n" + events + kExpects).string();
    without_ = dir_.write("without.test.yaml", std::string("test: without\n") + kExpects).string();
  }
  double frame_ns(bool events, int frames) {
    return (cost(events, frames + 1) - cost(events, 1)) * 1e6 / static_cast<double>(frames);
  }

 private:
  double cost(bool events, int frames) {
    return run_process({TACTUS_COMMAND, "run", TACTUS_SERVO, "--test", events ? with_ : without_, "--set",
                        "record={}", "--frames", std::to_string(frames), "--no-realtime", "--quiet", "--out",
                        (dir_ / std::to_string(runs_++)).string()})
        .cpu_ms;
  }

  test::TempDir dir_;
  std::string with_, without_;
  int runs_ = 0;
};

/// Each figure is of a frame with events less one without.
double each_ns(const std::vector<double>& frames) { return (frames[0] - frames[1]) / kEvents; }

}  // namespace

void measure_trick(bool quick) {
  const char* const question = "what does an event whose condition does not hold cost a frame?";
  const int rounds = quick ? 3 : 9, our_frames = quick ? 100'000 : 300'000;
  struct Peer {
    const char* kind;
    int frames;
    std::vector<double> each{};
  };
  std::vector<Peer> peers{{"text", 2'000}, {"variable", 20'000}, {"job", 20'000}};
  EventRig rig;
  std::optional<TrickSim> trick;
  if (!TrickSim::home().empty()) trick.emplace();
  std::vector<double> ours;
  for (int i = 0; i < rounds; ++i) {  // in turns: a machine that is busy in a round is so for all
    ours.push_back(each_ns({rig.frame_ns(true, our_frames), rig.frame_ns(false, our_frames)}));
    for (Peer& peer : peers)
      if (trick)
        peer.each.push_back(each_ns(
            {trick->frame_ns(peer.kind, kEvents, peer.frames), trick->frame_ns(peer.kind, 0, peer.frames)}));
  }
  Json figures{{"events", kEvents}, {"event_ns", to_json(spread_of(ours))}};
  figures["trick"] = trick ? trick->version() : TrickSim::kNotTried;
  for (const Peer& peer : peers)
    if (trick) figures["trick_" + std::string(peer.kind) + "_ns"] = to_json(spread_of(peer.each));
  answer(question, figures);
}

}  // namespace tactus::benchmark
