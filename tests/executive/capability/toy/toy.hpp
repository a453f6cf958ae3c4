// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "executive/frame/frame_part.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive::toy_test {

/// What the toys of a test did, in order.
inline std::vector<std::string>& done() {
  static std::vector<std::string> all;
  return all;
}

/// How many toys the first frame has asked.
inline int places = 0;

/// A capability as small as can be: a hook in the frames, steps of the run, a row of summary.json. Adding it takes this
/// file, and its row in the list.
template <char kName>
class Toy final : public Capability {
 public:
  explicit Toy(RunContext& run) : run_(run) { run.executive->add(part_); }

  void prepare() override { note("prepare"); }
  bool join() override { return step("join"); }
  bool initialized() override { return step("initialized"); }
  void start() override { note("start"); }
  void ready() override { note("ready"); }
  void ended() override { note("ended"); }
  void leave() override { note("leave"); }
  void after_jobs() override { note("after_jobs"); }
  void finish() override {
    note("finish");
    run_.add_reason(std::string("toy ") + kName + " was there");
  }
  void summarize(config::Json& all, Summary what) const override {
    if (what == Summary::ended) all[std::string("toy_") + kName] = {{"frames", part_.frames}};
  }

  /// Its place among the toys that the first frame asked: 1, 2.
  int place() const { return part_.place; }

  /// The step that fails; empty: none.
  static inline std::string fails;

 private:
  struct Part final : FramePart {
    void end_frame(std::int64_t k) TACTUS_RT override {
      if (k == 0) place = ++places;
      ++frames;
    }
    int place = 0;
    std::int64_t frames = 0;
  };

  void note(const std::string& what) { done().push_back(what + " " + kName); }
  bool step(const std::string& what) {
    note(what);
    if (fails != what) return true;
    run_.end = {Outcome::failed, "the toy failed to " + what, 0};
    run_.executive->abandon();
    return false;
  }

  RunContext& run_;
  Part part_;
};

}  // namespace tactus::executive::toy_test
