// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/values.hpp"

#include <algorithm>
#include <cstring>

namespace tactus::drivers::fmi {
namespace {

std::unique_ptr<std::uint64_t[]> memory(std::size_t bytes) {
  return std::make_unique<std::uint64_t[]>(bytes / sizeof(std::uint64_t) + 1);
}

template <class T>
T* as(const std::unique_ptr<std::uint64_t[]>& of) {
  return reinterpret_cast<T*>(of.get());
}

/// Writes a number in the form of its type.
void put(std::byte* to, std::size_t bytes, auto value) { std::memcpy(to, &value, bytes); }

}  // namespace

void Values::add(const RigVariable& variable) {
  variables_.push_back(variable);
  offsets_.push_back(elements_);
  references_.push_back(variable.of->reference);
  elements_ += variable.elements;
  copies_ = copies_ || variable.unit.converts() || (type_ == Type::boolean && version_ == Version::fmi2);
}

void Values::lay_out() {
  const std::size_t unit_bytes = elements_ * storage_of(type_, version_);
  unit_ = memory(unit_bytes);
  if (copies_) rig_ = memory(elements_ * 8);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Start& start = variables_[i].of->start;
    for (std::uint32_t k = 0; k < variables_[i].elements; ++k) {
      const std::size_t at = offsets_[i] + k;
      const auto pick = [&](const auto& list) {
        using T = typename std::decay_t<decltype(list)>::value_type;
        return list.empty() ? T{} : list[list.size() == 1 ? 0 : std::min<std::size_t>(k, list.size() - 1)];
      };
      const std::size_t one = storage_of(type_, version_);
      std::byte* const to = as<std::byte>(unit_) + at * one;
      if (type_ == Type::float64)
        put(to, one, pick(start.numbers));
      else if (type_ == Type::float32)
        put(to, one, static_cast<float>(pick(start.numbers)));
      else
        put(to, one, pick(start.wholes));
    }
  }
  from_unit();
  start_ = memory(unit_bytes);
  own_last_ = std::make_unique<std::byte[]>(bytes_of_last());
  last_ = own_last_.get();
  to_unit();  // what the rig has, there and back
  std::memcpy(start_.get(), unit_.get(), unit_bytes);
}

void* Values::data(std::size_t variable) {
  return as<std::byte>(copies_ ? rig_ : unit_) + offsets_[variable] * rig_bytes();
}

/// Brings values of this type from the rig to the unit, or back.
template <class T>
void Values::convert(bool to_unit) noexcept {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const RigUnit& unit = variables_[i].unit;
    for (std::size_t at = offsets_[i]; at < offsets_[i] + variables_[i].elements; ++at) {
      T& in_rig = as<T>(rig_)[at];
      T& in_unit = as<T>(unit_)[at];
      if (to_unit)
        in_unit = unit.converts() ? static_cast<T>((in_rig - unit.offset) / unit.factor) : in_rig;
      else
        in_rig = unit.converts() ? static_cast<T>(unit.factor * in_unit + unit.offset) : in_unit;
    }
  }
}

void Values::to_unit() noexcept {
  if (!copies_) return;
  if (type_ == Type::float32) return convert<float>(true);
  if (type_ != Type::boolean) return convert<double>(true);
  for (std::size_t i = 0; i < elements_; ++i) as<int>(unit_)[i] = as<std::uint8_t>(rig_)[i] != 0 ? 1 : 0;
}

void Values::from_unit() noexcept {
  if (!copies_) return;
  if (type_ == Type::float32) return convert<float>(false);
  if (type_ != Type::boolean) return convert<double>(false);
  for (std::size_t i = 0; i < elements_; ++i) as<std::uint8_t>(rig_)[i] = as<int>(unit_)[i] != 0 ? 1 : 0;
}

Status Values::set(Unit& unit, Call how) noexcept {
  if (empty()) return Status::ok;
  to_unit();
  return unit.set(how, transfer());
}

bool Values::has_changed() noexcept {
  if (empty()) return false;
  to_unit();
  return *last_ == std::byte{0} || std::memcmp(last_ + 1, unit_.get(), bytes_of_last() - 1) != 0;
}

void Values::note_set() noexcept {
  *last_ = std::byte{1};
  std::memcpy(last_ + 1, unit_.get(), bytes_of_last() - 1);
}

void Values::keep_last_in(std::byte* memory) noexcept {
  last_ = memory;
  own_last_.reset();
}

Status Values::set_changed(Unit& unit, Call how) noexcept {
  if (!has_changed()) return Status::ok;
  note_set();
  return unit.set(how, transfer());
}

Status Values::set_in_event(Unit& unit) noexcept {
  to_unit();
  note_set();
  return unit.set(Call::handle_event, transfer());
}

Status Values::set_other_than_start(Unit& unit) {
  Status worst = Status::ok;
  to_unit();
  const std::size_t one = storage_of(type_, version_);
  note_set();
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const std::size_t bytes = variables_[i].elements * one;
    std::byte* const now = as<std::byte>(unit_) + offsets_[i] * one;
    const Start& start = variables_[i].of->start;
    const bool sized_anew = start.numbers.size() + start.wholes.size() != variables_[i].elements;
    if (bytes == 0 ||
        (!sized_anew && std::memcmp(now, as<std::byte>(start_) + offsets_[i] * one, bytes) == 0 &&
         start.given))
      continue;
    worst =
        std::max(worst, unit.set(Call::set_start, {type_, &references_[i], 1, now, variables_[i].elements}));
  }
  return worst;
}

Status Values::get(Unit& unit) noexcept {
  if (empty()) return Status::ok;
  const Status status = unit.get(transfer());
  if (is_good(status)) from_unit();
  return status;
}

}  // namespace tactus::drivers::fmi
