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

constexpr bool is_good(abi3::Status status) { return status == abi3::kOk || status == abi3::kWarning; }

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

/// Functions for the values of one type, which differ in the type of the array alone.
struct Access {
  void* set = nullptr;
  void* get = nullptr;
};

class Unit3 final : public UnitOf<abi3::Status, std::uint8_t> {
 public:
  Unit3(const std::filesystem::path& file, const std::filesystem::path& folder,
        const Description& description, Execution execution, LogRing& log)
      : UnitOf(file, folder, description, execution, log),
        enter_initialization_(library_.need<abi3::EnterInitialization>("fmi3EnterInitializationMode")),
        enter_configuration_(library_.find<Plain>("fmi3EnterConfigurationMode")),
        exit_configuration_(library_.find<Plain>("fmi3ExitConfigurationMode")) {
    need_plain_functions("fmi3");
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

  void need_set(Type type) override {
    if (type == Type::binary)
      set_binary_ = library_.need<abi3::SetBinary>("fmi3SetBinary");
    else
      access_[static_cast<std::size_t>(type)].set =
          reinterpret_cast<void*>(library_.need<Plain>(function_name("fmi3Set", type).c_str()));
  }
  void need_get(Type type) override {
    access_[static_cast<std::size_t>(type)].get =
        reinterpret_cast<void*>(library_.need<Plain>(function_name("fmi3Get", type).c_str()));
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
  void use_event_mode() override {
    Unit::use_event_mode();
    enter_event_ = library_.need<Plain>("fmi3EnterEventMode");
    enter_step_ = library_.need<Plain>("fmi3EnterStepMode");
    update_ = library_.need<abi3::UpdateDiscreteStates>("fmi3UpdateDiscreteStates");
    set_clock_ = library_.find<abi3::SetClock>("fmi3SetClock");
    event_mode_ = true;
  }

 private:
  /// Enumerations pass as Int64.
  static std::string function_name(const char* verb, Type type) {
    return verb + std::string(name_of(type == Type::enumeration ? Type::int64 : type));
  }

  bool do_instantiate(const std::string& name, bool logging) override {
    const std::filesystem::path found = resources();
    const std::string where = found.string() + "/";
    const char* const path = found.empty() ? nullptr : where.c_str();
    if (instantiate_scheduled_ != nullptr)
      instance_ =
          instantiate_scheduled_(name.c_str(), description_.token.c_str(), path, false, logging, &log_, &log3,
                                 &clock_update3, &Preemption::lock, &Preemption::unlock);
    else
      instance_ = instantiate_(name.c_str(), description_.token.c_str(), path, false, logging, event_mode_,
                               event_mode_ && interface().early_return, nullptr, 0, &log_, &log3, nullptr);
    return instance_ != nullptr;
  }
  Status do_enter_configuration() override { return answer_of(enter_configuration_); }
  Status do_exit_configuration() override { return answer_of(exit_configuration_); }
  Status do_enter_initialization(double start, double tolerance) override {
    return status_of(
        enter_initialization_(instance_, tolerance > 0, tolerance > 0 ? tolerance : 0, start, false, 0));
  }

  /// Calls visit(T{}) with the C type of the values.
  template <class Visit, class Answer>
  static Answer with_type(Type type, Visit visit, Answer other) noexcept {
    switch (type) {
      case Type::float32:
        return visit(float{});
      case Type::float64:
        return visit(double{});
      case Type::int8:
        return visit(std::int8_t{});
      case Type::uint8:
        return visit(std::uint8_t{});
      case Type::int16:
        return visit(std::int16_t{});
      case Type::uint16:
        return visit(std::uint16_t{});
      case Type::int32:
        return visit(std::int32_t{});
      case Type::uint32:
        return visit(std::uint32_t{});
      case Type::int64:
      case Type::enumeration:
        return visit(std::int64_t{});
      case Type::uint64:
        return visit(std::uint64_t{});
      case Type::boolean:
        return visit(bool{});
      default:
        return other;
    }
  }

  Status do_set(Type type, std::span<const std::uint32_t> references, const void* values,
                std::size_t count) noexcept override {
    void* const function = access_[static_cast<std::size_t>(type)].set;
    if (function == nullptr) return Status::illegal;
    return with_type(
        type,
        [&](auto like) noexcept {
          using T = decltype(like);
          return status_of(reinterpret_cast<abi3::Set<T>*>(function)(
              instance_, references.data(), references.size(), static_cast<const T*>(values), count));
        },
        Status::illegal);
  }
  Status do_get(Type type, std::span<const std::uint32_t> references, void* values,
                std::size_t count) noexcept override {
    void* const function = access_[static_cast<std::size_t>(type)].get;
    if (function == nullptr) return Status::illegal;
    return with_type(
        type,
        [&](auto like) noexcept {
          using T = decltype(like);
          return status_of(reinterpret_cast<abi3::Get<T>*>(function)(
              instance_, references.data(), references.size(), static_cast<T*>(values), count));
        },
        Status::illegal);
  }
  Status do_set_text(Type type, std::uint32_t reference, const std::string& value) override {
    if (type == Type::binary) {
      const std::size_t size = value.size();
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(value.data());
      return answer_of(set_binary_, &reference, 1U, &size, &bytes, 1U);
    }
    void* const function = access_[static_cast<std::size_t>(type)].set;
    const abi3::Text text = value.c_str();
    return answer_of(reinterpret_cast<abi3::Set<abi3::Text>*>(function), &reference, 1U, &text, 1U);
  }

  void find_function(Transfer& transfer, bool set) const override {
    const Access& access = access_[static_cast<std::size_t>(transfer.type)];
    transfer.function = reinterpret_cast<void (*)()>(set ? access.set : access.get);
  }
  template <template <class> class Function>
  abi3::Status pass(const Transfer& each) const noexcept {
    const auto call = [&](auto like) noexcept {
      using T = decltype(like);
      return reinterpret_cast<Function<T>*>(each.function)(instance_, each.references, each.reference_count,
                                                           static_cast<T*>(each.values), each.count);
    };
    return each.type == Type::float64 ? call(double{}) : with_type(each.type, call, abi3::kFatal);
  }

  Status do_frame(const FrameStep& frame, StepAnswer& answer) noexcept override {
    for (const Transfer& each : frame.set) {
      const abi3::Status status = pass<abi3::Set>(each);
      if (is_good(status)) continue;
      answer.last = Call::set_input;
      return status_of(status);
    }
    bool event = false, terminate = false, early = false;
    answer.reached = frame.time;
    const abi3::Status stepped =
        step_(instance_, frame.time, frame.step, !may_go_back(), &event, &terminate, &early, &answer.reached);
    answer.terminate = terminate && stepped != abi3::kFatal;
    answer.event = event && is_good(stepped);
    answer.early = early && is_good(stepped);
    answer.knows_reached = is_good(stepped);
    answer.last = Call::step;
    if (!is_good(stepped)) [[unlikely]]
      return status_of(stepped);
    for (const Transfer& each : frame.get) {
      const abi3::Status status = pass<abi3::Get>(each);
      if (is_good(status)) continue;
      answer.last = Call::get;
      return status_of(status);
    }
    return Status::ok;
  }

  Status do_activate(std::uint32_t clock, double time, ClockNews& news) noexcept override {
    Asking now{[](void* unit, ClockNews& of) { static_cast<Unit3*>(unit)->take_news(of); }, this, &news};
    Asking* const outer = std::exchange(asking, &now);
    const Status status = status_of(activate_(instance_, clock, time));
    asking = outer;
    return fmi::is_good(status) ? news.status : status;  // it asks about clocks while it runs
  }
  Status do_ask_intervals(ClockNews& news) noexcept override {
    take_intervals(news);
    return news.status;
  }
  Status do_ask_interval(std::uint32_t clock, double& seconds, abi3::Qualifier& qualifier) noexcept override {
    return answer_of(get_interval_, &clock, 1U, &seconds, &qualifier);
  }
  Status do_ask_shift(std::uint32_t clock, double& seconds) noexcept override {
    return answer_of(get_shift_, &clock, 1U, &seconds);
  }
  Status do_set_interval(std::uint32_t clock, double seconds) noexcept override {
    return answer_of(set_interval_, &clock, 1U, &seconds);
  }
  static bool noted(ClockNews& news, abi3::Status status) noexcept {
    news.status = std::max(news.status, status_of(status));
    return is_good(status);
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

  Status do_enter_event() noexcept override { return status_of(enter_event_(instance_)); }
  Status do_enter_step() noexcept override { return status_of(enter_step_(instance_)); }
  Status do_tick(std::uint32_t clock) noexcept override {
    const bool ticks = true;
    return answer_of(set_clock_, &clock, 1U, &ticks);
  }
  Status do_ask_ticks(ClockNews& news) noexcept override {
    take_ticks(news);
    return news.status;
  }
  Status do_update_discrete(EventAnswer& answer) noexcept override {
    bool nominals = false, values = false, has_next = false;
    double next = 0;
    answer = {};
    const Status status =
        status_of(update_(instance_, &answer.again, &answer.terminate, &nominals, &values, &has_next, &next));
    if (has_next && std::isfinite(next)) answer.next = next;
    return status;
  }

  bool find_state_functions() override { return find_state("fmi3", "FMUState", "DeserializeFMUState"); }

  abi3::InstantiateCoSimulation* instantiate_ = nullptr;
  abi3::InstantiateScheduledExecution* instantiate_scheduled_ = nullptr;
  abi3::EnterInitialization* enter_initialization_;
  abi3::DoStep* step_ = nullptr;
  abi3::ActivateModelPartition* activate_ = nullptr;
  bool event_mode_ = false;
  Plain *enter_event_ = nullptr, *enter_step_ = nullptr;
  abi3::UpdateDiscreteStates* update_ = nullptr;
  abi3::SetClock* set_clock_ = nullptr;
  abi3::GetClock* get_clock_ = nullptr;
  abi3::GetInterval* get_interval_ = nullptr;
  abi3::SetInterval* set_interval_ = nullptr;
  abi3::GetShift* get_shift_ = nullptr;
  Plain *enter_configuration_, *exit_configuration_;
  std::array<Access, kTypes> access_{};
  abi3::SetBinary* set_binary_ = nullptr;
};

}  // namespace

std::unique_ptr<Unit> make_unit3(const std::filesystem::path& file, const std::filesystem::path& folder,
                                 const Description& description, Execution execution, LogRing& log) {
  return std::make_unique<Unit3>(file, folder, description, execution, log);
}

}  // namespace tactus::drivers::fmi
