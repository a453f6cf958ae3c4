// SPDX-License-Identifier: Apache-2.0
#include "executive/report/verdict_curves.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "executive/report/json_facts.hpp"
#include "executive/report/recorded_values.hpp"
#include "executive/report/recording_files.hpp"

namespace tactus::report {
namespace {

constexpr std::size_t kMostCurves = 8;
constexpr std::int64_t kBeforeNs = 1'000'000'000;
constexpr std::int64_t kAfterNs = 500'000'000;

/// Names of the variables of a chart: its signals, then its reference.
std::vector<std::string> charted_names(const Json& row) {
  std::vector<std::string> names;
  for (const Json& name : list_fact(row, "chart.signals"))
    if (name.is_string()) names.push_back(name);
  if (const std::string reference = text_fact(row, "chart.reference"); !reference.empty())
    names.push_back(reference);
  return names;
}

struct WantedCurve {
  std::size_t column;
  VerdictCurves* of;
  VerdictCurves::Curve curve;
};

/// `only`: index of the one whose curves the recording has; nothing: it may have those of each.
void read_curves(const RecordingFile& file, std::optional<std::size_t> only, std::vector<VerdictCurves>& all,
                 const std::vector<std::vector<std::string>>& names, std::int64_t period_ns) {
  RecordedValues recorded(*file.format->driver, file.path);
  std::vector<WantedCurve> wanted;
  for (std::size_t i = only.value_or(0); i < (only ? *only + 1 : all.size()); ++i)
    for (const std::string& name : names[i]) {
      const auto column = recorded.find(name);
      const auto& known = all[i].curves;
      if (!column || std::ranges::any_of(known, [&](const auto& each) { return each.name == name; }))
        continue;
      const std::string& unit = recorded.columns()[*column].unit;
      wanted.push_back({*column, &all[i], {name, unit == "1" ? "" : unit, MinMaxColumns(period_ns)}});
    }
  if (wanted.empty()) return;
  while (recorded.next())
    for (WantedCurve& each : wanted)
      if (recorded.time_ns() >= each.of->from_ns && recorded.time_ns() <= each.of->to_ns)
        each.curve.columns.add(recorded.time_ns(), recorded.value(each.column));
  for (WantedCurve& each : wanted)
    if (!each.curve.columns.columns().empty()) each.of->curves.push_back(std::move(each.curve));
}

}  // namespace

std::vector<VerdictCurves> read_verdict_curves(const std::filesystem::path& folder, const Json& test,
                                               std::int64_t period_ns) {
  std::vector<VerdictCurves> all;
  std::vector<std::vector<std::string>> names;
  std::vector<std::string> kept_in;
  const auto end = real_fact(test, "simulated_s");
  for (const bool failed : {true, false})
    for (const Json& row : list_fact(test, "expectations")) {
      if (text_fact(row, "verdict") != (failed ? "fail" : "pass") || all.size() >= kMostCurves) continue;
      const bool band = real_fact(row, "chart.low") || real_fact(row, "chart.high");
      if (charted_names(row).empty() || (!failed && !band)) continue;
      VerdictCurves made{text_fact(row, "name")};
      made.to_ns = static_cast<std::int64_t>(end.value_or(0) * 1e9);
      if (const auto time = real_fact(row, "time_s"); failed && time) {
        const auto at = static_cast<std::int64_t>(*time * 1e9);
        made.from_ns = std::max<std::int64_t>(0, at - kBeforeNs);
        made.to_ns = std::min(made.to_ns, at + kAfterNs);
      }
      all.push_back(std::move(made));
      names.push_back(charted_names(row));
      kept_in.push_back(text_fact(row, "recording"));
    }
  if (all.empty()) return all;
  std::vector<std::string> remarks;
  const auto read = [&](const RecordingFile& file, std::optional<std::size_t> only) {
    try {
      read_curves(file, only, all, names, period_ns);
    } catch (const std::exception&) {  // the section of the signals says why
    }
  };
  // What was kept around a failure has each frame; a recording may have fewer.
  const RecordingFiles kept(folder / "verdicts", false, remarks);
  for (const RecordingFile& file : kept.all())
    for (std::size_t i = 0; i < all.size(); ++i)
      if (kept_in[i] == "verdicts/" + file.path.filename().string()) read(file, i);
  const RecordingFiles files(folder, true, remarks);
  for (const RecordingFile& file : files.all()) read(file, std::nullopt);
  for (std::size_t i = 0; i < all.size(); ++i)
    std::ranges::stable_sort(all[i].curves, [&](const auto& a, const auto& b) {
      const auto place = [&](const auto& each) { return std::ranges::find(names[i], each.name); };
      return place(a) < place(b);
    });
  return all;
}

}  // namespace tactus::report
