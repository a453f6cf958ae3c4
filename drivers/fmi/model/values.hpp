// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The memory in which a rig and a unit exchange the values of variables of one type: one call of the unit sets or gets
/// them all, without a copy where both have the same form.
///
/// Threads  add(): setup. The others: the thread that calls the unit.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drivers/fmi/description/description.hpp"
#include "drivers/fmi/model/unit_text.hpp"
#include "drivers/fmi/unit/unit.hpp"

namespace tactus::drivers::fmi {

/// A variable of the unit that the rig has.
struct RigVariable {
  const Variable* of = nullptr;
  std::string name{};  ///< name in the rig, without the model's
  RigUnit unit{};
  std::uint32_t elements = 1;  ///< elements of an array
  bool array = false;
  std::uint32_t columns = 0;  ///< columns of an array of two dimensions; 0: another
};

class Values {
 public:
  Values(Type type, Version version) : type_(type), version_(version) {}

  Type type() const { return type_; }
  /// Returns true if a variable may join: all have one type, and the same clocks.
  bool takes(const RigVariable& variable) const {
    return variables_.empty() || (variable.of->type == type_ && variable.of->clocks == clocks());
  }
  /// Value references of the clocks that its variables belong to; none: to the whole unit. After the first add().
  const std::vector<std::uint32_t>& clocks() const { return variables_.front().of->clocks; }
  bool empty() const { return references_.empty(); }
  void add(const RigVariable& variable);
  const std::vector<RigVariable>& variables() const { return variables_; }
  /// Makes the memory, with the start values. After the last add(). @when setup
  void lay_out();
  /// Memory of a variable as the rig has it. After lay_out(). @when setup
  void* data(std::size_t variable);
  /// Call that sets or gets all, for a list of them; of one that converts() between to_unit() and from_unit().
  Transfer transfer() const {
    return {type_, references_.data(), references_.size(), unit_.get(), elements_};
  }
  bool converts() const { return copies_; }
  void to_unit() noexcept;    ///< @when rt
  void from_unit() noexcept;  ///< @when rt
  /// Sets all; `how`: set_start or set_input.                                                     @when rt
  Status set(Unit& unit, Call how) noexcept;
  /// Sets all, if one of them is another than it was set last.                                  @when rt
  Status set_changed(Unit& unit, Call how) noexcept;
  /// Forgets what was set: the unit is in another state.                                        @when rt
  void forget_set() noexcept { *last_ = std::byte{0}; }
  /// Sets all in event mode.                                                                     @when rt
  Status set_in_event(Unit& unit) noexcept;
  /// Returns true if one of them is another than it was set last.                               @when rt
  bool has_changed() noexcept;
  /// Keeps what was set last in memory of the caller, bytes_of_last() of it, so that a checkpoint has it.
  /// After lay_out().                                                                                @when setup
  void keep_last_in(std::byte* memory) noexcept;
  std::size_t bytes_of_last() const noexcept { return 1 + elements_ * storage_of(type_, version_); }
  bool is_kept_outside() const noexcept { return own_last_ == nullptr; }
  /// Sets those that are not their start values: the unit has these already.                    @when setup
  Status set_other_than_start(Unit& unit);
  /// Gets all.                                                                                   @when rt
  Status get(Unit& unit) noexcept;

 private:
  template <class T>
  void convert(bool to_unit) noexcept;
  void note_set() noexcept;
  /// Bytes of an element in the rig.
  std::size_t rig_bytes() const { return type_ == Type::boolean ? 1 : storage_of(type_, version_); }

  Type type_;
  Version version_;
  std::vector<RigVariable> variables_;
  std::vector<std::size_t> offsets_;  // of the variables, in elements
  std::vector<std::uint32_t> references_;
  std::size_t elements_ = 0;
  bool copies_ = false;  // the rig's form is another
  std::unique_ptr<std::uint64_t[]> rig_, unit_, start_;
  std::unique_ptr<std::byte[]> own_last_;
  std::byte* last_ = nullptr;  // 1 if it is known, else 0; then what was set last, in the form of the unit
};

}  // namespace tactus::drivers::fmi
