// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdarg>
#include <cstdlib>

#include "drivers/fmi/unit/unit_of.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr bool is_good(abi2::Status status) { return status == abi2::kOk || status == abi2::kWarning; }

void log2(void* environment, abi2::Text, abi2::Status status, abi2::Text category, abi2::Text format, ...)
    __attribute__((format(printf, 5, 6)));
void log2(void* environment, abi2::Text, abi2::Status status, abi2::Text category, abi2::Text format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  static_cast<LogRing*>(environment)->vput(status_of(status), category, format, arguments);
  va_end(arguments);
}

/// A file name as a URI: 2.0 takes its resources so.
std::string uri_of(const std::string& path) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      uri += c;
    } else {
      uri += '%';
      uri += kDigits[static_cast<unsigned char>(c) / 16];
      uri += kDigits[static_cast<unsigned char>(c) % 16];
    }
  }
  return uri;
}

class Unit2 final : public UnitOf<abi2::Status, char> {
 public:
  Unit2(const std::filesystem::path& file, const std::filesystem::path& folder,
        const Description& description, LogRing& log)
      : UnitOf(file, folder, description, Execution::co_simulation, log),
        instantiate_(library_.need<abi2::Instantiate>("fmi2Instantiate")),
        setup_(library_.need<abi2::SetupExperiment>("fmi2SetupExperiment")),
        enter_initialization_(library_.need<Plain>("fmi2EnterInitializationMode")),
        step_(library_.need<abi2::DoStep>("fmi2DoStep")),
        real_status_(library_.find<abi2::GetRealStatus>("fmi2GetRealStatus")),
        boolean_status_(library_.find<abi2::GetBooleanStatus>("fmi2GetBooleanStatus")) {
    need_plain_functions("fmi2");
  }
  ~Unit2() override { leave(); }

  void need_set(Type type) override {
    switch (type) {
      case Type::float64:
        set_real_ = library_.need<abi2::Set<double>>("fmi2SetReal");
        break;
      case Type::boolean:
        set_boolean_ = library_.need<abi2::Set<int>>("fmi2SetBoolean");
        break;
      case Type::string:
        set_string_ = library_.need<abi2::Set<abi2::Text>>("fmi2SetString");
        break;
      default:
        set_integer_ = library_.need<abi2::Set<int>>("fmi2SetInteger");
    }
  }
  void need_get(Type type) override {
    switch (type) {
      case Type::float64:
        get_real_ = library_.need<abi2::Get<double>>("fmi2GetReal");
        break;
      case Type::boolean:
        get_boolean_ = library_.need<abi2::Get<int>>("fmi2GetBoolean");
        break;
      default:
        get_integer_ = library_.need<abi2::Get<int>>("fmi2GetInteger");
    }
  }

 private:
  bool do_instantiate(const std::string& name, bool logging) override {
    // Units are known that fail without a resource location: the folder is named, also where it is not there.
    const std::string where = uri_of((folder_ / "resources").string());
    instance_ = instantiate_(name.c_str(), abi2::kCoSimulation, description_.token.c_str(), where.c_str(),
                             &callbacks_, 0, logging ? 1 : 0);
    return instance_ != nullptr;
  }
  Status do_enter_configuration() override { return Status::illegal; }
  Status do_exit_configuration() override { return Status::illegal; }
  Status do_enter_initialization(double start, double tolerance) override {
    const Status status =
        status_of(setup_(instance_, tolerance > 0 ? 1 : 0, tolerance > 0 ? tolerance : 0, start, 0, 0));
    return is_good(status) ? status_of(enter_initialization_(instance_)) : status;
  }

  Status do_set(Type type, std::span<const std::uint32_t> references, const void* values,
                std::size_t) noexcept override {
    if (type == Type::float64)
      return answer_of(set_real_, references.data(), references.size(), static_cast<const double*>(values));
    return answer_of(type == Type::boolean ? set_boolean_ : set_integer_, references.data(),
                     references.size(), static_cast<const int*>(values));
  }
  Status do_set_text(Type, std::uint32_t reference, const std::string& value) override {
    const abi2::Text text = value.c_str();
    return answer_of(set_string_, &reference, 1U, &text);
  }
  Status do_get(Type type, std::span<const std::uint32_t> references, void* values,
                std::size_t) noexcept override {
    if (type == Type::float64)
      return answer_of(get_real_, references.data(), references.size(), static_cast<double*>(values));
    return answer_of(type == Type::boolean ? get_boolean_ : get_integer_, references.data(),
                     references.size(), static_cast<int*>(values));
  }

  void find_function(Transfer& transfer, bool set) const override {
    const auto of = [](auto* function) { return reinterpret_cast<void (*)()>(function); };
    if (transfer.type == Type::float64)
      transfer.function = set ? of(set_real_) : of(get_real_);
    else if (transfer.type == Type::boolean)
      transfer.function = set ? of(set_boolean_) : of(get_boolean_);
    else
      transfer.function = set ? of(set_integer_) : of(get_integer_);
  }
  template <template <class> class Function>
  abi2::Status pass(const Transfer& each) const noexcept {
    const auto call = [&]<class T>(T* values) {
      return reinterpret_cast<Function<T>*>(each.function)(instance_, each.references, each.reference_count,
                                                           values);
    };
    return each.type == Type::float64 ? call(static_cast<double*>(each.values))
                                      : call(static_cast<int*>(each.values));
  }

  Status do_frame(const FrameStep& frame, StepAnswer& answer) noexcept override {
    for (const Transfer& each : frame.set) {
      const abi2::Status status = pass<abi2::Set>(each);
      if (is_good(status)) continue;
      answer.last = Call::set_input;
      return status_of(status);
    }
    const abi2::Status stepped = step_(instance_, frame.time, frame.step, may_go_back() ? 0 : 1);
    if (frame.ask_reached || !is_good(stepped)) [[unlikely]] {
      answer = {};
      if (frame.ask_reached || stepped == abi2::kDiscard) ask_how_far(status_of(stepped), answer);
      if (!is_good(stepped)) return status_of(stepped);
    }
    for (const Transfer& each : frame.get) {
      const abi2::Status status = pass<abi2::Get>(each);
      if (is_good(status)) continue;
      answer.last = Call::get;
      return status_of(status);
    }
    return Status::ok;
  }
  void ask_how_far(Status status, StepAnswer& answer) const noexcept {
    const bool discarded = status == Status::discard;
    if (status != Status::fatal && real_status_ != nullptr) {
      double reached = 0;
      answer.knows_reached =
          is_good(status_of(real_status_(instance_, abi2::kLastSuccessfulTime, &reached))) &&
          std::isfinite(reached);
      answer.reached = reached;
    }
    if (discarded && boolean_status_ != nullptr) {
      int terminated = 0;
      answer.terminate =
          is_good(status_of(boolean_status_(instance_, abi2::kTerminated, &terminated))) && terminated != 0;
    }
  }

  bool find_state_functions() override { return find_state("fmi2", "FMUstate", "DeSerializeFMUstate"); }

  abi2::Callbacks callbacks_{&log2, &std::calloc, &std::free, nullptr, &log_};
  abi2::Instantiate* instantiate_;
  abi2::SetupExperiment* setup_;
  Plain* enter_initialization_;
  abi2::DoStep* step_;
  abi2::GetRealStatus* real_status_;
  abi2::GetBooleanStatus* boolean_status_;
  abi2::Set<double>* set_real_ = nullptr;
  abi2::Set<int>*set_integer_ = nullptr, *set_boolean_ = nullptr;
  abi2::Set<abi2::Text>* set_string_ = nullptr;
  abi2::Get<double>* get_real_ = nullptr;
  abi2::Get<int>*get_integer_ = nullptr, *get_boolean_ = nullptr;
};

}  // namespace

std::unique_ptr<Unit> make_unit2(const std::filesystem::path& file, const std::filesystem::path& folder,
                                 const Description& description, LogRing& log) {
  return std::make_unique<Unit2>(file, folder, description, log);
}

}  // namespace tactus::drivers::fmi
