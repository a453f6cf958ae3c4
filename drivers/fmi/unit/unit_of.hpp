// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The part of a unit that has the same form in FMI 2.0 and 3.0: its instance, the calls that take nothing else,
/// and its state.
///
/// Threads  as Unit.
#include <string>
#include <type_traits>

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

/// `Answer`: what its functions return; `Byte`: the type of a byte of its serialized state.
template <class Answer, class Byte>
class UnitOf : public Unit {
 protected:
  using Plain = Answer(void* instance);

  using Unit::Unit;
  /// Ends the instance. For the destructor of a derived class, as the unit may call what that one has.
  void leave() noexcept {
    abandon(instance_);
    free();
  }

  /// Looks for the functions that every unit has; `prefix`: "fmi2". Throws UnitError.                  @when setup
  void need_plain_functions(const std::string& prefix) {
    free_ = library_.need<void(void*)>((prefix + "FreeInstance").c_str());
    exit_initialization_ = library_.need<Plain>((prefix + "ExitInitializationMode").c_str());
    terminate_ = library_.need<Plain>((prefix + "Terminate").c_str());
    reset_ = library_.need<Plain>((prefix + "Reset").c_str());
  }
  /// Looks for the functions of the state. `word`: its name in theirs; `deserialize`: the name of the last one.
  bool find_state(const std::string& prefix, const std::string& word, const std::string& deserialize) {
    const auto find = [&](auto*& function, const std::string& name) {
      function =
          library_.find<std::remove_pointer_t<std::decay_t<decltype(function)>>>((prefix + name).c_str());
      return function != nullptr;
    };
    return find(get_state_, "Get" + word) && find(set_state_, "Set" + word) &&
           find(free_state_, "Free" + word) && find(state_size_, "Serialized" + word + "Size") &&
           find(serialize_, "Serialize" + word) && find(deserialize_, deserialize);
  }

  /// Calls a function of the unit; one that it does not have is illegal.
  template <class Function, class... Arguments>
  Status answer_of(Function* function, Arguments... arguments) const {
    return function == nullptr ? Status::illegal : status_of(function(instance_, arguments...));
  }

  void* instance_ = nullptr;

 private:
  void do_free() override {
    free_(instance_);
    instance_ = nullptr;
  }
  Status do_exit_initialization() override { return status_of(exit_initialization_(instance_)); }
  Status do_terminate() override { return status_of(terminate_(instance_)); }
  Status do_reset() override { return status_of(reset_(instance_)); }
  Status do_get_state(void** state) noexcept override { return status_of(get_state_(instance_, state)); }
  Status do_set_state(void* state) noexcept override { return status_of(set_state_(instance_, state)); }
  Status do_free_state(void** state) noexcept override { return status_of(free_state_(instance_, state)); }
  Status do_state_size(void* state, std::size_t* bytes) noexcept override {
    return status_of(state_size_(instance_, state, bytes));
  }
  Status do_serialize(void* state, std::byte* bytes, std::size_t size) noexcept override {
    return status_of(serialize_(instance_, state, reinterpret_cast<Byte*>(bytes), size));
  }
  Status do_deserialize(const std::byte* bytes, std::size_t size, void** state) noexcept override {
    return status_of(deserialize_(instance_, reinterpret_cast<const Byte*>(bytes), size, state));
  }

  void (*free_)(void*) = nullptr;
  Plain *exit_initialization_ = nullptr, *terminate_ = nullptr, *reset_ = nullptr;
  Answer (*get_state_)(void* instance, void** state) = nullptr;
  Answer (*set_state_)(void* instance, void* state) = nullptr;
  Answer (*free_state_)(void* instance, void** state) = nullptr;
  Answer (*state_size_)(void* instance, void* state, std::size_t* bytes) = nullptr;
  Answer (*serialize_)(void* instance, void* state, Byte* bytes, std::size_t size) = nullptr;
  Answer (*deserialize_)(void* instance, const Byte* bytes, std::size_t size, void** state) = nullptr;
};

}  // namespace tactus::drivers::fmi
