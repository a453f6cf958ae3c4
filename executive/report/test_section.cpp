// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "config/unit.hpp"
#include "executive/report/axes.hpp"
#include "executive/report/event_marks.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/report/sections.hpp"

// What the expectations of a test have come to.
namespace tactus::report {
namespace {

/// "✕ fail": a sign is beside each word.
Cell verdict_cell(const std::string& verdict, bool counts) {
  if (verdict == "pass") return {"\u2713 pass", Tone::good};
  if (verdict == "fail" || verdict == "error")
    return {counts ? "\u2715 " + verdict : "\u25b2 " + verdict, Tone::bad};
  if (verdict == "untested") return {"\u25cb untested", Tone::cause};
  return {"? " + verdict, Tone::cause};
}

bool it_counts(const Json& row) {
  const std::string severity = text_fact(row, "severity");
  return severity == "fail" || severity == "stop";
}

std::string unit_text(double value, const std::string& unit) {
  return digits_text(value) + (unit.empty() ? "" : " " + unit);
}

/// A distance of two values in that unit: of temperatures in K.
std::string distance_text(double value, const std::string& unit) try {
  const config::Unit of = config::Unit::parse(unit);
  if (!of.has_zero_point()) return unit_text(value, unit);
  return unit_text(convert(value, of.without_zero_point(), config::Unit::parse("K")), "K");
} catch (const std::invalid_argument&) {  // of a recording from elsewhere
  return unit_text(value, unit);
}

std::string row_margin(const Json& row) {
  const auto margin = real_fact(row, "margin");
  if (true_fact(row, "no_value")) return "no value";
  if (!margin) {
    const std::string why = text_fact(row, "no_margin");
    return why.empty() ? "\u2013" : "none: " + why;
  }
  return *margin < 0 ? "over by " + unit_text(-*margin, text_fact(row, "unit"))
                     : unit_text(*margin, text_fact(row, "unit")) + " left";
}

/// Share of the limit that was used: 1 at the limit.
double used_share(const Json& row) {
  const auto margin = real_fact(row, "margin"), limit = real_fact(row, "chart.limit");
  return margin && limit && *limit > 0 ? std::clamp(1 - *margin / *limit, 0.0, 1.0) : -1;
}

Table verdict_table(const Json& test) {
  Table table{named({"Verdict", "Expectation", "Expects", "Requirement", ">Margin", ">Frame", ">At"})};
  for (const Json& row : list_fact(test, "expectations")) {
    const auto frame = integer_fact(row, "frame");
    const auto time = real_fact(row, "time_s");
    const std::string why = text_fact(row, "why"), severity = text_fact(row, "severity");
    Cell verdict = verdict_cell(text_fact(row, "verdict"), it_counts(row));
    if (!why.empty()) verdict.text += " (" + why + ")";
    if (!it_counts(row)) verdict.text += ", " + severity + " only";
    table.rows.push_back({std::move(verdict),
                          {text_fact(row, "name")},
                          {text_fact(row, "expects"), Tone::code, -1, true},
                          {text_fact(row, "requirement")},
                          {row_margin(row), Tone::plain, used_share(row)},
                          {frame ? count_text(*frame) : "\u2013"},
                          {time ? unit_text(*time, "s") : "\u2013"}});
  }
  return table;
}

/// Conversion of the values of a curve: value * gain + offset.
struct CurveScale {
  double gain = 1, offset = 0;
  double of(double value) const { return value * gain + offset; }
};

Line curve_line(const VerdictCurves::Curve& curve, const CurveScale& scale, Ink ink, bool dashed) {
  Line line{ink, dashed, curve.name, {}};
  curve.columns.each([&](double at, const MinMaxColumns::Column& column) {
    line.points.emplace_back(at, scale.of(column.first));
    if (column.count == 1) return;
    for (const double value : {column.least, column.greatest, column.last})
      line.points.emplace_back(at, scale.of(value));
  });
  return line;
}

/// Returns true if the curve can be drawn with the axis of the first one. A row of an older run does not
/// say how a reference in another unit is converted.
bool shares_axis(const VerdictCurves& of, const VerdictCurves::Curve& curve, const Json& row) {
  return curve.unit == of.curves.front().unit ||
         (curve.name == text_fact(row, "chart.reference") && real_fact(row, "chart.gain"));
}

/// The curves of an expectation with the band in which it holds; a reference is dashed.
Plot curves_plot(const VerdictCurves& of, const Json& row) {
  static constexpr Ink kInks[] = {Ink::work, Ink::late, Ink::fourth, Ink::fifth};
  const auto low = real_fact(row, "chart.low"), high = real_fact(row, "chart.high");
  const std::string reference = text_fact(row, "chart.reference");
  const CurveScale around{real_fact(row, "chart.gain").value_or(1),
                          real_fact(row, "chart.offset").value_or(0)};
  const VerdictCurves::Curve& first = of.curves.front();
  Plot plot{.title = of.expectation + ": " + first.name, .height = 200};
  double least = first.columns.least(), greatest = first.columns.greatest();
  std::size_t ink = 0;
  for (const VerdictCurves::Curve& curve : of.curves) {
    if (!shares_axis(of, curve, row)) continue;
    const bool is_reference = curve.name == reference;
    const CurveScale scale = is_reference ? around : CurveScale{};
    plot.lines.push_back(curve_line(curve, scale, is_reference ? Ink::soft : kInks[ink++ % 4], is_reference));
    least = std::min(least, scale.of(curve.columns.least()) + (is_reference ? low.value_or(0) : 0));
    greatest = std::max(greatest, scale.of(curve.columns.greatest()) + (is_reference ? high.value_or(0) : 0));
    if (!is_reference) continue;
    for (const auto& limit : {low, high}) {
      if (!limit || *limit == 0) continue;
      plot.lines.push_back(curve_line(curve, {scale.gain, scale.offset + *limit}, Ink::slack, true));
      plot.lines.back().name +=
          (*limit < 0 ? " \u2212 " : " + ") + distance_text(std::abs(*limit), first.unit);
    }
  }
  if (reference.empty()) {
    for (const auto& limit : {low, high})
      if (limit) {
        plot.marks.push_back({false, *limit, unit_text(*limit, first.unit)});
        least = std::min(least, *limit);
        greatest = std::max(greatest, *limit);
      }
  }
  if (const auto frame = integer_fact(row, "frame"))
    plot.marks.push_back({true, real_fact(row, "time_s").value_or(0), "\u2715 frame " + count_text(*frame)});
  plot.x = run_axis(of.from_ns, std::max(of.to_ns, of.from_ns + 1));
  plot.y = linear_axis(least, greatest, first.unit);
  return plot;
}

/// Says why the band cannot be drawn: what it is around was not recorded, or is not known in the unit of the axis.
std::string without_reference(const VerdictCurves& of, const Json& row) {
  const std::string reference = text_fact(row, "chart.reference");
  if (reference.empty()) return "";
  const auto curve =
      std::ranges::find_if(of.curves, [&](const auto& each) { return each.name == reference; });
  if (curve == of.curves.end()) return "; " + reference + " was not recorded, so no band is drawn";
  if (shares_axis(of, *curve, row)) return "";
  return "; " + reference + " is in " + (curve->unit.empty() ? "no unit" : curve->unit) +
         ", so no band is drawn";
}

}  // namespace

Section test_section(const RunData& run) {
  const Json* const test = run.test();
  Section section{"test", "Test"};
  section.say("Test " + text_fact(*test, "test") + ": " + text_fact(*test, "verdict") + ".");
  section.add(verdict_table(*test));
  for (const VerdictCurves& of : run.verdict_curves)
    for (const Json& row : list_fact(*test, "expectations")) {
      if (text_fact(row, "name") != of.expectation) continue;
      section.say(of.expectation + ": " + text_fact(row, "expects") + ". " +
                  (of.curves.empty() ? "Its variables were not recorded." : text_fact(row, "says")) +
                  (of.curves.empty() ? "" : without_reference(of, row)));
      if (of.curves.empty()) continue;
      Plot plot = curves_plot(of, row);
      mark_events(plot, run);
      section.add(std::move(plot));
    }
  return section;
}

}  // namespace tactus::report
