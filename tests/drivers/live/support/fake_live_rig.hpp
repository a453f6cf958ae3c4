#pragma once
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "executive/driver/live.hpp"
#include "executive/model/variable_path.hpp"

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
      made->sequence = ++sequence_;
      made->frame = frame;
      made->sim_time_ns = facts_.frame.times(frame).count();
      made->rig.frames = frame + 1;
      made->rig.state = state_;
      made->bytes = bytes_;
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
    executive::LiveCommand command;
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
  std::string give(const executive::LiveCommandCall& call, const std::string& who) override {
    const std::lock_guard lock(mutex_);
    if (refusal_.empty()) commands_.push_back({call.command, call.value, who, call.name});
    return refusal_;
  }
  void episode(executive::EpisodeRequest request,
               std::function<void(const executive::EpisodeEnd&)> then) override {
    const std::lock_guard lock(mutex_);
    episodes_.push_back({std::move(request), std::move(then)});
  }

 private:
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
  std::string refusal_;
};

}  // namespace tactus::test
