// SPDX-License-Identifier: Apache-2.0
// What does a call of a model in a process of its own cost, beside a bare futex ping-pong of two processes? On the
// caller's CPU, and on another.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "executive/isolation/isolation.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/model/model_library.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "tests/benchmark/bare_ping_pong.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/rtsync/support/all_granted.hpp"

namespace {

using namespace tactus;
using benchmark::BarePingPong;
using benchmark::Contender;
using benchmark::Json;
using rtsync::CpuSet;
using rtsync::SchedPolicy;
using rtsync::ThreadSettings;

constexpr int kPriority = 20;

/// The servo's motor, in a process of its own.
class Motor {
 public:
  Motor(executive::Isolation& isolation, const std::string& name, const ThreadSettings& place)
      : model_(isolation.add({name, executive::find_library("servo", {}).string(), "dc_servo"},
                             executive::OnCrash::abort)),
        instance_(model_.description(), name, &model_) {
    (void)model_.prepare_memory(false, 0);
    (void)model_.process().place(place);
    for (std::size_t i = 0; i < instance_.jobs().size(); ++i)
      if (instance_.jobs()[i].name == "step") job_ = model_.job(i);
  }
  void call() {
    const tactus_call now{0, frame_++, 200e-6};
    if (executive::IsolatedModel::run(job_, &now) != 0) throw std::runtime_error(model_.process().how());
  }
  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const executive::Variable& variable : instance_.variables())
      bytes += variable.elements() * executive::size_of(variable.type);
    return bytes;
  }

 private:
  executive::IsolatedModel& model_;
  executive::ModelInstance instance_;
  void* job_ = nullptr;
  std::int64_t frame_ = 0;
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
  // SCHED_FIFO where there is a CPU left for everybody else.
  ThreadSettings here{"frame", CpuSet{cpus.back()}, cpus.size() > 1 ? SchedPolicy::fifo : SchedPolicy::other,
                      cpus.size() > 1 ? kPriority : 0};
  const bool granted = rtsync::all_granted(rtsync::apply_to_this_thread(here));
  if (!granted) here.policy = SchedPolicy::other, here.priority = 0;
  ThreadSettings there = here;
  if (cpus.size() > 1) there.cpus = CpuSet{cpus[cpus.size() - 2]};

  BarePingPong bare_here(here), bare_there(there);
  executive::Isolation isolation{rtsync::Nanoseconds{20'000'000'000}};
  Motor motor_here(isolation, "here", here), motor_there(isolation, "there", there);
  const int calls = quick ? 2'000 : 20'000;
  const std::vector<Contender> contenders{contender("bare, same CPU", bare_here, calls),
                                          contender("isolated, same CPU", motor_here, calls),
                                          contender("bare, another CPU", bare_there, calls),
                                          contender("isolated, another CPU", motor_there, calls)};
  const benchmark::Turns turns = benchmark::take_turns(contenders, quick ? 7 : 31);
  Json figures;
  for (std::size_t i = 0; i < contenders.size(); ++i)
    figures[contenders[i].name + " ns"] = benchmark::to_json(turns.of(i));
  figures["isolated to bare, same CPU"] = benchmark::to_json(turns.ratio(1, 0));
  figures["isolated to bare, another CPU"] = benchmark::to_json(turns.ratio(3, 2));
  figures["another CPU to the same, isolated"] = benchmark::to_json(turns.ratio(3, 1));
  figures["bytes of variables"] = motor_here.bytes();
  figures["policy"] = granted ? "SCHED_FIFO, the model's one below" : "SCHED_OTHER";
  figures["bar"] = "isolated at most 1.3 times bare";
  benchmark::answer("What does a call of an isolated model cost beside a bare futex ping-pong?", figures);
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark::run_benchmark(
      argc, argv, "A call of a model in a process of its own, beside a bare futex ping-pong.", run);
}
