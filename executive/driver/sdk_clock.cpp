// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "executive/driver/clock_driver.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/driver/sdk_call.hpp"
#include "rtsync/crash/current_call.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {
namespace {

using rtsync::EdgeRead;
using rtsync::EdgeStatus;
using rtsync::Fact;
using rtsync::Grade;

constexpr std::int64_t kNoStamp = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kMostStamps = 64;
constexpr std::size_t kFenceStamps = 4;                // stamps after the room that must stay untouched
constexpr std::int64_t kOldestStamp = 10'000'000'000;  // before it was opened, in nanoseconds
constexpr std::int64_t kNewestStamp = 1'000'000'000;   // after now

class SdkEdges final : public CheckedEdges {
 public:
  SdkEdges(std::shared_ptr<SdkInstance> instance, const tactus_clock_functions& functions)
      : instance_(std::move(instance)),
        functions_(functions),
        waits_("driver '" + instance_->entry().name + "' waited for edges (" + instance_->entry().library +
               ")"),
        opened_(rtsync::monotonic_now().time_since_epoch().count()) {
    what_ = asked();
  }

  EdgeRead wait(rtsync::TimePoint<rtsync::MonotonicTime> deadline,
                std::span<rtsync::TimePoint<rtsync::MonotonicTime>> edges) TACTUS_RT override {
    std::array<std::int64_t, kMostStamps + kFenceStamps> stamps;
    const std::size_t room = std::min(kMostStamps, edges.size());
    std::fill_n(stamps.begin(), room + kFenceStamps, kNoStamp);
    tactus_edges got{sizeof(tactus_edges), static_cast<std::uint32_t>(room), stamps.data(), 0, 0, 0};
    std::uint32_t status = 0;
    {
      was_waited_for_.store(true);
      const rtsync::CurrentCall call(waits_.c_str());
      status = std::bit_cast<std::uint32_t>(  // until it is known to be one it must not be read as one
          functions_.wait(instance_->self(), deadline.time_since_epoch().count(), &got));
    }
    const std::span<const std::int64_t> written(stamps.data(), room);
    if (const Mistake found = look_at(status, got.count, written, {stamps.data() + room, kFenceStamps});
        found != Mistake::none) {
      mistake_.store(found);
      return {EdgeStatus::gone, 0, false, EPROTO};
    }
    EdgeRead read{.status =
                      status == TACTUS_EDGES && got.count > 0 ? EdgeStatus::edges : EdgeStatus::timeout};
    if (status == TACTUS_CLOCK_GONE) read.status = EdgeStatus::gone;
    is_gone_.store(read.status == EdgeStatus::gone);
    read.error = read.status == EdgeStatus::gone ? (got.error == 0 ? EIO : got.error) : 0;
    read.count = got.count;
    read.overflowed = got.overflowed != 0;
    for (std::size_t i = 0; i < read.count; ++i)
      edges[i] = rtsync::TimePoint<rtsync::MonotonicTime>(rtsync::Nanoseconds{written[i]});
    return read;
  }
  /// Asks again: a clock that is gone may say why. One that is waited for is not asked: the wait may never return.
  std::string what() const override {
    if (const std::string found = mistake(); !found.empty())
      return what_ + "; its driver " + found + "; fix it, and try it by tactus test driver";
    if (was_waited_for_.load() && !is_gone_.load())
      return what_;  // its thread may be in a wait, or enter one
    try {
      return asked();
    } catch (const std::exception&) {
      return what_;
    }
  }
  std::string code() const override { return instance_->entry().code(); }
  std::string mistake() const override {
    switch (mistake_.load()) {
      case Mistake::none:
        return {};
      case Mistake::status:
        return "answered a wait with no tactus_edge_status";
      case Mistake::count:
        return "counted more edges than there was room for";
      case Mistake::past_room:
        return "wrote stamps past the room that it was given";
      case Mistake::unwritten:
        return "counted an edge whose stamp it did not write";
      case Mistake::order:
        return "stamped an edge at " + std::to_string(odd_stamp_.load()) +
               " ns, before the edge that it had given last; stamps never go back, and the oldest comes "
               "first";
      case Mistake::stamp:
        break;
    }
    return "stamped an edge at " + std::to_string(odd_stamp_.load()) +
           " ns, long before the clock was opened or in the future; stamps are nanoseconds of "
           "CLOCK_MONOTONIC";
  }

 private:
  enum class Mistake { none, status, count, past_room, unwritten, order, stamp };

  Mistake look_at(std::uint32_t status, std::size_t count, std::span<const std::int64_t> room,
                  std::span<const std::int64_t> fence) TACTUS_RT {
    if (status > TACTUS_CLOCK_GONE) return Mistake::status;
    if (std::ranges::any_of(fence, [](std::int64_t each) { return each != kNoStamp; }))
      return Mistake::past_room;
    if (count > room.size()) return Mistake::count;
    if (count == 0) return Mistake::none;
    const std::int64_t newest = rtsync::monotonic_now().time_since_epoch().count() + kNewestStamp;
    for (const std::int64_t stamp : room.first(count)) {
      if (stamp == kNoStamp) return Mistake::unwritten;
      const bool makes_sense = stamp > 0 && stamp >= opened_ - kOldestStamp && stamp <= newest;
      if (makes_sense && stamp >= last_) {
        last_ = stamp;
        continue;
      }
      odd_stamp_.store(stamp);
      return makes_sense ? Mistake::order : Mistake::stamp;
    }
    return Mistake::none;
  }

  std::string asked() const {
    return config::one_line(
        sdk_text(call_sdk(instance_->entry(), "what", functions_.what, instance_->self())));
  }

  std::shared_ptr<SdkInstance> instance_;
  const tactus_clock_functions functions_;
  const std::string waits_;
  const std::int64_t opened_;  // nanoseconds of CLOCK_MONOTONIC
  std::string what_;
  std::int64_t last_ = kNoStamp;  // stamp of the last edge; of wait()'s thread
  std::atomic<bool> was_waited_for_{false}, is_gone_{false};
  std::atomic<Mistake> mistake_{Mistake::none};
  std::atomic<std::int64_t> odd_stamp_{0};
};

class SdkClockDriver final : public ClockDriver {
 public:
  explicit SdkClockDriver(std::shared_ptr<const SdkEntry> entry)
      : entry_(std::move(entry)),
        functions_(functions_of<tactus_clock_functions>(*entry_, sizeof(tactus_clock_functions))),
        section_(entry_->keys.defaults()) {
    need(functions_.open, "open");
    need(functions_.wait, "wait");
    need(functions_.what, "what");
  }

  std::shared_ptr<const config::Section> section() const override { return entry_->keys.section(); }

  void read(const config::Node& settings, const std::string& path, config::Problems& problems) override {
    const std::size_t before = problems.count();
    KeptValue read = entry_->keys.load(settings, path, problems);
    if (problems.count() != before || make_instance(entry_, read, problems) == nullptr) return;
    section_ = std::move(read);
    configured_ = true;
  }
  config::Node resolved() const override { return entry_->keys.to_node(section_); }

  std::unique_ptr<rtsync::EdgeSource> open(const OpenRequest& request) override {
    if (!configured_) throw DeviceError("the clock is not configured");
    auto instance = made();
    const tactus_open_request asked{sizeof(tactus_open_request), request.rig.c_str(), 1U, ""};
    const rtsync::Doing doing("driver '" + entry_->name + "' opened its device");
    call_or_throw<DeviceError>(*entry_, "open", functions_.open, instance->self(), &asked);
    return std::make_unique<SdkEdges>(std::move(instance), functions_);
  }

  std::vector<Fact> facts(const EdgeWatch& watch) override try {
    std::vector<Fact> all;
    if (functions_.facts == nullptr) return all;
    config::Problems misfit;
    // Default keys need not fit: a port that is required has none. Then there is nothing to ask about this machine.
    if (!configured_ && make_instance(entry_, section_, misfit) == nullptr) return all;
    const auto instance = made();
    const tactus_clock_question question{
        sizeof(tactus_clock_question),
        configured_ ? 1U : 0U,
        watch.measure ? watch.measure->count() : 0,
        watch.edge_period ? watch.edge_period->seconds() * 1e9 : 0,
        &all,
        [](void* context, const tactus_fact* fact) {
          if (fact == nullptr || fact->size < sizeof(tactus_fact)) return;
          const auto grade = std::bit_cast<std::uint32_t>(fact->grade);
          const auto line = [](const char* text) { return config::one_line(sdk_text(text)); };
          static_cast<std::vector<Fact>*>(context)->push_back({line(fact->name),
                                                               grade == TACTUS_FACT_OK     ? Grade::ok
                                                               : grade == TACTUS_FACT_FAIL ? Grade::fail
                                                                                           : Grade::warn,
                                                               line(fact->found), line(fact->needed),
                                                               line(fact->why), line(fact->fix)});
        }};
    call_or_throw<std::runtime_error>(*entry_, "facts", functions_.facts, instance->self(), &question);
    return all;
  } catch (const std::exception& error) {
    return {{"driver " + entry_->name, Grade::warn, error.what(), kNeedsAnswer, "", ""}};
  }

 private:
  std::shared_ptr<SdkInstance> made() const {
    config::Problems problems;
    auto instance = make_instance(entry_, section_, problems);
    if (instance == nullptr) throw DeviceError(problems.sorted().front().message);
    return instance;
  }

  std::shared_ptr<const SdkEntry> entry_;
  const tactus_clock_functions functions_;
  KeptValue section_;
  bool configured_ = false;
};

}  // namespace

std::unique_ptr<Driver> make_sdk_clock(std::shared_ptr<const SdkEntry> entry) {
  return std::make_unique<SdkClockDriver>(std::move(entry));
}

}  // namespace tactus::executive
