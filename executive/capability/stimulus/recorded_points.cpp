// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/recorded_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "config/text.hpp"
#include "config/unit.hpp"
#include "executive/driver/record_formats.hpp"
#include "executive/model/model_overlay.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::executive {
namespace {

using RecordedPoints = std::vector<std::pair<std::int64_t, double>>;

RecordedPoints read_points(const RecordFormat& format, const std::filesystem::path& file,
                           const std::string& name, const Variable& variable, std::int64_t from_ns,
                           std::vector<std::uint64_t>& in_memory, std::string& why) {
  const std::unique_ptr<RecordSource> source = format.driver->read(file);
  const std::vector<RecordColumn>& columns = source->head().columns;
  const auto column = std::ranges::find(columns, name, &RecordColumn::name);
  if (column == columns.end()) {
    why = file.string() + " has no column " + config::show(name) +
          config::meant(name, names_of(columns, &RecordColumn::name));
    return {};
  }
  const config::Unit unit = config::Unit::parse(column->unit);
  const bool exact = column->type == variable.type && !column->as_words;
  std::map<std::int64_t, std::int64_t> words;  // by the number of a word in the recording
  if (column->as_words)
    for (const VariableLabel& label : column->labels) {
      const auto meant = std::ranges::find(variable.labels, label.name, &VariableLabel::name);
      if (meant != variable.labels.end()) {
        words.emplace(label.value, meant->value);
        continue;
      }
      const std::vector<std::string> known = names_of(variable.labels, &VariableLabel::name);
      why = "column " + config::show(name) + " of " + file.string() + " has the word " +
            config::show(label.name) + ", which is not a value of '" + variable.name + "'" +
            (known.empty() ? std::string(": that has no names of values")
                           : "; its values are " + config::show_all(known));
      return {};
    }
  RecordedPoints points;
  std::vector<std::byte> record(record_bytes(source->head()));
  for (;;) {
    try {
      if (!source->next(record.data())) break;
    } catch (const DamagedRecord&) {
      continue;
    }
    std::int64_t time_ns = 0;
    std::uint64_t bits = 0;
    std::memcpy(&time_ns, record.data(), sizeof time_ns);
    std::memcpy(&bits, record.data() + column->offset, size_of(column->type));
    double value = overlay_number(column->type, bits);
    if (column->as_words) {
      const auto word = words.find(static_cast<std::int64_t>(value));
      if (word == words.end()) continue;
      value = static_cast<double>(word->second);
    } else {
      value = config::convert(value, unit, variable.unit);
    }
    if (time_ns < from_ns || !std::isfinite(value)) continue;
    if (!points.empty() && time_ns - from_ns <= points.back().first) continue;  // times rise
    points.emplace_back(time_ns - from_ns, value);
    in_memory.push_back(exact && unit == variable.unit ? bits : overlay_bits(variable.type, value));
  }
  if (points.empty()) why = file.string() + " has no value of " + config::show(name) + " in that time";
  return points;
}

}  // namespace

RecordedPoints recorded_points(const std::filesystem::path& file, const std::string& column,
                               const Variable& variable, std::int64_t from_ns,
                               std::vector<std::uint64_t>& in_memory, std::string& why) {
  try {
    const RecordFormats& formats = RecordFormats::kept();
    const RecordFormat* const format = formats.of_extension(file);
    if (format != nullptr) return read_points(*format, file, column, variable, from_ns, in_memory, why);
    why = "the name of a recording ends with one of " +
          config::show_all(names_of(formats.all(), &RecordFormat::extension)) + "; found " +
          config::show(file.filename().string());
  } catch (const std::exception& error) {
    why = error.what();
  }
  return {};
}

}  // namespace tactus::executive
