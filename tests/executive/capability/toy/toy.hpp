// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/plan/capability_section.hpp"
#include "executive/plan/draft.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive::toy_test {

/// What the toys of a test did, in order.
inline std::vector<std::string>& done() {
  static std::vector<std::string> all;
  return all;
}

/// How many toys the first frame has asked.
inline int places = 0;

/// What toys have in the rig file.
struct ToySettings {
  struct Part {
    Origin origin;
    std::int64_t stride = 1;  ///< frames from one count to the next
    Located<std::string> watched{};
    bool operator==(const Part&) const = default;
  };
  Part toy;
  bool quiet = false;
  bool operator==(const ToySettings&) const = default;
};

inline std::vector<config::Field<RigSettings>> toy_keys() {
  using P = ToySettings::Part;
  const config::Fields<P> part{"A toy: counts frames.",
                               {
                                   config::located(&P::origin),
                                   config::optional("stride", &P::stride, config::count("frames", 1, 100),
                                                    "frames from one count to the next"),
                                   config::optional("watched", &P::watched, config::length(0, 100),
                                                    "variable to name in summary.json"),
                               }};
  return {
      rig_key(config::optional("toy", &ToySettings::toy, part, "toys")),
      rig_key(config::optional("quiet_toys", &ToySettings::quiet, "add nothing to the reason of the end"))};
}

/// The plan of toys: a variable that is not there is a problem at its place.
inline void plan_toys(Draft& draft) {
  const auto& watched = draft.settings.of<ToySettings>().toy.watched;
  if (!watched.value.empty()) (void)draft.find_variable(watched);
}

inline constexpr CapabilitySection kToySection{&toy_keys, nullptr, &plan_toys};

/// A capability as small as can be: keys of the rig file, a hook in the frames, steps of the run, a row of summary.json.
/// Adding it takes this file, and its row in the list.
template <char kName>
class Toy final : public Capability {
 public:
  explicit Toy(RunContext& run) : run_(run) {
    part_.stride = run.rig.settings().of<ToySettings>().toy.stride;
    run.executive->add(part_);
  }

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
    if (!run_.rig.settings().of<ToySettings>().quiet)
      run_.add_reason(std::string("toy ") + kName + " was there");
  }
  void summarize(config::Json& all, Summary what) const override {
    if (what != Summary::ended) return;
    config::Json row = {{"frames", part_.frames}};
    const std::string& watched = run_.rig.settings().of<ToySettings>().toy.watched.value;
    if (!watched.empty()) row["watched"] = watched;
    all[std::string("toy_") + kName] = row;
  }

  /// Its place among the toys that the first frame asked: 1, 2.
  int place() const { return part_.place; }

  /// The step that fails; empty: none.
  static inline std::string fails;

 private:
  struct Part final : FramePart {
    void end_frame(std::int64_t k) TACTUS_RT override {
      if (k == 0) place = ++places;
      if (k % stride == 0) ++frames;
    }
    int place = 0;
    std::int64_t frames = 0;
    std::int64_t stride = 1;
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
