// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A federation of engines on one thread: streams with random delays, users with random habits, and an
/// observer who knows everything.
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "drivers/silkit/core/engine.hpp"
#include "drivers/silkit/net/relay_pairs.hpp"
#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit::test {

/// What a participant of the federation is like.
struct Habits {
  std::string name;
  bool lifecycle = true;
  OperationMode mode = OperationMode::coordinated;
  bool time_sync = true;
  std::int64_t step_ns = 1;
  bool asynchronous_step = false;
  bool asynchronous_ready = false;
  std::optional<bool> dynamic_step;
  bool publishes = true;
  bool subscribes = true;
  bool uses_services = false;       ///< RPC, CAN and Ethernet, in each step
  bool serves = false;              ///< answers calls
  bool hidden = false;              ///< no stream leads to it but the relay's
  bool pauses = false;              ///< now and then, and continues
  bool late = false;                ///< joins when the others are running
  std::optional<int> stops_after;   ///< steps, or turns without time sync
  std::optional<int> killed_after;  ///< steps; its streams break off anywhere
  std::optional<int> reports_error_after;
  std::optional<int> aborts_after;
};

struct Federation {
  std::vector<Habits> participants;
  std::vector<std::string> required;  ///< said by the first participant
};

/// Runs a federation until everybody has reached the end, or nothing moves any more. The same seed gives the
/// same run.
///
/// The observer checks on the way, see the functions `check_...`; its complaints are kept.
///
/// Threads  one.
class SimNetwork {
 public:
  SimNetwork(Federation federation, unsigned seed);
  ~SimNetwork();
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;

  void run();

  /// What went wrong, with the last events before; empty: nothing.
  const std::vector<std::string>& complaints() const { return complaints_; }
  std::string last_events() const;
  /// Nobody could go on, so somebody had to abort.
  bool was_stuck() const { return stuck_; }
  std::size_t steps() const { return steps_; }
  std::size_t hop_ons() const { return hop_ons_; }
  std::size_t messages() const { return messages_; }
  std::size_t data_messages() const { return data_messages_; }
  /// Messages that the relay has taken; and how often it has told somebody of another's end.
  std::size_t relayed() const { return relayed_; }
  std::size_t ends_told() const { return ends_told_; }
  /// Results of calls, calls that were lost, and frames of buses that all participants have had.
  std::size_t results() const;
  std::size_t lost_calls() const;
  std::size_t frames() const;
  std::size_t lin_responses() const;
  ParticipantState state_of(const std::string& name) const;
  bool is_complete(const std::string& name) const;
  /// Times at which the participant has executed steps.
  const std::vector<std::int64_t>& step_times(const std::string& name) const;

 private:
  struct Node;
  struct Stream {
    std::size_t from = 0;
    std::size_t to = 0;
    Bytes bytes;
    std::size_t begin = 0;
    bool closed = false;  // nothing more will come
    bool ended = false;   // and the receiver knows
    unsigned speed = 1;
    bool established = false;  // the receiver knows who it is from
    bool relayed = false;      // its messages go by the streams to and from the relay
  };
  static constexpr std::size_t kRelay = SIZE_MAX;  // in place of a node

  Node& node(const std::string& name) const;
  Stream& stream(std::size_t from, std::size_t to) { return streams_.at({from, to}); }
  std::size_t pick(std::size_t below) { return random_() % below; }
  bool chance(unsigned percent) { return pick(100) < percent; }
  void event(std::string text);
  void complain(const std::string& text);

  void join(std::size_t joiner);
  void set_up(Node& who);
  bool turn(Node& who);
  bool reads(const Node& who) const;
  void put(std::size_t from, std::size_t to, ByteView message);
  void open_stream(std::size_t from, std::size_t to);
  bool deliver(Stream& which);
  void take(Stream& on, const Frame& frame);
  void see_end(Stream& of);
  void take_relayed(std::size_t to, ByteView body);
  void relay(std::size_t from, const Frame& frame);
  void relay_end(std::size_t of);
  bool is_at_relay(const std::string& name) const;
  void relay_to(const std::string& name, const ProxyMessage& message);
  void user(Node& who);
  bool may_join(const Node& who) const;
  bool help();
  void leave(Node& who);
  void kill(Node& who);
  void handle(Node& who, const char* what);
  void publish(Node& who);
  void begin_step(Node& who, std::int64_t now_ns, std::int64_t duration_ns);
  void take_data(Node& who, ByteView data, std::int64_t time_ns);
  void sent(Node& from, Node& to, ByteView message);

  void check_status(Node& from, Node& to, int state);
  void check_next(Node& from, const Node& to, const NextSimTask& task);
  void check_step(Node& who, std::int64_t now_ns, std::int64_t duration_ns);
  void check_nobody_is_behind(const Node& who, std::int64_t now_ns);
  void check_nothing_is_missing(const Node& who, std::int64_t now_ns);
  void check_end();

  const Federation federation_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<std::pair<std::size_t, std::size_t>, Stream> streams_;
  std::vector<std::size_t> order_;  // of those that have joined
  std::int64_t wall_us_ = 1'700'000'000'000'000;
  std::deque<std::string> events_;
  std::vector<std::string> complaints_;
  bool stuck_ = false;
  bool aborted_ = false;
  bool disturbed_ = false;  // somebody was killed, or in error
  std::size_t steps_ = 0;
  std::size_t hop_ons_ = 0;
  std::size_t messages_ = 0;
  std::size_t data_messages_ = 0;
  RelayPairs pairs_;
  std::size_t relayed_ = 0;
  std::size_t ends_told_ = 0;
};

}  // namespace tactus::silkit::test
