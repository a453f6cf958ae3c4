// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "drivers/fmi/unit/preemption.hpp"
#include "drivers/fmi/unit/unit_of.hpp"

namespace tactus::drivers::fmi {
namespace {

void log3(void* environment, abi3::Status status, abi3::Text category, abi3::Text message) {
  static_cast<LogRing*>(environment)->put(status_of(status), category, message);
}

/// The activation that the calling thread is in: Clock Update Mode is only there.
struct Asking {
  void (*ask)(void* unit, ClockNews& news);
  void* unit;
  ClockNews* news;
};
thread_local Asking* asking __attribute__((tls_model("initial-exec"))) = nullptr;

void clock_update3(void*) {
  if (asking != nullptr) asking->ask(asking->unit, *asking->news);
}

class Unit3 final : public UnitOf<Unit3, abi3::Status, std::uint8_t> {
 public:
  static constexpr const char *kPrefix = "fmi3", *kState = "FMUState", *kDeserialize = "DeserializeFMUState";

  Unit3(const std::filesystem::path& file, const std::filesystem::path& folder,
        const Description& description, Execution execution, LogRing& log)
      : UnitOf(file, folder, description, execution, log),
        enter_initialization_(library_.need<abi3::EnterInitialization>("fmi3EnterInitializationMode")) {
    plain(Call::enter_configuration) = library_.find<Plain>("fmi3EnterConfigurationMode");
    plain(Call::exit_configuration) = library_.find<Plain>("fmi3ExitConfigurationMode");
    need_plain_functions();
    if (execution == Execution::scheduled) {
      instantiate_scheduled_ =
          library_.need<abi3::InstantiateScheduledExecution>("fmi3InstantiateScheduledExecution");
      activate_ = library_.need<abi3::ActivateModelPartition>("fmi3ActivateModelPartition");
    } else {
      instantiate_ = library_.need<abi3::InstantiateCoSimulation>("fmi3InstantiateCoSimulation");
      step_ = library_.need<abi3::DoStep>("fmi3DoStep");
    }
  }
  ~Unit3() override { leave(); }

  Status enter_initialization(double start, double tolerance) override {
    return ask(Call::enter_initialization, enter_initialization_, tolerance > 0,
               tolerance > 0 ? tolerance : 0, start, false, 0.0);
  }
  Status set_text(Type type, std::uint32_t reference, const std::string& value) override {
    void (*const function)() = access_of(type).set;
    if (type == Type::binary) {
      const std::size_t size = value.size();
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(value.data());
      return ask(Call::set_start, reinterpret_cast<abi3::SetBinary*>(function), &reference, 1U, &size, &bytes,
                 1U);
    }
    const abi3::Text text = value.c_str();
    return ask(Call::set_start, reinterpret_cast<abi3::Set<abi3::Text>*>(function), &reference, 1U, &text,
               1U);
  }

  void use_event_mode() override {
    Unit::use_event_mode();
    plain(Call::enter_event) = library_.need<Plain>("fmi3EnterEventMode");
    plain(Call::enter_step) = library_.need<Plain>("fmi3EnterStepMode");
    update_ = library_.need<abi3::UpdateDiscreteStates>("fmi3UpdateDiscreteStates");
    set_clock_ = library_.find<abi3::SetClock>("fmi3SetClock");
    event_mode_ = true;
  }
  Status tick(std::uint32_t clock) noexcept override {
    const bool ticks = true;
    return ask(Call::handle_event, set_clock_, &clock, 1U, &ticks);
  }
  Status ask_ticks(ClockNews& news) noexcept override {
    return run(Call::handle_event, [&] {
      take_ticks(news);
      return news.status;
    });
  }
  Status update_discrete(EventAnswer& answer) noexcept override {
    bool nominals = false, values = false, has_next = false;
    double next = 0;
    answer = {};
    const Status status = ask(Call::handle_event, update_, &answer.again, &answer.terminate, &nominals,
                              &values, &has_next, &next);
    if (has_next && std::isfinite(next)) answer.next = next;
    return status;
  }

  void need_clocks(const ClockNews& news) override {
    if (!news.outputs.empty()) get_clock_ = library_.need<abi3::GetClock>("fmi3GetClock");
    get_interval_ = news.timed.empty() ? library_.find<abi3::GetInterval>("fmi3GetIntervalDecimal")
                                       : library_.need<abi3::GetInterval>("fmi3GetIntervalDecimal");
    set_interval_ = library_.find<abi3::SetInterval>("fmi3SetIntervalDecimal");
    get_shift_ = library_.find<abi3::GetShift>("fmi3GetShiftDecimal");
  }
  void need_ticks(bool tick, bool ask, bool set) override {
    if (tick) (void)library_.need<abi3::SetClock>("fmi3SetClock");
    if (ask) (void)library_.need<abi3::GetInterval>("fmi3GetIntervalDecimal");
    if (set) (void)library_.need<abi3::SetInterval>("fmi3SetIntervalDecimal");
  }
  bool takes_intervals() const noexcept override { return set_interval_ != nullptr; }
  Status activate(std::uint32_t clock, double time, ClockNews& news) noexcept override {
    return run(Call::activate, [&] {
      Asking now{[](void* unit, ClockNews& of) { static_cast<Unit3*>(unit)->take_news(of); }, this, &news};
      Asking* const outer = std::exchange(asking, &now);
      const Status status = status_of(activate_(instance_, clock, time));
      asking = outer;
      return is_good(status) ? news.status : status;  // it asks about clocks while it runs
    });
  }
  Status ask_intervals(ClockNews& news) noexcept override {
    return run(Call::clocks, [&] {
      take_intervals(news);
      return news.status;
    });
  }
  Status ask_interval(std::uint32_t clock, double& seconds, abi3::Qualifier& qualifier) noexcept override {
    return ask(Call::clocks, get_interval_, &clock, 1U, &seconds, &qualifier);
  }
  Status ask_shift(std::uint32_t clock, double& seconds) noexcept override {
    return ask(Call::clocks, get_shift_, &clock, 1U, &seconds);
  }
  Status set_interval(std::uint32_t clock, double seconds) noexcept override {
    return ask(Call::set_interval, set_interval_, &clock, 1U, &seconds);
  }

 private:
  friend UnitOf;

  bool do_instantiate(const std::string& name, bool logging) override {
    const std::filesystem::path resources = folder_ / "resources";
    std::error_code failed;
    const bool there = std::filesystem::is_directory(resources, failed);
    const std::string where = resources.string() + "/";
    const char* const path = there ? where.c_str() : nullptr;
    if (instantiate_scheduled_ != nullptr)
      instance_ =
          instantiate_scheduled_(name.c_str(), description_.token.c_str(), path, false, logging, &log_, &log3,
                                 &clock_update3, &Preemption::lock, &Preemption::unlock);
    else
      instance_ = instantiate_(name.c_str(), description_.token.c_str(), path, false, logging, event_mode_,
                               event_mode_ && interface().early_return, nullptr, 0, &log_, &log3, nullptr);
    return instance_ != nullptr;
  }

  /// Enumerations pass as Int64.
  static std::string name_of_access(Type type) {
    return std::string(name_of(type == Type::enumeration ? Type::int64 : type));
  }
  template <bool kSet>
  abi3::Status pass(const Transfer& each) const noexcept {
    const auto call = [&]<class T>(T) noexcept {
      using Function = std::conditional_t<kSet, abi3::Set<T>, abi3::Get<T>>;
      return reinterpret_cast<Function*>(each.function)(instance_, each.references, each.reference_count,
                                                        static_cast<T*>(each.values), each.count);
    };
    return each.type == Type::float64 ? call(double{})
                                      : with_type(each.type, Version::fmi3, call, abi3::kFatal);
  }

  Status advance(const FrameStep& frame, StepAnswer& answer) noexcept {
    bool event = false, terminate = false, early = false;
    answer.reached = frame.time;
    const Status status = status_of(step_(instance_, frame.time, frame.step, !may_go_back(), &event,
                                          &terminate, &early, &answer.reached));
    answer.terminate = terminate && status != Status::fatal;
    answer.event = event && is_good(status);
    answer.early = early && is_good(status);
    answer.knows_reached = is_good(status);
    answer.last = Call::step;
    return status;
  }

  static bool noted(ClockNews& news, abi3::Status status) noexcept {
    news.status = std::max(news.status, status_of(status));
    return is_good(status_of(status));
  }
  /// Asks for the clocks in Clock Update Mode, that is while a partition is active.
  void take_news(ClockNews& news) noexcept {
    take_ticks(news);
    take_intervals(news);
  }
  void take_ticks(ClockNews& news) noexcept {
    if (!news.outputs.empty() &&
        noted(news, get_clock_(instance_, news.outputs.data(), news.outputs.size(), news.ticks.get())))
      for (std::size_t i = 0; i < news.outputs.size(); ++i)
        if (news.ticks[i]) news.ticked[i] = 1;
  }
  void take_intervals(ClockNews& news) noexcept {
    if (news.timed.empty() || !noted(news, get_interval_(instance_, news.timed.data(), news.timed.size(),
                                                         news.asked.data(), news.asked_qualifiers.data())))
      return;
    for (std::size_t i = 0; i < news.timed.size(); ++i) {
      if (news.asked_qualifiers[i] != abi3::kChanged) continue;
      news.intervals[i] = news.asked[i];
      news.qualifiers[i] = abi3::kChanged;
    }
  }

  abi3::InstantiateCoSimulation* instantiate_ = nullptr;
  abi3::InstantiateScheduledExecution* instantiate_scheduled_ = nullptr;
  abi3::EnterInitialization* enter_initialization_;
  abi3::DoStep* step_ = nullptr;
  abi3::ActivateModelPartition* activate_ = nullptr;
  bool event_mode_ = false;
  abi3::UpdateDiscreteStates* update_ = nullptr;
  abi3::SetClock* set_clock_ = nullptr;
  abi3::GetClock* get_clock_ = nullptr;
  abi3::GetInterval* get_interval_ = nullptr;
  abi3::SetInterval* set_interval_ = nullptr;
  abi3::GetShift* get_shift_ = nullptr;
};

}  // namespace

std::unique_ptr<Unit> make_unit3(const std::filesystem::path& file, const std::filesystem::path& folder,
                                 const Description& description, Execution execution, LogRing& log) {
  return std::make_unique<Unit3>(file, folder, description, execution, log);
}

}  // namespace tactus::drivers::fmi
