// SPDX-License-Identifier: Apache-2.0
// What does a step of a functional mock-up unit cost in a rig, beside a C loop of the same calls, and what in a process of
// its own, beside a bare futex ping-pong? Ten inputs, ten outputs, FMI 2.0.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "drivers/fmi/abi/fmi2.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/isolation/isolation.hpp"
#include "executive/model/model_instance.hpp"
#include "tests/benchmark/bare_ping_pong.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/fmi_masters.hpp"
#include "tests/benchmark/stand.hpp"
#include "tests/drivers/fmi/one_unit.hpp"
#include "tests/rtsync/support/all_granted.hpp"

namespace {

using namespace tactus;
using benchmark::Contender;
using benchmark::Json;
using rtsync::ThreadSettings;
namespace abi = drivers::fmi::abi2;

constexpr double kStep = 0.001;
constexpr std::size_t kEach = 10;

void says_nothing(void*, const char*, abi::Status, const char*, const char*, ...) {}

/// The same unit without a rig.
class Plain {
 public:
  explicit Plain(const std::string& file) : library_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
    unit_ = find<abi::Instantiate>("fmi2Instantiate")("plain", abi::kCoSimulation, "{twenty}", "file:///",
                                                      &callbacks_, 0, 0);
    if (unit_ == nullptr) throw std::runtime_error("the unit was not made");
    set_ = find<abi::Set<double>>("fmi2SetReal");
    get_ = find<abi::Get<double>>("fmi2GetReal");
    step_ = find<abi::DoStep>("fmi2DoStep");
    for (std::size_t i = 0; i < kEach; ++i) {
      inputs_[i] = static_cast<abi::Reference>(i);
      outputs_[i] = static_cast<abi::Reference>(kEach + i);
      filled_[i] = &in_[i];
    }
  }
  void call() {
    for (double* const each : filled_) *each += 1;  // by pointers, as connections fill inputs
    if (set_(unit_, inputs_.data(), kEach, in_.data()) != abi::kOk ||
        step_(unit_, static_cast<double>(k_) * kStep, kStep, 1) != abi::kOk ||
        get_(unit_, outputs_.data(), kEach, out_.data()) != abi::kOk)
      throw std::runtime_error("the unit failed");
    ++k_;
    benchmark::keep(out_[0]);
  }

 private:
  template <class F>
  F* find(const char* name) const {
    return reinterpret_cast<F*>(::dlsym(library_, name));
  }
  void* library_;
  abi::Callbacks callbacks_{&says_nothing, &std::calloc, &std::free, nullptr, nullptr};
  void* unit_ = nullptr;
  abi::Set<double>* set_ = nullptr;
  abi::Get<double>* get_ = nullptr;
  abi::DoStep* step_ = nullptr;
  std::array<abi::Reference, kEach> inputs_{}, outputs_{};
  std::array<double, kEach> in_{}, out_{};
  std::array<double*, kEach> filled_{};
  long k_ = 0;
};

const executive::DeclaredJob& step_of(const executive::ModelInstance& instance) {
  for (const executive::DeclaredJob& each : instance.jobs())
    if (each.name == "step") return each;
  throw std::runtime_error("no job step");
}

/// The job of a rig.
class InRig {
 public:
  InRig() : unit_("twenty", "", kStep), job_(step_of(unit_.instance())), self_(unit_.instance().self()) {
    unit_.start();
    for (std::size_t i = 0; i < kEach; ++i) inputs_[i] = &unit_.value<double>("u" + std::to_string(i));
    out_ = &unit_.value<double>("y0");
  }
  void call() {
    for (double* const each : inputs_) *each += 1;
    const tactus_call now{k_++ * 1'000'000, k_, kStep};
    if (job_.run(self_, &now) != 0) throw std::runtime_error(unit_.failure());
    benchmark::keep(*out_);
  }

 private:
  test::OneUnit unit_;
  const executive::DeclaredJob& job_;
  void* self_;
  std::array<double*, kEach> inputs_{};
  double* out_ = nullptr;
  std::int64_t k_ = 1;
};

/// The same job in the frames of an executive, and those frames without it.
class InFrames {
 public:
  InFrames() : unit_("twenty", "", kStep) {
    unit_.start();
    benchmark::Jobs jobs;
    jobs.add(step_of(unit_.instance()).run, unit_.instance().self());
    with_.emplace(jobs.plan(false));
    timed_.emplace(jobs.plan(true));
  }
  double frame(benchmark::Stand& stand, int frames) { return stand.frames(frames / 8, frames) / frames; }
  benchmark::Stand& with() { return *with_; }
  benchmark::Stand& timed() { return *timed_; }
  benchmark::Stand& without() { return without_; }

 private:
  test::OneUnit unit_;
  std::optional<benchmark::Stand> with_, timed_;
  benchmark::Stand without_{benchmark::Jobs{}.plan(false)};
};

/// The same in a process of its own.
class Isolated {
 public:
  Isolated(executive::Isolation& isolation, const ThreadSettings& place)
      : model_(isolation.add(
            {"unit", executive::find_driver("model", "fmi").string(), "fmi",
             executive::DriverSection{
                 config::Document::from_text("rig.yaml", "unit: " + test::OneUnit::path("twenty")).root(),
                 "models.unit"}},
            executive::OnCrash::abort)),
        instance_(model_.description(), "unit", &model_) {
    (void)model_.prepare_memory(false, 0);
    (void)model_.process().place(place);
    model_.open({.rig = "benchmark"});
    for (std::size_t i = 0; i < instance_.jobs().size(); ++i) {
      if (instance_.jobs()[i].name == "step") job_ = model_.job(i);
      if (instance_.jobs()[i].name == "initialize") run(model_.job(i), {0, -1, 0});
    }
  }
  void call() {
    run(job_, {k_ * 1'000'000, k_, kStep});
    ++k_;
  }

 private:
  void run(void* job, const tactus_call& now) {
    if (executive::IsolatedModel::run(job, &now) != 0) throw std::runtime_error(instance_.take_failure());
  }
  executive::IsolatedModel& model_;
  executive::ModelInstance instance_;
  void* job_ = nullptr;
  std::int64_t k_ = 0;
};

template <class Peer>
Contender contender(const std::string& name, Peer& peer, int calls) {
  return {name, [&peer, calls] {
            const std::int64_t begin = benchmark::now_ns();
            for (int i = 0; i < calls; ++i) peer.call();
            return static_cast<double>(benchmark::now_ns() - begin) / calls;
          }};
}

void run(bool quick) {
  const std::vector<int> cpus = rtsync::allowed_cpus().cpus();
  ThreadSettings here{"frame", rtsync::CpuSet{cpus.back()},
                      cpus.size() > 1 ? rtsync::SchedPolicy::fifo : rtsync::SchedPolicy::other,
                      cpus.size() > 1 ? 20 : 0};
  const bool granted = rtsync::all_granted(rtsync::apply_to_this_thread(here));
  if (!granted) here.policy = rtsync::SchedPolicy::other, here.priority = 0;

  Plain plain(std::string(FMI_UNITS) + "/twenty/binaries/" TWO_PLATFORM "/twenty.so");
  InRig in_rig;
  InFrames frames;
  benchmark::BarePingPong bare(here);
  executive::Isolation isolation{rtsync::Nanoseconds{20'000'000'000}};
  Isolated isolated(isolation, here);
  const int calls = quick ? 2'000 : 20'000;
  const std::vector<Contender> contenders{
      contender("C loop", plain, 20 * calls),
      contender("step within a job", in_rig, 20 * calls),
      contender("bare ping-pong", bare, calls),
      contender("isolated", isolated, calls),
      {"frame with the job", [&] { return frames.frame(frames.with(), calls); }},
      {"frame with the job and its time", [&] { return frames.frame(frames.timed(), calls); }},
      {"frame without jobs", [&] { return frames.frame(frames.without(), calls); }}};
  const benchmark::Turns turns = benchmark::take_turns(contenders, quick ? 7 : 31);
  Json figures;
  for (std::size_t i = 0; i < contenders.size(); ++i)
    figures[contenders[i].name + " ns"] = benchmark::to_json(turns.of(i));
  figures["job to C loop"] = benchmark::to_json(turns.ratio(1, 0));
  std::vector<double> around,
      timed_around;  // of any job: the frame, without what an empty one takes and the job itself
  for (std::size_t r = 0; r < turns.figures[0].size(); ++r) {
    around.push_back(turns.figures[4][r] - turns.figures[6][r] - turns.figures[1][r]);
    timed_around.push_back(turns.figures[5][r] - turns.figures[6][r] - turns.figures[1][r]);
  }
  figures["job of any model around it ns"] = benchmark::to_json(benchmark::spread_of(around));
  figures["the same with job times ns"] = benchmark::to_json(benchmark::spread_of(timed_around));
  figures["isolated to bare"] = benchmark::to_json(turns.ratio(3, 2));
  figures["variables"] = 2 * kEach;
  figures["policy"] = granted ? "SCHED_FIFO, the unit's one below" : "SCHED_OTHER";
  figures["bar"] = "a step within a job at most 1.5 times the C loop, isolated at most 1.3 times bare";
  benchmark::answer("What does a step of a functional mock-up unit cost in a rig?", figures);
  benchmark::ask_masters(quick);
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark::run_benchmark(
      argc, argv, "A step of a functional mock-up unit, beside a C loop and a bare futex ping-pong.", run);
}
