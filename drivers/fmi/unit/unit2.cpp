// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdarg>
#include <cstdlib>

#include "drivers/fmi/unit/unit_of.hpp"

namespace tactus::drivers::fmi {
namespace {

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

class Unit2 final : public UnitOf<Unit2, abi2::Status, char> {
 public:
  static constexpr const char *kPrefix = "fmi2", *kState = "FMUstate", *kDeserialize = "DeSerializeFMUstate";

  Unit2(const std::filesystem::path& file, const std::filesystem::path& folder,
        const Description& description, LogRing& log)
      : UnitOf(file, folder, description, Execution::co_simulation, log),
        instantiate_(library_.need<abi2::Instantiate>("fmi2Instantiate")),
        setup_(library_.need<abi2::SetupExperiment>("fmi2SetupExperiment")),
        enter_initialization_(library_.need<Plain>("fmi2EnterInitializationMode")),
        step_(library_.need<abi2::DoStep>("fmi2DoStep")),
        real_status_(library_.find<abi2::GetRealStatus>("fmi2GetRealStatus")),
        boolean_status_(library_.find<abi2::GetBooleanStatus>("fmi2GetBooleanStatus")) {
    need_plain_functions();
  }
  ~Unit2() override { leave(); }

  Status enter_initialization(double start, double tolerance) override {
    return run(Call::enter_initialization, [&] {
      const Status status =
          status_of(setup_(instance_, tolerance > 0 ? 1 : 0, tolerance > 0 ? tolerance : 0, start, 0, 0));
      return is_good(status) ? status_of(enter_initialization_(instance_)) : status;
    });
  }
  Status set_text(Type type, std::uint32_t reference, const std::string& value) override {
    const abi2::Text text = value.c_str();
    return ask(Call::set_start, reinterpret_cast<abi2::Set<abi2::Text>*>(access_of(type).set), &reference, 1U,
               &text);
  }

 private:
  friend UnitOf;

  bool do_instantiate(const std::string& name, bool logging) override {
    // Units are known that fail without a resource location: the folder is named, also where it is not there.
    const std::string where = uri_of((folder_ / "resources").string());
    instance_ = instantiate_(name.c_str(), abi2::kCoSimulation, description_.token.c_str(), where.c_str(),
                             &callbacks_, 0, logging ? 1 : 0);
    return instance_ != nullptr;
  }

  /// Enumerations pass as Integer.
  static std::string name_of_access(Type type) {
    return type == Type::float64   ? "Real"
           : type == Type::boolean ? "Boolean"
           : type == Type::string  ? "String"
                                   : "Integer";
  }
  template <bool kSet>
  abi2::Status pass(const Transfer& each) const noexcept {
    const auto call = [&]<class T>(T* values) {
      using Function = std::conditional_t<kSet, abi2::Set<T>, abi2::Get<T>>;
      return reinterpret_cast<Function*>(each.function)(instance_, each.references, each.reference_count,
                                                        values);
    };
    return each.type == Type::float64 ? call(static_cast<double*>(each.values))
                                      : call(static_cast<int*>(each.values));
  }

  Status advance(const FrameStep& frame, StepAnswer& answer) noexcept {
    const Status status = status_of(step_(instance_, frame.time, frame.step, may_go_back() ? 0 : 1));
    if (frame.ask_reached || !is_good(status)) [[unlikely]] {
      answer = {};
      if (frame.ask_reached || status == Status::discard) ask_how_far(status, answer);
    }
    return status;
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

  abi2::Callbacks callbacks_{&log2, &std::calloc, &std::free, nullptr, &log_};
  abi2::Instantiate* instantiate_;
  abi2::SetupExperiment* setup_;
  Plain* enter_initialization_;
  abi2::DoStep* step_;
  abi2::GetRealStatus* real_status_;
  abi2::GetBooleanStatus* boolean_status_;
};

}  // namespace

std::unique_ptr<Unit> make_unit2(const std::filesystem::path& file, const std::filesystem::path& folder,
                                 const Description& description, LogRing& log) {
  return std::make_unique<Unit2>(file, folder, description, log);
}

}  // namespace tactus::drivers::fmi
