// SPDX-License-Identifier: Apache-2.0
#include "executive/report/signals.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "config/text.hpp"
#include "executive/model/suggest.hpp"
#include "executive/report/frame_times.hpp"
#include "executive/report/recorded_values.hpp"
#include "executive/report/recording_files.hpp"
#include "rtsync/text.hpp"

namespace tactus::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShown = 8;       // without names
constexpr std::size_t kMostNamed = 48;  // with names
constexpr std::size_t kLongestName = 200;

struct Wanted {
  std::size_t column;
  Signal signal;
};

/// Reads one recording; a width of columns is the distance of its first rows.
void read(RecordedValues& recorded, std::vector<Wanted>& wanted) {
  GrowingTime growing;
  std::optional<std::int64_t> first;
  bool begun = false;
  std::vector<double> of_first(wanted.size());
  while (recorded.next()) {
    const std::int64_t time = growing.of(recorded.time_ns());
    if (!first) {
      first = time;
      for (std::size_t i = 0; i < wanted.size(); ++i) of_first[i] = recorded.value(wanted[i].column);
      continue;
    }
    if (!begun) {
      begun = true;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        MinMaxColumns& columns = wanted[i].signal.columns =
            MinMaxColumns(std::max<std::int64_t>(1, time - *first));
        columns.add(*first, of_first[i]);
      }
    }
    for (Wanted& each : wanted) each.signal.columns.add(time, recorded.value(each.column));
  }
  if (first && !begun)  // a single row
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i].signal.columns.add(*first, of_first[i]);
}

}  // namespace

Signals read_signals(const fs::path& folder, const std::vector<std::string>& names) {
  Signals found;
  RecordingFiles files(folder, !names.empty(), found.remarks);
  std::vector<std::string> known;
  std::vector<bool> used(names.size());
  const std::size_t most = names.empty() ? kShown : kMostNamed;
  std::size_t left_out = 0;
  for (const RecordingFile& file : files.all()) {
    try {
      RecordedValues recorded(*file.format->driver, file.path);
      std::vector<Wanted> wanted;
      for (std::size_t i = 0; i < recorded.columns().size(); ++i) {
        const executive::RecordColumn& column = recorded.columns()[i];
        const std::string unit = column.unit == "1" ? "" : column.unit.substr(0, 40);
        if (known.size() < 10'000) known.push_back(column.name);
        bool chosen = names.empty();
        for (std::size_t n = 0; n < names.size(); ++n)
          if (rtsync::fits_pattern(column.name, names[n])) chosen = used[n] = true;
        if (!chosen) continue;
        if (found.signals.size() + wanted.size() >= most) {
          ++left_out;
          continue;
        }
        wanted.push_back({i, {column.name.substr(0, kLongestName), unit, file.recording, MinMaxColumns(1)}});
      }
      if (wanted.empty()) continue;
      read(recorded, wanted);
      for (std::string& remark : recorded.remarks()) found.remarks.push_back(std::move(remark));
      for (Wanted& each : wanted) {
        if (each.signal.columns.not_finite() > 0)
          found.remarks.push_back(each.signal.name + ": " + std::to_string(each.signal.columns.not_finite()) +
                                  " values are not finite numbers and left out");
        found.signals.push_back(std::move(each.signal));
      }
    } catch (const std::exception& failed) {
      found.remarks.emplace_back(failed.what());
    }
  }
  for (std::size_t n = 0; n < names.size(); ++n)
    if (!used[n])
      throw std::runtime_error("no recording of " + folder.string() + " has a variable " +
                               config::show(names[n]) + executive::did_you_mean(names[n], known));
  if (left_out > 0)
    found.remarks.push_back(std::to_string(left_out) + (left_out == 1 ? " variable" : " variables") +
                            " more: name those to be shown with --plot" +
                            (names.empty() ? "" : ", at most " + std::to_string(kMostNamed)));
  return found;
}

}  // namespace tactus::report
