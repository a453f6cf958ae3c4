// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "executive/driver/live.hpp"
#include "executive/model/variable_path.hpp"
#include "executive/run_base/live_history.hpp"

namespace tactus::test {

/// A rig without frames: the test says when one ends, and what it left. What was asked of it is kept.
///
/// Threads  any; callbacks come on the thread that calls end_frame(), answer_write() or answer_episode().
class FakeLiveRig final : public executive::LiveRig {
 public:
  FakeLiveRig() {
    facts_.rig = "fake";
    facts_.frame = rtsync::Period{1'000'000, 1};
  }

  /// Before anybody looks at it.
  template <class T>
  void add(const std::string& name, tactus_type type, std::vector<T> values, bool array = false,
           tactus_role role = TACTUS_STATE, const std::string& unit = "",
           executive::LiveRights rights = executive::LiveRights::full, const std::string& reason = "") {
    executive::Variable& made = declared_.emplace_back();
    made.name = name;
    made.role = role;
    made.type = type;
    made.count = array ? static_cast<std::uint32_t>(values.size()) : 0;
    made.unit_text = unit;
    made.unit = config::Unit::parse(unit);
    const std::size_t size = values.size() * sizeof(T);
    variables_.push_back({&made, nullptr, rights, reason, bytes_.size()});
    bytes_.resize(bytes_.size() + size);
    std::memcpy(bytes_.data() + variables_.back().offset, values.data(), size);
  }
  executive::Variable& declared(std::size_t index) { return declared_[index]; }
  executive::LiveFacts& change_facts() { return facts_; }
  void set_state(executive::State state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }
  template <class T>
  void put(std::size_t variable, T value, std::size_t element = 0) {
    const std::lock_guard lock(mutex_);
    std::memcpy(bytes_.data() + variables_[variable].offset + element * sizeof(T), &value, sizeof(T));
  }

  /// Frame `frame` has ended: whoever waits for a snapshot gets it.
  void end_frame(std::int64_t frame) {
    std::vector<std::function<void(executive::LiveSnapshotPtr)>> waiting;
    auto made = std::make_shared<executive::LiveSnapshot>();
    {
      const std::lock_guard lock(mutex_);
      waiting.swap(waiting_);
      std::erase_if(rhythms_, [&](auto& asked) {
        if (frame % asked.first != 0 && state_ != executive::State::pause) return false;
        waiting.push_back(std::move(asked.second));
        return true;
      });
      last_frame_ = frame;
      made->sequence = ++sequence_;
      made->frame = frame;
      made->sim_time_ns = facts_.frame.times(frame).count();
      made->rig.frames = frame + 1;
      made->rig.state = state_;
      made->bytes = bytes_;
      std::erase_if(followers_, [](const auto& one) { return one.expired(); });
      for (const auto& one : followers_)
        if (const auto ring = one.lock()) ring->take(frame, variables_, bytes_);
    }
    for (const auto& then : waiting) then(made);
  }
  /// The run is over.
  void end() {
    std::vector<std::function<void(executive::LiveSnapshotPtr)>> waiting;
    {
      const std::lock_guard lock(mutex_);
      waiting.swap(waiting_);
      for (auto& [every, then] : rhythms_) waiting.push_back(std::move(then));
      rhythms_.clear();
    }
    for (const auto& then : waiting) then(nullptr);
  }
  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  /// Those who wait for a multiple.
  std::size_t waiting_for_multiples() const {
    const std::lock_guard lock(mutex_);
    return rhythms_.size();
  }

  struct Written {
    executive::LiveBatch batch;
    std::function<void(const executive::LiveDone&)> then;
  };
  struct Ordered {
    executive::Command command;
    std::int64_t value;
    std::string who;
    std::string name{};
  };
  struct Asked {
    executive::EpisodeRequest request;
    std::function<void(const executive::EpisodeEnd&)> then;
  };
  /// What was asked since the last call.
  std::vector<Written> take_written() { return take(written_); }
  std::vector<Ordered> take_commands() { return take(commands_); }
  std::vector<Asked> take_episodes() { return take(episodes_); }
  /// The next batches and commands are refused for this; empty: they are not.
  void refuse(std::string why) {
    const std::lock_guard lock(mutex_);
    refusal_ = std::move(why);
  }

  // What is told of the run.
  executive::LiveHistory& history(executive::LiveList list) { return lists_[static_cast<std::size_t>(list)]; }
  void set_forces(std::vector<executive::LiveForce> forces) {
    const std::lock_guard lock(mutex_);
    forces_ = std::move(forces);
    ++forces_changed_;
  }
  void object(executive::Command command, std::string why) {
    const std::lock_guard lock(mutex_);
    problems_[command] = std::move(why);
  }
  /// Before anybody looks at it.
  std::vector<executive::LiveOutput>& change_outputs() { return outputs_; }
  std::map<std::size_t, executive::LiveWriter>& change_writers() { return writers_; }
  /// What the run tells of itself; without it is over.
  void set_reports(std::function<config::Json(executive::LiveReport)> make) { reports_ = std::move(make); }
  void set_traces(std::function<executive::LiveTrace(const executive::LiveTraceCall&)> make) {
    traces_ = std::move(make);
  }
  /// Rings of streams hold so many frames from now on.
  void set_ring(std::size_t frames) {
    const std::lock_guard lock(mutex_);
    ring_ = frames;
  }
  /// Frames that did not fit a ring.
  std::int64_t frames_lost() const {
    const std::lock_guard lock(mutex_);
    std::int64_t lost = 0;
    for (const auto& one : followers_)
      if (const auto ring = one.lock()) lost += ring->lost();
    return lost;
  }
  /// Those that are open.
  std::size_t followers() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(followers_.begin(), followers_.end(), [](const auto& one) { return !one.expired(); }));
  }

  void report(executive::LiveReport which, std::function<void(config::Json)> then) override {
    then(reports_ ? reports_(which) : config::Json());
  }
  void trace(const executive::LiveTraceCall& call, std::function<void(executive::LiveTrace)> then) override {
    if (traces_) return then(traces_(call));
    LiveRig::trace(call, std::move(then));
  }
  executive::LiveEntries entries(executive::LiveList list, std::int64_t after,
                                 std::size_t most) const override {
    return lists_[static_cast<std::size_t>(list)].after(after, most);
  }
  std::vector<executive::LiveSwitch> switches() const override { return switches_; }
  std::vector<executive::LiveSwitch>& change_switches() { return switches_; }
  std::string turn(const std::string& kind, const std::string& name, bool on, const std::string&) override {
    for (executive::LiveSwitch& each : switches_)
      if (each.kind == kind && each.name == name)
        each.is = on ? executive::LiveSwitch::Is::on : executive::LiveSwitch::Is::off;
    return "";
  }
  std::int64_t last_entry(executive::LiveList list) const override {
    return lists_[static_cast<std::size_t>(list)].last();
  }
  std::vector<executive::LiveForce> forces() const override {
    const std::lock_guard lock(mutex_);
    return forces_;
  }
  std::int64_t forces_changed() const override {
    const std::lock_guard lock(mutex_);
    return forces_changed_;
  }
  std::string command_problem(executive::Command command) const override {
    const std::lock_guard lock(mutex_);
    const auto found = problems_.find(command);
    return found == problems_.end() ? "" : found->second;
  }
  const std::vector<executive::LiveOutput>& outputs() const override { return outputs_; }
  executive::LiveWriter writer_of(std::size_t variable) const override {
    const auto found = writers_.find(variable);
    return found == writers_.end() ? executive::LiveWriter{} : found->second;
  }
  std::unique_ptr<executive::LiveFrames> follow(const std::vector<executive::LiveRef>& refs,
                                                std::string& problem) override {
    const std::lock_guard lock(mutex_);
    if (!refusal_.empty()) return problem = refusal_, nullptr;
    auto ring = std::make_shared<Ring>(refs, ring_);
    followers_.push_back(ring);
    return std::make_unique<Followed>(std::move(ring));
  }

  const executive::LiveFacts& facts() const override { return facts_; }
  const std::vector<executive::LiveVariable>& variables() const override { return variables_; }
  std::optional<executive::LiveRef> find(std::string_view name, std::string& problem) const override {
    const auto path = executive::VariablePath::parse(name);
    executive::LiveRef ref;
    ref.indexed = path && path->index;
    for (; path && ref.variable < variables_.size(); ++ref.variable) {
      const executive::Variable& variable = *variables_[ref.variable].variable;
      if (variable.name != path->name) continue;
      std::string wrong;
      const auto element = path->element_of(variable, wrong);
      if (!element) break;
      ref.first = *element;
      ref.elements = ref.indexed ? 1 : static_cast<std::uint32_t>(variable.elements());
      return ref;
    }
    problem = "there is no '" + std::string(name) + "'";
    return std::nullopt;
  }
  executive::State state() const override {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  std::int64_t last_frame() const override {
    const std::lock_guard lock(mutex_);
    return last_frame_;
  }
  /// Frames run that nobody hears of.
  void set_last_frame(std::int64_t frame) {
    const std::lock_guard lock(mutex_);
    last_frame_ = frame;
  }
  void next_snapshot(std::function<void(executive::LiveSnapshotPtr)> then) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(then));
  }
  void next_snapshot_of_multiple(std::int64_t every,
                                 std::function<void(executive::LiveSnapshotPtr)> then) override {
    const std::lock_guard lock(mutex_);
    rhythms_.emplace_back(every, std::move(then));
  }
  std::vector<std::string> write(executive::LiveBatch batch,
                                 std::function<void(const executive::LiveDone&)> then) override {
    const std::lock_guard lock(mutex_);
    if (!refusal_.empty()) return {refusal_};
    written_.push_back({std::move(batch), std::move(then)});
    return {};
  }
  std::string give(const executive::CommandCall& call, const std::string& who) override {
    const std::lock_guard lock(mutex_);
    if (refusal_.empty()) commands_.push_back({call.command, call.value, who, call.name});
    return refusal_;
  }
  std::string give_until_done(const executive::CommandCall& call, const std::string& who,
                              std::function<void(const std::string&)> then) override {
    std::string why = give(call, who);
    if (!why.empty()) return why;
    {
      const std::lock_guard lock(mutex_);
      if (resets_take_time_) return returning_.push_back(std::move(then)), "";
    }
    then("");
    return "";
  }
  /// Resets and loads are done when answer_return() says so.
  void let_resets_take_time() {
    const std::lock_guard lock(mutex_);
    resets_take_time_ = true;
  }
  /// They are done, or failed.
  void answer_return(const std::string& failed) {
    std::vector<std::function<void(const std::string&)>> all;
    {
      const std::lock_guard lock(mutex_);
      all.swap(returning_);
    }
    for (const auto& then : all) then(failed);
  }
  void episode(executive::EpisodeRequest request,
               std::function<void(const executive::EpisodeEnd&)> then) override {
    const std::lock_guard lock(mutex_);
    episodes_.push_back({std::move(request), std::move(then)});
  }

 private:
  /// What one stream has not read.
  class Ring {
   public:
    Ring(std::vector<executive::LiveRef> refs, std::size_t most) : refs_(std::move(refs)), most_(most) {}
    void take(std::int64_t frame, const std::vector<executive::LiveVariable>& variables,
              const std::vector<std::byte>& bytes) {
      const std::lock_guard lock(mutex_);
      const std::uint64_t number = taken_++;
      if (rows_.size() >= most_) return void(++lost_);
      auto& row = rows_.emplace_back(Kept{frame, number, {}});
      for (const executive::LiveRef& ref : refs_) {
        const executive::LiveVariable& live = variables[ref.variable];
        const std::size_t each = executive::size_of(live.variable->type);
        const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(live.offset + ref.first * each);
        row.bytes.insert(row.bytes.end(), from, from + static_cast<std::ptrdiff_t>(ref.elements * each));
      }
    }
    std::int64_t lost() {
      const std::lock_guard lock(mutex_);
      return lost_;
    }
    std::optional<executive::LiveFrames::Row> front() {
      const std::lock_guard lock(mutex_);
      if (rows_.empty()) return std::nullopt;
      return executive::LiveFrames::Row{rows_.front().frame, rows_.front().number,
                                        rows_.front().bytes.data()};
    }
    void release() {
      const std::lock_guard lock(mutex_);
      rows_.pop_front();
    }

   private:
    struct Kept {
      std::int64_t frame;
      std::uint64_t number;
      std::vector<std::byte> bytes;
    };
    const std::vector<executive::LiveRef> refs_;
    const std::size_t most_;
    std::mutex mutex_;
    std::deque<Kept> rows_;
    std::uint64_t taken_ = 0;
    std::int64_t lost_ = 0;
  };
  class Followed final : public executive::LiveFrames {
   public:
    explicit Followed(std::shared_ptr<Ring> ring) : ring_(std::move(ring)) {}
    std::optional<Row> front() override { return ring_->front(); }
    void release() override { ring_->release(); }

   private:
    const std::shared_ptr<Ring> ring_;
  };

  template <class T>
  std::vector<T> take(std::vector<T>& from) {
    const std::lock_guard lock(mutex_);
    return std::exchange(from, {});
  }

  mutable std::mutex mutex_;
  executive::LiveFacts facts_;
  std::deque<executive::Variable> declared_;
  std::vector<executive::LiveVariable> variables_;
  std::vector<std::byte> bytes_;
  executive::State state_ = executive::State::step_end;
  std::int64_t sequence_ = 0;
  std::vector<std::function<void(executive::LiveSnapshotPtr)>> waiting_;
  std::vector<std::pair<std::int64_t, std::function<void(executive::LiveSnapshotPtr)>>> rhythms_;
  std::vector<Written> written_;
  std::vector<Ordered> commands_;
  std::vector<Asked> episodes_;
  std::vector<std::function<void(const std::string&)>> returning_;
  bool resets_take_time_ = false;
  std::int64_t last_frame_ = -1;
  std::string refusal_;
  std::array<executive::LiveHistory, executive::kLiveLists> lists_;
  std::vector<executive::LiveSwitch> switches_{};
  std::vector<executive::LiveForce> forces_;
  std::int64_t forces_changed_ = 0;
  std::map<executive::Command, std::string> problems_;
  std::vector<executive::LiveOutput> outputs_;
  std::map<std::size_t, executive::LiveWriter> writers_;
  std::function<config::Json(executive::LiveReport)> reports_;
  std::function<executive::LiveTrace(const executive::LiveTraceCall&)> traces_;
  std::size_t ring_ = 1000;
  std::vector<std::weak_ptr<Ring>> followers_;
};

}  // namespace tactus::test
