// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The part of a unit that has the same form in FMI 2.0 and 3.0: its instance, the calls that take nothing else, the
/// values, the order of a step, and the state.
///
/// Threads  as Unit.
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "drivers/fmi/abi/fmi2.hpp"
#include "drivers/fmi/unit/unit.hpp"

namespace tactus::drivers::fmi {

/// Status of what a unit answers: both versions number their answers as Status does, 3.0 without Pending. Any other
/// number is Fatal.
template <class Answer>
constexpr Status status_of(Answer answer) noexcept {
  static_assert(static_cast<int>(Status::fatal) == abi2::kFatal &&
                static_cast<int>(Status::fatal) == abi3::kFatal &&
                static_cast<int>(Status::pending) == abi2::kPending);
  constexpr int kLast = std::is_same_v<Answer, abi2::Status> ? int{abi2::kPending} : int{abi3::kFatal};
  const int number = answer;
  return number < 0 || number > kLast ? Status::fatal : static_cast<Status>(number);
}

/// `Derived`: the unit of one version, which has what differs: kPrefix, kState and kDeserialize, names of functions;
/// name_of_access(), pass() and advance(). `Answer`: what its functions return; `Byte`: the type of a byte of its
/// serialized state.
template <class Derived, class Answer, class Byte>
class UnitOf : public Unit {
 public:
  void free() noexcept override {
    (void)run(Call::free, [this] {
      if (state_ != nullptr) (void)free_state_(instance_, &state_);
      state_ = nullptr;
      free_(instance_);
      instance_ = nullptr;
      return Status::ok;
    });
  }
  Status call(Call what) noexcept override { return ask(what, plain(what)); }

  void need_set(Type type) override { access_of(type).set = need_access("Set", type); }
  void need_get(Type type) override { access_of(type).get = need_access("Get", type); }
  void find_function(Transfer& transfer, bool set) const override {
    const Access& access = access_[static_cast<std::size_t>(transfer.type)];
    transfer.function = set ? access.set : access.get;
  }
  Status set(Call how, Transfer values) noexcept override { return transfer<true>(how, values); }
  Status get(Transfer values) noexcept override { return transfer<false>(Call::get, values); }
  Status step(const FrameStep& frame, StepAnswer& answer) noexcept override {
    if (!life_.may_step()) return Status::illegal;
    const Status status = make_step(frame, answer);
    if (!is_good(status)) [[unlikely]]
      note_failed_step(status, answer, !frame.set.empty());
    else
      life_.stepped();
    return status;
  }

  bool prepare_state() override {
    has_state_ = interface().get_and_set_state && interface().serialize_state && find_state();
    return has_state_;
  }
  std::size_t state_bytes() noexcept override {
    std::size_t bytes = 0;
    return has_state_ && is_good(ask(Call::state, get_state_, &state_)) &&
                   is_good(ask(Call::state, state_size_, state_, &bytes))
               ? bytes
               : 0;
  }
  std::size_t save_state(std::span<std::byte> room, std::size_t& needed) noexcept override {
    const std::size_t bytes = needed = state_bytes();
    if (bytes == 0 || bytes > room.size()) return 0;
    return is_good(ask(Call::state, serialize_, state_, reinterpret_cast<Byte*>(room.data()), bytes)) ? bytes
                                                                                                      : 0;
  }
  Status load_state(std::span<const std::byte> bytes) noexcept override {
    if (!has_state_) return Status::illegal;
    return run(Call::set_state, [&] {
      void* state = nullptr;
      Status status = status_of(
          deserialize_(instance_, reinterpret_cast<const Byte*>(bytes.data()), bytes.size(), &state));
      if (is_good(status)) status = status_of(set_state_(instance_, state));
      if (status == Status::fatal)
        keep_reachable(state);  // nothing frees it any more
      else if (state != nullptr)
        (void)free_state_(instance_, &state);
      return status;
    });
  }

 protected:
  using Plain = Answer(void* instance);

  using Unit::Unit;
  /// Ends the instance. For the destructor of a derived class, as the unit may call what that one has.
  void leave() noexcept {
    if (phase() == Phase::fatal) {  // it must not be called again: it stays where it is, with its library
      keep_reachable(instance_);
      keep_reachable(state_);
      library_.keep();
    }
    free();
  }

  /// Looks for the functions that every unit has. Throws UnitError.                                    @when setup
  void need_plain_functions() {
    const std::string prefix = Derived::kPrefix;
    free_ = library_.need<void(void*)>((prefix + "FreeInstance").c_str());
    for (const auto& [what, name] : {std::pair{Call::exit_initialization, "ExitInitializationMode"},
                                     {Call::terminate, "Terminate"},
                                     {Call::reset, "Reset"}})
      plain(what) = library_.need<Plain>((prefix + name).c_str());
  }
  /// Function of call().
  Plain*& plain(Call what) { return plain_[static_cast<std::size_t>(what)]; }

  /// Functions for the values of one type, which differ in the type of the array alone.
  struct Access {
    void (*set)() = nullptr;
    void (*get)() = nullptr;
  };
  Access& access_of(Type type) { return access_[static_cast<std::size_t>(type)]; }

  /// Calls a function of the unit, if that may be called now; one that it does not have is illegal.
  template <class Function, class... Arguments>
  Status ask(Call call, Function* function, Arguments... arguments) noexcept {
    return run(call, [&] {
      return function == nullptr ? Status::illegal : status_of(function(instance_, arguments...));
    });
  }
  /// Returns true if an earlier state may be set again.
  bool may_go_back() const { return has_state_; }

  void* instance_ = nullptr;

 private:
  Derived& self() noexcept { return static_cast<Derived&>(*this); }

  auto need_access(const char* verb, Type type) const {
    return library_.need<void()>((Derived::kPrefix + (verb + Derived::name_of_access(type))).c_str());
  }
  template <bool kSet>
  Status transfer(Call how, Transfer& values) noexcept {
    find_function(values, kSet);
    return run(how, [&] {
      return values.function == nullptr ? Status::illegal : status_of(self().template pass<kSet>(values));
    });
  }
  Status make_step(const FrameStep& frame, StepAnswer& answer) noexcept {
    for (const Transfer& each : frame.set)
      if (const Status status = status_of(self().template pass<true>(each)); !is_good(status)) [[unlikely]] {
        answer.last = Call::set_input;
        return status;
      }
    if (const Status status = self().advance(frame, answer); !is_good(status)) [[unlikely]]
      return status;
    for (const Transfer& each : frame.get)
      if (const Status status = status_of(self().template pass<false>(each)); !is_good(status)) [[unlikely]] {
        answer.last = Call::get;
        return status;
      }
    return Status::ok;
  }

  bool find_state() {
    const std::string prefix = Derived::kPrefix, word = Derived::kState;
    const auto find = [&](auto*& function, const std::string& name) {
      function =
          library_.find<std::remove_pointer_t<std::decay_t<decltype(function)>>>((prefix + name).c_str());
      return function != nullptr;
    };
    return find(get_state_, "Get" + word) && find(set_state_, "Set" + word) &&
           find(free_state_, "Free" + word) && find(state_size_, "Serialized" + word + "Size") &&
           find(serialize_, "Serialize" + word) && find(deserialize_, Derived::kDeserialize);
  }

  void (*free_)(void*) = nullptr;
  std::array<Plain*, static_cast<std::size_t>(Call::free)> plain_{};
  std::array<Access, kTypes> access_{};
  void* state_ = nullptr;  // kept, so that the unit allocates once
  bool has_state_ = false;
  Answer (*get_state_)(void* instance, void** state) = nullptr;
  Answer (*set_state_)(void* instance, void* state) = nullptr;
  Answer (*free_state_)(void* instance, void** state) = nullptr;
  Answer (*state_size_)(void* instance, void* state, std::size_t* bytes) = nullptr;
  Answer (*serialize_)(void* instance, void* state, Byte* bytes, std::size_t size) = nullptr;
  Answer (*deserialize_)(void* instance, const Byte* bytes, std::size_t size, void** state) = nullptr;
};

}  // namespace tactus::drivers::fmi
