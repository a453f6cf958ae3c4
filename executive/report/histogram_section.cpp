// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "executive/report/axes.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/report/sections.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::report {
namespace {

constexpr std::size_t kMostRows = 500;
constexpr std::size_t kMostPlots = 6;
constexpr double kNsOfSecond = 1e9;

double number(const Json& of, const char* key) { return real_fact(of, key).value_or(0); }

std::string value_text(double value, const std::string& unit) {
  if (unit != "s" || value == 0 || value >= 1) return rtsync::format_text("%.4g %s", value, unit.c_str());
  return value < 1e-3 ? rtsync::format_text("%.3g µs", value * 1e6)
                      : rtsync::format_text("%.4g ms", value * 1e3);
}

std::string name_of(const Json& row) { return text_fact(row, "model") + "." + text_fact(row, "name"); }

/// "bus 3, rig 1"; empty: none was too large.
std::string causes_of(const Json& row) {
  std::string text;
  for (const auto& [cause, count] : list_fact(row, "too_large").items())
    if (count.is_number() && count.get<double>() > 0)
      text += (text.empty() ? "" : ", ") + cause + " " + count_text(count.get<std::int64_t>());
  return text;
}

Plot plot_of(const Json& row) {
  const double scale = text_fact(row, "unit") == "s" ? kNsOfSecond : 1;
  std::vector<std::pair<double, double>> classes;  // end, count
  double most = 1;
  for (const Json& each : list_fact(row, "classes")) {
    if (!each.is_array() || each.size() != 2 || !each[0].is_number() || !each[1].is_number()) continue;
    classes.emplace_back(std::max(1.0, each[0].get<double>() * scale), each[1].get<double>());
    most = std::max(most, classes.back().second);
  }
  Plot plot{.title = name_of(row), .height = 110};
  const auto end = static_cast<std::int64_t>(classes.empty() ? 1 : classes.back().first);
  const auto begin = static_cast<std::int64_t>(classes.empty() ? 1 : classes.front().first / 1.25);
  plot.x = scale == 1 ? linear_axis(0, static_cast<double>(end), text_fact(row, "unit"))
                      : time_axis(std::max<std::int64_t>(1, begin), std::max<std::int64_t>(2, end));
  plot.y = count_axis(static_cast<std::uint64_t>(most));
  for (const auto& [to, count] : classes) {
    Bars bars{.ink = Ink::late};
    bars.width = to * 0.2;  // a class is a quarter of a power of two
    bars.bars.push_back({to * 0.8, plot.y.from, count});
    plot.bars.push_back(std::move(bars));
  }
  return plot;
}

}  // namespace

Section histogram_section(const RunData& run) {
  Section section{"histograms", "Measured by models"};
  std::vector<const Json*> rows;
  for (const Json& each : list_fact(run.summary(), "histograms"))
    if (each.is_object() && number(each, "count") > 0) rows.push_back(&each);
  if (rows.empty()) return section;
  std::vector<std::string> remarks;
  for (const Json* const row : rows) {
    const std::string remark = text_fact(*row, "not_measured");
    const std::string text = text_fact(*row, "model") + ": " + remark;
    if (!remark.empty() && std::ranges::find(remarks, text) == remarks.end()) remarks.push_back(text);
  }
  for (const std::string& remark : remarks) section.say(remark);
  std::ranges::stable_sort(rows, std::greater{}, [](const Json* row) { return number(*row, "longest"); });
  Table table{named(
      {"Histogram", ">Values", ">p50", ">p99", ">p99.9", ">longest", ">limit", "Above the limit, by cause"})};
  for (const Json* const row : rows) {
    if (table.rows.size() >= kMostRows) break;
    const std::string unit = text_fact(*row, "unit"), causes = causes_of(*row);
    const auto value = [&](const char* key) { return value_text(number(*row, key), unit); };
    table.rows.push_back({{name_of(*row), Tone::code},
                          {count_text(static_cast<std::int64_t>(number(*row, "count")))},
                          {value("p50")},
                          {value("p99")},
                          {value("p99_9")},
                          {value("longest")},
                          {number(*row, "limit") > 0 ? value("limit") : ""},
                          {causes, causes.empty() ? Tone::plain : Tone::bad}});
  }
  if (rows.size() > kMostRows)
    table.rows.push_back({{count_text(static_cast<std::int64_t>(rows.size() - kMostRows)) + " more"}});
  section.add(std::move(table));
  for (std::size_t i = 0; i < std::min(kMostPlots, rows.size()); ++i)
    if (number(*rows[i], "longest") > 0) {
      section.say(name_of(*rows[i]));
      section.add(plot_of(*rows[i]));
    }
  return section;
}

}  // namespace tactus::report
