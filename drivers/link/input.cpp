// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/input.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "executive/model/with_type.hpp"

namespace tactus::drivers::link {
namespace {

using executive::load_element;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Stamps are whatever their senders say: what is beyond the type is its end.
std::int64_t difference(std::int64_t a, std::int64_t b) TACTUS_RT {
  std::int64_t result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) return result;
  return b < 0 ? INT64_MAX : INT64_MIN;
}

/// The lowest and highest values of a type that are not outside of the limits.
template <class T>
double lowest_in(double low) {
  if (low <= static_cast<double>(std::numeric_limits<T>::lowest())) return std::numeric_limits<T>::lowest();
  T inside = static_cast<T>(low);
  if (static_cast<double>(inside) < low) inside = std::nextafter(inside, std::numeric_limits<T>::max());
  return static_cast<double>(inside);
}
template <class T>
double highest_in(double high) {
  return -lowest_in<T>(-high);
}

/// A straight line through two points, at `t`; in long double, where doubles cannot overflow. False: the
/// value is beyond the type.
template <class T>
bool draw(const std::byte* newer, const std::byte* older, long double t, double low, double high,
          std::byte* to) TACTUS_RT {
  const auto last = static_cast<long double>(load_element<T>(newer));
  const long double value = last + (last - static_cast<long double>(load_element<T>(older))) * t;
  if (!std::islessequal(std::fabs(value), static_cast<long double>(std::numeric_limits<T>::max())))
    return false;
  const auto narrow = static_cast<T>(std::clamp<long double>(value, low, high));
  std::memcpy(to, &narrow, sizeof narrow);
  return true;
}

}  // namespace

Input::Input(const Subscription& subscription, LinkVariables::Input& shown)
    : subscription_(subscription),
      shown_(shown),
      value_(subscription.layout.bytes),
      drawn_(subscription.layout.bytes),
      max_age_ns_(subscription.max_age ? subscription.max_age->count() : INT64_MAX) {
  for (std::size_t i = 0; i < subscription.variables.size(); ++i) {
    const Element& element = subscription.layout.elements[i];
    const std::size_t bytes = bytes_of(subscription.variables[i]);
    places_.push_back(
        {static_cast<std::byte*>(subscription.variables[i].data()), shown.values[i], element.offset, bytes});
    const bool is_float = element.type == TACTUS_FLOAT;
    if (subscription.on_late != OnLate::extrapolate || !(is_float || element.type == TACTUS_DOUBLE)) continue;
    const double low = element.low.value_or(-kInfinity);
    const double high = element.high.value_or(kInfinity);
    for (std::uint32_t e = 0; e < element.elements; ++e)
      lines_.push_back({element.offset + e * executive::size_of(element.type), is_float,
                        is_float ? lowest_in<float>(low) : lowest_in<double>(low),
                        is_float ? highest_in<float>(high) : highest_in<double>(high)});
  }
  newer_.block.resize(value_.size());
  older_.block.resize(value_.size());
}

void Input::start(std::int64_t virtual_ns) TACTUS_RT {
  for (const Place& place : places_) std::memcpy(value_.data() + place.offset, place.input, place.bytes);
  newest_ns_ = virtual_ns;
}

void Input::apply(const std::byte* block, std::int64_t stamp_ns) TACTUS_RT {
  std::memcpy(value_.data(), block, value_.size());
  newest_ns_ = shown_.messages == 0 ? stamp_ns : std::max(newest_ns_, stamp_ns);
  ++shown_.messages;
  if (!lines_.empty()) remember(block, stamp_ns);
}

void Input::remember(const std::byte* block, std::int64_t stamp_ns) TACTUS_RT {
  Point* to = &newer_;
  if (newer_.there && stamp_ns < newer_.stamp_ns) {
    if (older_.there && stamp_ns < older_.stamp_ns) return;
    to = &older_;
  } else if (newer_.there && stamp_ns > newer_.stamp_ns) {
    std::swap(newer_, older_);
  }
  std::memcpy(to->block.data(), block, value_.size());
  to->stamp_ns = stamp_ns;
  to->there = true;
}

bool Input::grow_old(std::int64_t virtual_ns) TACTUS_RT {
  shown_.age_ns = difference(virtual_ns, newest_ns_);
  const bool was = too_old_;
  too_old_ = shown_.age_ns > max_age_ns_;
  complained_ = complained_ && too_old_;
  return too_old_ && !was;
}

bool Input::complain() TACTUS_RT {
  if (!too_old_ || complained_) return false;
  complained_ = true;
  return true;
}

void Input::give(std::int64_t virtual_ns, bool late) TACTUS_RT {
  const auto was = static_cast<Source>(shown_.source);
  const bool kept = too_old_ && subscription_.at_max_age == AtMaxAge::hold;
  const bool by_default = (too_old_ && subscription_.at_max_age == AtMaxAge::default_value) ||
                          (late && subscription_.on_late == OnLate::default_value);
  Source source = shown_.messages == 0 ? Source::nothing : late ? Source::held : Source::message;
  if (by_default && !subscription_.default_block.empty())
    source = Source::default_value;
  else if (late && !kept && extrapolate(virtual_ns))
    source = Source::extrapolated;
  shown_.source = static_cast<std::int32_t>(source);
  if (source == Source::default_value)
    write(subscription_.default_block);
  else if (source == Source::extrapolated)
    write(drawn_);
  else if (source != Source::nothing || was != Source::nothing)
    write(value_);
  else
    for (const Place& place : places_) std::memcpy(place.shown, place.input, place.bytes);
}

bool Input::extrapolate(std::int64_t virtual_ns) TACTUS_RT {
  if (!older_.there || !newer_.there) return false;
  drawn_ = value_;  // of the same size: copied in place
  const auto last = static_cast<long double>(newer_.stamp_ns);
  const long double t =
      (static_cast<long double>(virtual_ns) - last) / (last - static_cast<long double>(older_.stamp_ns));
  for (const Line& line : lines_) {
    const std::byte* const newer = newer_.block.data() + line.offset;
    const std::byte* const older = older_.block.data() + line.offset;
    std::byte* const to = drawn_.data() + line.offset;
    if (!(line.is_float ? draw<float>(newer, older, t, line.low, line.high, to)
                        : draw<double>(newer, older, t, line.low, line.high, to)))
      return false;
  }
  return true;
}

void Input::write(const std::vector<std::byte>& block) TACTUS_RT {
  for (const Place& place : places_) {
    std::memcpy(place.input, block.data() + place.offset, place.bytes);
    std::memcpy(place.shown, block.data() + place.offset, place.bytes);
  }
}

}  // namespace tactus::drivers::link
