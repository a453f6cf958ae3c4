// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drivers/live/trick/session.hpp"
#include "tests/drivers/live/support/fake_live_rig.hpp"

namespace tactus::test {

/// A session and a rig without frames, on a clock of their own: what the client says, and what it hears.
///
/// Threads  one.
class Dialogue : public drivers::trick::SessionBackend {
 public:
  explicit Dialogue(drivers::trick::SessionLimits limits = {}) {
    rig.add<double>("tr.d1", TACTUS_DOUBLE, {2.5}, false, TACTUS_STATE, "m");
    rig.add<float>("tr.f1", TACTUS_FLOAT, {0.1F}, false, TACTUS_STATE, "kg m^2");
    rig.add<std::int32_t>("tr.i1", TACTUS_INT32, {42});
    rig.add<std::int32_t>("tr.mm", TACTUS_INT32, {1999}, false, TACTUS_STATE, "mm");
    rig.add<std::int32_t>("tr.arr", TACTUS_INT32, {1, 2, 3}, true);
    rig.add<std::uint8_t>("tr.on", TACTUS_BOOL, {1});
    session.emplace(rig, *this, limits, "127.0.0.1:40000", now);
  }

  /// The client sends bytes; frames run until nobody waits for one. What it hears.
  std::string say(std::string_view text) {
    send(text);
    settle();
    return heard();
  }
  /// The client sends something that is refused: why, as the log says. It hears nothing.
  std::string refused(std::string_view text) {
    log.clear();
    const std::string heard = say(text);
    if (!heard.empty()) return "it hears " + heard;
    return log.size() == 1 ? reason_of(log[0]) : std::to_string(log.size()) + " lines in the log";
  }
  static std::string reason_of(const std::string& line) {
    constexpr std::string_view kRefused = " is refused: ";
    const std::size_t at = line.find(kRefused);
    return at == std::string::npos ? "" : line.substr(at + kRefused.size());
  }
  /// The client sends bytes; no frame runs.
  void send(std::string_view text) {
    session->received(text);
    session->advance(now);
  }
  /// A frame ends, and everybody who waited for it is answered.
  void end_frame() {
    for (auto& written : rig.take_written()) {
      const executive::LiveWrite& write = written.batch.writes.at(0);
      for (std::size_t i = 0; i < write.bytes.size(); ++i)
        rig.put(write.ref.variable, write.bytes[i], write.ref.first * write.bytes.size() + i);
      who = written.batch.who;
      written.then({true, frame, ""});
    }
    rig.end_frame(frame++);
    deliver();
  }
  void deliver() {
    for (auto& answer : std::exchange(answers_, {})) answer();
    session->advance(now);
  }
  void settle() {
    for (int turns = 0; turns < 100'000 && (rig.waiting() > 0 || writing_ > 0 || due()); ++turns) {
      end_frame();
    }
  }
  void wait(Nanoseconds time) {
    now += time;
    session->advance(now);
  }
  std::string heard() {
    std::string out(session->output());
    session->sent(out.size());
    session->advance(now);
    return out;
  }

  void ask_snapshot(std::uint64_t ticket, std::int64_t every) override {
    const auto then = [this, ticket](executive::LiveSnapshotPtr made) {
      answers_.push_back([this, ticket, made] { session->snapshot(ticket, made, now); });
    };
    every == 0 ? rig.next_snapshot(then) : rig.next_snapshot_of_multiple(every, then);
  }
  std::vector<std::string> write(executive::LiveBatch batch, std::uint64_t ticket) override {
    auto problems = rig.write(std::move(batch), [this, ticket](const executive::LiveDone& done) {
      --writing_;
      answers_.push_back([this, ticket, done] { session->written(ticket, done); });
    });
    if (problems.empty()) ++writing_;
    return problems;
  }
  std::string command(const executive::CommandCall& call, const std::string& by) override {
    return rig.give(call, by);
  }
  void report(std::string line) override { log.push_back(std::move(line)); }

  FakeLiveRig rig;
  Nanoseconds now{1'000'000'000};
  std::vector<std::string> log;
  std::optional<drivers::trick::Session> session;
  std::int64_t frame = 3200;  // of 1 ms
  std::string who;            // of the last write

 private:
  bool due() const {
    const auto when = session->wake_at();
    return when && *when <= now;
  }

  std::vector<std::function<void()>> answers_;
  int writing_ = 0;  // batches that no frame has taken yet
};

/// The four bytes of an int32, as this machine has them.
inline std::string int32(std::int32_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
/// The same in the other order.
inline std::string swapped(std::string bytes) {
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}
template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

}  // namespace tactus::test
