// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "executive/driver/clock_driver.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/driver/sdk_call.hpp"

namespace tactus::executive {
namespace {

using rtsync::EdgeRead;
using rtsync::EdgeStatus;
using rtsync::Fact;
using rtsync::Grade;

class SdkEdges final : public rtsync::EdgeSource {
 public:
  SdkEdges(std::shared_ptr<SdkInstance> instance, const tactus_clock_functions& functions)
      : instance_(std::move(instance)), functions_(functions) {
    what_ = asked();
  }

  EdgeRead wait(rtsync::TimePoint<rtsync::MonotonicTime> deadline,
                std::span<rtsync::TimePoint<rtsync::MonotonicTime>> edges) TACTUS_RT override {
    std::array<std::int64_t, 64> stamps;
    tactus_edges got{sizeof(tactus_edges),
                     static_cast<std::uint32_t>(std::min(stamps.size(), edges.size())),
                     stamps.data(),
                     0,
                     0,
                     0};
    std::uint32_t status = 0;
    const tactus_edge_status said =
        functions_.wait(instance_->self(), deadline.time_since_epoch().count(), &got);
    std::memcpy(&status, &said, sizeof status);  // until it is known to be one it must not be read as one
    if (status > TACTUS_CLOCK_GONE || got.count > edges.size() || got.count > stamps.size())
      return nonsense_.store(true), EdgeRead{EdgeStatus::gone, 0, false, EPROTO};
    EdgeRead read;
    read.status = status == TACTUS_EDGES && got.count > 0 ? EdgeStatus::edges : EdgeStatus::timeout;
    if (status == TACTUS_CLOCK_GONE) read.status = EdgeStatus::gone;
    read.error = read.status == EdgeStatus::gone ? (got.error == 0 ? EIO : got.error) : 0;
    read.count = got.count;
    read.overflowed = got.overflowed != 0;
    for (std::size_t i = 0; i < read.count; ++i)
      edges[i] = rtsync::TimePoint<rtsync::MonotonicTime>(rtsync::Nanoseconds{stamps[i]});
    return read;
  }
  /// Asks again: a clock that is gone may say why.
  std::string what() const override {
    if (nonsense_.load())
      return what_ +
             "; its driver answered a wait with no status, or with more edges than there was room for: "
             "build " +
             "the driver again, and try it by tactus test driver";
    try {
      return asked();
    } catch (const std::exception&) {
      return what_;
    }
  }

 private:
  std::string asked() const {
    return config::one_line(
        sdk_text(call_sdk(instance_->entry(), "what", [&] { return functions_.what(instance_->self()); })));
  }

  std::shared_ptr<SdkInstance> instance_;
  const tactus_clock_functions functions_;
  std::string what_;
  std::atomic<bool> nonsense_{false};
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
    const tactus_open_request asked{sizeof(tactus_open_request), request.rig.c_str()};
    call_or_throw<DeviceError>(*entry_, "open", [&](tactus_failure* failure) {
      return functions_.open(instance->self(), &asked, failure);
    });
    return std::make_unique<SdkEdges>(std::move(instance), functions_);
  }

  std::vector<Fact> facts(const EdgeWatch& watch) override try {
    std::vector<Fact> all;
    if (functions_.facts == nullptr) return all;
    const auto instance = made();
    const tactus_clock_question question{
        sizeof(tactus_clock_question),
        configured_ ? 1U : 0U,
        watch.measure ? watch.measure->count() : 0,
        watch.edge_period ? watch.edge_period->seconds() * 1e9 : 0,
        &all,
        [](void* context, const tactus_fact* fact) {
          if (fact == nullptr || fact->size < sizeof(tactus_fact)) return;
          std::uint32_t grade = 0;
          std::memcpy(&grade, &fact->grade, sizeof grade);
          const auto line = [](const char* text) { return config::one_line(sdk_text(text)); };
          static_cast<std::vector<Fact>*>(context)->push_back({line(fact->name),
                                                               grade == TACTUS_FACT_OK     ? Grade::ok
                                                               : grade == TACTUS_FACT_FAIL ? Grade::fail
                                                                                           : Grade::warn,
                                                               line(fact->found), line(fact->needed),
                                                               line(fact->why), line(fact->fix)});
        }};
    call_or_throw<std::runtime_error>(*entry_, "facts", [&](tactus_failure* failure) {
      return functions_.facts(instance->self(), &question, failure);
    });
    return all;
  } catch (const std::exception& error) {
    return {{"driver " + entry_->name, Grade::warn, error.what(), "a clock that answers", "", ""}};
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
