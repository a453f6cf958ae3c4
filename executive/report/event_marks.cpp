// SPDX-License-Identifier: Apache-2.0
#include "executive/report/event_marks.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace tactus::report {
namespace {

constexpr double kRoom = 0.14;            // of the width: a mark and its words
constexpr std::size_t kMostLetters = 14;  // letters

const char* sign_of(const std::string& what) {
  if (what == "event") return "\u25c6";
  if (what == "fault on") return "\u25bc";
  if (what == "fault off") return "\u25b3";
  if (what == "stimulus on") return "\u25cf";
  return what == "stimulus off" ? "\u25cb" : "\u25b8";
}

}  // namespace

void mark_events(Plot& plot, const RunData& run) {
  const RunJournal& journal = run.files.journal;
  if (journal.went_back) return;
  double begin = -1;  // place of the mark that is being gathered
  std::size_t number = 0;
  for (const RunJournal::Happened& each : journal.happened) {
    const double at = static_cast<double>(each.frame) * static_cast<double>(run.period_ns) * 1e-9;
    if (at < plot.x.from || at > plot.x.to) continue;
    const double place = place_on(plot.x, at);
    std::string name = each.name.substr(0, kMostLetters);
    if (number > 0 && place - begin < kRoom) {
      plot.marks.back().label = std::to_string(++number) + " marks";
      continue;
    }
    begin = place;
    number = 1;
    plot.marks.push_back({true, at, std::string(sign_of(each.what)) + " " + std::move(name), false, true});
  }
}

}  // namespace tactus::report
