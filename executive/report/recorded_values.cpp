// SPDX-License-Identifier: Apache-2.0
#include "executive/report/recorded_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>

#include "executive/model/with_type.hpp"

namespace tactus::report {
namespace {

constexpr std::int64_t kLargest = 900'000'000'000'000'000;

}  // namespace

RecordedValues::RecordedValues(const executive::RecordDriver& driver, const std::filesystem::path& file)
    : name_(file.filename().string()), source_(driver.read(file)) {
  const executive::RecordedFile found = driver.examine(file);
  if (!found.damage.empty()) remarks_.push_back(name_ + ": " + found.damage);
  if (found.damage.empty() && found.whole < found.bytes)
    remarks_.push_back(name_ + " ends in the middle of a record (" +
                       std::to_string(found.bytes - found.whole) +
                       " bytes), as a kill leaves it; `tactus recover` cuts that off");
  else if (!found.unended.empty())
    remarks_.push_back(name_ + " was not closed, as a kill or a running rig leaves it: it lacks " +
                       found.unended + ", which `tactus recover` adds after the run");
  record_.resize(executive::record_bytes(source_->head()));
}

std::optional<std::size_t> RecordedValues::find(std::string_view name) const {
  const auto found = std::ranges::find(columns(), name, &executive::RecordColumn::name);
  if (found == columns().end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns().begin());
}

bool RecordedValues::next() {
  for (;;) {
    try {
      if (!source_->next(record_.data())) return false;
    } catch (const executive::DamagedRecord&) {
      ++damaged_;
      continue;
    } catch (const std::exception& failed) {
      remarks_.push_back(std::string(failed.what()) + "; what follows record " + std::to_string(records_) +
                         " is not shown");
      return false;
    }
    ++records_;
    std::memcpy(&time_ns_, record_.data(), sizeof time_ns_);
    if (time_ns_ <= kLargest && time_ns_ >= -kLargest) return true;
    discard();
  }
}

double RecordedValues::value(std::size_t column) const {
  const executive::RecordColumn& from = columns()[column];
  return executive::with_type(from.type, [&](auto zero) {
    return static_cast<double>(executive::load_element<decltype(zero)>(record_.data() + from.offset));
  });
}

std::optional<std::int64_t> RecordedValues::integer(std::size_t column) const {
  const executive::RecordColumn& from = columns()[column];
  return executive::with_type(from.type, [&](auto zero) -> std::optional<std::int64_t> {
    const auto number = executive::load_element<decltype(zero)>(record_.data() + from.offset);
    if (!(std::abs(static_cast<double>(number)) <= static_cast<double>(kLargest))) return std::nullopt;
    return static_cast<std::int64_t>(number);
  });
}

std::string_view RecordedValues::label(std::size_t column) const {
  const std::vector<executive::VariableLabel>& labels = columns()[column].labels;
  if (labels.empty()) return "";
  const auto number = integer(column);
  const auto found = std::ranges::find_if(
      labels, [number](const executive::VariableLabel& label) { return number && label.value == *number; });
  return found == labels.end() ? std::string_view() : found->name;
}

std::vector<std::string> RecordedValues::remarks() const {
  std::vector<std::string> all = remarks_;
  if (damaged_ > 0)
    all.push_back(name_ + ": " + std::to_string(damaged_) + (damaged_ == 1 ? " row is" : " rows are") +
                  " damaged and left out");
  return all;
}

}  // namespace tactus::report
