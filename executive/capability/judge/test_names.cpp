// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/test_names.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "config/text.hpp"

namespace tactus::executive {

using config::Expression;

std::optional<config::ExpressionNames::Found> TestNames::find(const std::string& name,
                                                              std::string& why) const {
  if (const auto event = events_.find(name); event != events_.end()) {
    return Found{.type = config::CellType::truth, .cell = event->second};
  }
  if (name.find('.') != std::string::npos) {
    auto found = variables_.find(name, why);
    if (found) found->key *= 2;  // odd ones are recordings
    return found;
  }
  if (broken_.contains(name)) return std::nullopt;
  std::vector<std::string> known;
  for (const auto& [event, cell] : events_) known.push_back(event);
  why = "there is no event " + config::show(name) + " before this place" + config::meant(name, known) +
        "; a variable is written model.variable";
  return std::nullopt;
}

std::optional<config::ExpressionNames::Found> TestNames::find_recording(const Expression& recording,
                                                                        const std::string& value,
                                                                        std::string& why) const {
  const auto refuse = [&why](std::string text) {
    why = std::move(text);
    return std::nullopt;
  };
  const std::string& column = recording.unit.empty() ? value : recording.unit;
  if (column.empty())
    return refuse(
        "the value beside the recording has no name that is one of its columns; name the column, as " +
        recording.word + ":motor.angle");
  const Reference* const reference = references_.find(recording.word, column, file_, why);
  if (reference == nullptr) return std::nullopt;
  const auto part = static_cast<ReferencePart>(recording.exponent);
  const std::string id = file_ + "|" + recording.word + "|" + column + "|" +
                         std::to_string(recording.exponent) + "|" +
                         std::to_string(part == ReferencePart::value ? 0 : reach_.count());
  const auto known = std::ranges::find_if(read_, [&](const auto& each) { return each.first == id; });
  Found found{.unit = reference->unit(), .key = static_cast<std::uint32_t>(2 * (known - read_.begin()) + 1)};
  if (known != read_.end()) return found;
  try {
    ReferenceValues values = part == ReferencePart::value
                                 ? reference->values(frame_)
                                 : reference->envelope(frame_, reach_, part == ReferencePart::greatest);
    const std::int64_t last = frames_ > INT64_MAX - shift_ ? INT64_MAX : frames_ + shift_;
    const auto end = std::min(last, static_cast<std::int64_t>(values->size()));
    if (std::all_of(values->begin(), values->begin() + end, [](double each) { return std::isnan(each); }))
      return refuse(
          config::show(recording.word) + " has no value of " + config::show(column) +
          " in any frame of the run; take a recording of the same simulated time, or a later 'until'");
    read_.emplace_back(id, std::move(values));
  } catch (const std::runtime_error& error) {
    return refuse(config::show(recording.word) + ": " + error.what());
  }
  return found;
}

TestInput TestNames::input(std::uint32_t key) const {
  if (key % 2 == 0) return {variables_.variables()[key / 2], nullptr};
  return {{}, read_[key / 2].second};
}

void take_envelope(Expression& within) {
  Expression recording = std::move(within.parts[2]);
  if (recording.unit.empty() && within.parts[0].kind == Expression::Kind::name)
    recording.unit = within.parts[0].word;
  const auto call = [&](const char* word, Expression a, Expression b) {
    Expression made{.kind = Expression::Kind::call, .at = recording.at, .end = recording.end, .word = word};
    made.parts.push_back(std::move(a));
    made.parts.push_back(std::move(b));
    return made;
  };
  Expression least = recording, greatest = recording;
  least.exponent = static_cast<int>(ReferencePart::least);
  greatest.exponent = static_cast<int>(ReferencePart::greatest);
  within.parts[2] = call("max", std::move(least), call("min", within.parts[0], std::move(greatest)));
}

}  // namespace tactus::executive
