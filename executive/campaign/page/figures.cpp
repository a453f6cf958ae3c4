// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/page/figures.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "config/number.hpp"
#include "executive/campaign/file/campaign_file.hpp"
#include "executive/campaign/file/cases.hpp"
#include "executive/campaign/page/results.hpp"
#include "executive/campaign/page/sure_text.hpp"
#include "executive/campaign/statistics/compare.hpp"
#include "executive/campaign/statistics/order.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::campaign {
namespace {

namespace fs = std::filesystem;

/// Counts of the cases of a draw by their verdicts.
struct Draw {
  std::int64_t cases = 0, passed = 0, failed = 0;
};

/// Counts the cases of a draw that `exclude:` does not leave out.
std::int64_t cases_of(const Cases& cases, std::int64_t draw, std::int64_t size) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < size; ++i) count += cases.at(draw * size + i).excluded ? 0 : 1;
  return count;
}

Json bounds(const std::optional<double>& low, const std::optional<double>& high) {
  return {low ? Json(*low) : Json(nullptr), high ? Json(*high) : Json(nullptr)};
}

/// A draw passes if all of its cases do, and fails if one does.
Json draws_json(const std::map<std::int64_t, Draw>& draws, const CampaignFile& file, const Cases& cases,
                std::int64_t size) {
  std::int64_t passed = 0, judged = 0, open = 0;
  for (const auto& [number, draw] : draws) {
    const bool whole = draw.cases == size || draw.cases == cases_of(cases, number, size);
    const bool passes = whole && draw.passed == draw.cases;
    if (!passes && draw.failed == 0) {
      ++open;
      continue;
    }
    ++judged;
    passed += passes ? 1 : 0;
  }
  const PassRate rate = pass_rate(passed, judged, file.cases.method);
  Json json{{"passed", passed}, {"judged", judged}, {"not_judged", open}, {"rate", rate.rate}};
  const bool by_results = file.cases.until_sure.has_value();
  json["interval"] =
      rate.has_interval && !by_results ? Json({rate.interval.low, rate.interval.high}) : Json(nullptr);
  json["why_no_interval"] = by_results
                                ? "the results ended the draws, so that only the interval of until_sure holds"
                                : rate.why_none;
  return json;
}

/// Counts the draws again, in their order, as the runner did.
Json until_sure_json(const fs::path& folder, const CampaignFile& file, const Cases& cases,
                     std::int64_t size) {
  Database database(folder / Store::kFile, Database::Use::read);
  VerdictReader verdicts(database, file.cases.sure_of);
  VerdictReader of_cases(database, "");
  SureDraws draws(*file.cases.until_sure, file.cases.half_width, file.cases.sure_of, size);
  for (std::int64_t number = 0; number < cases.count(); ++number) {
    const bool has_result = !of_cases.of(number).empty();
    if (!has_result && !cases.at(number).excluded) break;  // draws behind it are not counted
    const std::string verdict = has_result ? verdicts.of(number) : "";
    draws.take(number, verdict.empty() ? SureDraws::Judged::left_out : SureDraws::judged(verdict));
  }
  return sure_json(draws);
}

/// Names a column: {"expectation", "test"}, or {"quantity"}.
Json name_json(const ResultColumn& column) {
  if (column.kind == ResultColumn::Kind::measured) return {{"quantity", column.name}};
  return {{"expectation", column.name}, {"test", column.test}};
}

Json spread_json(const ResultColumn& column, std::vector<double> values, bool independent) {
  std::ranges::sort(values);
  Json json = name_json(column);
  json["unit"] = column.unit;
  json["cases"] = values.size();
  json["least"] = values.front();
  if (column.kind == ResultColumn::Kind::measured) json["most"] = values.back();
  json["quantiles"] = Json::array();
  for (const double share : {0.05, 0.5, 0.95}) {
    const Quantile found = quantile(values, share);
    json["quantiles"].push_back({{"share", share},
                                 {"value", found.value},
                                 {"bounds", independent ? bounds(found.low, found.high) : Json(nullptr)},
                                 {"confidence", independent ? Json(found.confidence) : Json(nullptr)}});
  }
  return json;
}

using ColumnValues = std::vector<std::vector<double>>;

Json correlations_json(const std::vector<ResultColumn>& columns, const ColumnValues& values,
                       bool independent) {
  Json all = Json::array();
  for (std::size_t m = 0; m < columns.size(); ++m) {
    if (columns[m].kind == ResultColumn::Kind::drawn) continue;
    for (std::size_t d = 0; d < columns.size(); ++d) {
      if (columns[d].kind != ResultColumn::Kind::drawn || columns[d].words) continue;
      const auto found = rank_correlation(values[d], values[m]);
      if (!found) continue;
      Json row = name_json(columns[m]);
      row.update(
          {{"key", columns[d].name},
           {"rank", found->rank},
           {"cases", found->pairs},
           {"interval", independent ? bounds(found->interval.low, found->interval.high) : Json(nullptr)}});
      all.push_back(std::move(row));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Json& a, const Json& b) {
    return std::abs(a["rank"].get<double>()) > std::abs(b["rank"].get<double>());
  });
  return all;
}

std::string short_text(double value) { return rtsync::format_text("%.4g", value); }

/// " (0.1 .. 0.2)"; nothing where there are no bounds.
std::string bounds_text(const Json& both) {
  if (!both.is_array()) return "";
  const auto text = [](const Json& each) { return each.is_null() ? "-" : short_text(each.get<double>()); };
  return " (" + text(both[0]) + " .. " + text(both[1]) + ")";
}

std::string where(const Json& row) {
  if (row.contains("quantity")) return row["quantity"].get<std::string>();
  const std::string test = fs::path(row["test"].get<std::string>()).filename().string();
  return row["expectation"].get<std::string>() + (test.empty() ? "" : " in " + test);
}

/// A line for each quantity: least, quantiles, of what is measured the most.
std::string spreads_text(const Json& all) {
  std::string text;
  for (const Json& each : all) {
    text += "  " + where(each) + ": " + short_text(each["least"].get<double>());
    for (const Json& one : each["quantiles"])
      text += ", " + short_text(one["value"].get<double>()) + bounds_text(one["bounds"]);
    if (each.contains("most")) text += ", " + short_text(each["most"].get<double>());
    text += " " + each["unit"].get<std::string>() + "\n";
  }
  return text;
}

}  // namespace

Json figures(const fs::path& folder) {
  Results results(folder);
  const CampaignFile file = CampaignFile::load(results.facts().file);
  const Cases cases(file);
  const auto size =
      static_cast<std::int64_t>(file.rigs.size() * std::max<std::size_t>(file.tests.size(), 1)) * file.repeat;
  const bool independent =
      file.cases.method == Method::monte_carlo && file.repeat == 1 && file.rigs.size() == 1;
  std::map<std::int64_t, Draw> draws;
  ColumnValues values(results.columns().size());
  ResultRow row;
  std::int64_t ended = 0;
  for (; results.next(row); ++ended) {
    Draw& draw = draws[row.number / size];
    ++draw.cases;
    draw.passed += row.verdict == "pass" ? 1 : 0;
    draw.failed += row.verdict == "fail" ? 1 : 0;
    for (std::size_t i = 0; i < values.size(); ++i) values[i].push_back(row.values[i]);
  }
  Json json{{"campaign", results.facts().name}, {"cases", ended}, {"of", results.facts().count}};
  json["draws"] = draws_json(draws, file, cases, size);
  if (file.cases.until_sure) json["until_sure"] = until_sure_json(folder, file, cases, size);
  json["independent"] = independent;
  json["margins"] = json["measured"] = Json::array();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ResultColumn& column = results.columns()[i];
    if (column.kind == ResultColumn::Kind::drawn) continue;
    std::vector<double> known;
    std::copy_if(values[i].begin(), values[i].end(), std::back_inserter(known),
                 [](double each) { return !std::isnan(each); });
    if (!known.empty())
      json[column.kind == ResultColumn::Kind::margin ? "margins" : "measured"].push_back(
          spread_json(column, std::move(known), independent));
  }
  json["correlations"] = correlations_json(results.columns(), values, independent);
  return json;
}

std::string figures_text(const Json& all) {
  constexpr std::size_t kMost = 20;
  const Json& draws = all["draws"];
  std::string text = all["campaign"].get<std::string>() + ": " + all["cases"].dump() +
                     " cases have a result, of " + all["of"].dump() + "\n" +
                     "draws that pass: " + draws["passed"].dump() + " of " + draws["judged"].dump();
  if (draws["judged"] != 0)
    text += ", " + config::print_percent(std::round(draws["rate"].get<double>() * 1e4) / 1e4);
  if (draws["interval"].is_array())
    text += ", with 95 % confidence" + bounds_text(draws["interval"]);
  else
    text += "; no interval: " + draws["why_no_interval"].get<std::string>();
  text += "\n";
  if (draws["not_judged"] != 0)
    text += "draws that could not be judged: " + draws["not_judged"].dump() + "\n";
  if (all.contains("until_sure")) text += sure_text(all["until_sure"]) + "\n";
  const std::string sure = all["independent"] == true ? ", with bounds of 95 % confidence or more" : "";
  if (!all["margins"].empty()) text += "\nmargins: least, 5 %, half, 95 %" + sure + "\n";
  text += spreads_text(all["margins"]);
  if (!all["measured"].empty()) text += "\nmeasured: least, 5 %, half, 95 %" + sure + ", most\n";
  text += spreads_text(all["measured"]);
  if (!all["correlations"].empty())
    text += "\nrank correlation of margins and of what is measured with what was drawn" +
            std::string(sure.empty() ? "" : ", with 95 % confidence") + "\n";
  for (std::size_t i = 0; i < std::min(kMost, all["correlations"].size()); ++i) {
    const Json& each = all["correlations"][i];
    text += "  " + short_text(each["rank"].get<double>()) + bounds_text(each["interval"]) + ": " +
            where(each) + ", " + each["key"].get<std::string>() + "\n";
  }
  return text;
}

namespace {

/// The results of a folder by what makes cases the same.
struct Compared {
  std::vector<CaseVerdict> verdicts;
  std::map<std::string, std::string> of_case;                     // verdict of each
  std::map<std::string, std::vector<std::string>> judged;         // case, expectations that have a verdict
  std::map<std::string, std::map<std::string, double>> measured;  // quantity, case
  std::map<std::string, std::string> units;
};

Compared compared_of(const fs::path& folder) {
  Results results(folder);
  Compared all;
  std::map<std::string, int> repetitions;
  ResultRow row;
  while (results.next(row)) {
    std::string key = fs::path(row.rig).filename().string() + " " + fs::path(row.test).filename().string();
    for (std::size_t i = 0; i < row.texts.size(); ++i)
      if (results.columns()[i].kind == ResultColumn::Kind::drawn && !row.texts[i].empty())
        key += " " + results.columns()[i].name + "=" + row.texts[i];
    if (const int before = repetitions[key]++; before > 0) key += " #" + std::to_string(before + 1);
    all.of_case[key] = row.verdict;
    for (std::size_t i = 0; i < row.texts.size(); ++i) {
      const ResultColumn& column = results.columns()[i];
      if (column.kind == ResultColumn::Kind::margin && column.test == row.test && !row.texts[i].empty()) {
        all.verdicts.push_back({key, column.name, row.texts[i], row.values[i]});
        all.judged[key].push_back(column.name);
      }
      if (column.kind != ResultColumn::Kind::measured || std::isnan(row.values[i])) continue;
      all.measured[column.name][key] = row.values[i];
      all.units[column.name] = column.unit;
    }
  }
  return all;
}

/// A case that ended before it was judged, or that has no test, has its own verdict for each expectation that the other
/// campaign has of it.
void judge_by_case(Compared& all, const Compared& other) {
  for (const auto& [key, verdict] : all.of_case) {
    if (all.judged.contains(key)) continue;
    const auto found = other.judged.find(key);
    const std::vector<std::string> names =
        found == other.judged.end() ? std::vector<std::string>{""} : found->second;
    for (const std::string& name : names)
      all.verdicts.push_back({key, name, verdict, std::numeric_limits<double>::quiet_NaN()});
  }
}

/// A row for each quantity that both have in one unit: its means over the cases that both have, and its greatest change.
Json measured_changes(const Compared& before, const Compared& after) {
  Json all = Json::array();
  for (const auto& [quantity, then] : before.measured) {
    const auto found = after.measured.find(quantity);
    if (found == after.measured.end() || before.units.at(quantity) != after.units.at(quantity)) continue;
    double sum_before = 0, sum_after = 0, greatest = 0;
    std::int64_t cases = 0, changed = 0;
    std::string where;
    for (const auto& [key, value] : then) {
      const auto now = found->second.find(key);
      if (now == found->second.end()) continue;
      ++cases;
      sum_before += value;
      sum_after += now->second;
      const double change = now->second - value;
      if (change != 0) ++changed;
      if (std::abs(change) <= std::abs(greatest)) continue;
      greatest = change;
      where = key;
    }
    if (cases == 0) continue;
    all.push_back({{"quantity", quantity},
                   {"unit", before.units.at(quantity)},
                   {"cases", cases},
                   {"changed", changed},
                   {"mean_before", sum_before / static_cast<double>(cases)},
                   {"mean_after", sum_after / static_cast<double>(cases)},
                   {"greatest_change", greatest},
                   {"case", where}});
  }
  return all;
}

const char* word_of(const Change& change) {
  if (change.kind == Change::Kind::worse_verdict)
    return change.after == "fail" || change.after == "error" ? "now fails" : "worse verdict";
  if (change.kind == Change::Kind::better_verdict)
    return change.after == "pass" ? "now passes" : "better verdict";
  return change.kind == Change::Kind::less_margin ? "less margin" : "more margin";
}

}  // namespace

Json comparison(const fs::path& before, const fs::path& after) {
  Compared then = compared_of(before), now = compared_of(after);
  judge_by_case(then, now);
  judge_by_case(now, then);
  const CampaignComparison found = compare(then.verdicts, now.verdicts);
  Json json{{"same", found.same},   {"only_before", found.only_before}, {"only_after", found.only_after},
            {"worse", found.worse}, {"better", found.better},           {"chance", found.chance}};
  json["changes"] = Json::array();
  const auto number = [](double value) { return std::isnan(value) ? Json(nullptr) : Json(value); };
  for (const Change& each : found.changes)
    json["changes"].push_back({{"case", each.key},
                               {"expectation", each.expectation},
                               {"kind", word_of(each)},
                               {"before", each.before},
                               {"after", each.after},
                               {"margin_before", number(each.margin_before)},
                               {"margin_after", number(each.margin_after)}});
  json["measured"] = measured_changes(then, now);
  return json;
}

std::string comparison_text(const Json& all) {
  constexpr std::size_t kMost = 20;
  std::string text = "worse verdicts: " + all["worse"].dump() + ", better ones: " + all["better"].dump() +
                     ", as before: " + all["same"].dump() +
                     ", in one campaign alone: " + all["only_before"].dump() + " before, " +
                     all["only_after"].dump() + " after\n";
  if (all["worse"] != 0 || all["better"] != 0)
    text +=
        "probability that as uneven a change comes by chance: " + short_text(all["chance"].get<double>()) +
        "\n";
  const auto margin = [](const Json& value) {
    return value.is_null() ? "-" : short_text(value.get<double>());
  };
  for (std::size_t i = 0; i < std::min(kMost, all["changes"].size()); ++i) {
    const Json& each = all["changes"][i];
    const std::string expectation = each["expectation"];
    text += "  " + each["kind"].get<std::string>() + ": " + (expectation.empty() ? "the run" : expectation) +
            ", " + each["before"].get<std::string>() + " " + margin(each["margin_before"]) + " -> " +
            each["after"].get<std::string>() + " " + margin(each["margin_after"]) + ": " +
            each["case"].get<std::string>() + "\n";
  }
  if (all["changes"].size() > kMost)
    text += "  and " + std::to_string(all["changes"].size() - kMost) + " more\n";
  for (const Json& each : all["measured"]) {
    text += "  measured: " + each["quantity"].get<std::string>() + ", mean " +
            short_text(each["mean_before"].get<double>()) + " -> " +
            short_text(each["mean_after"].get<double>()) + " " + each["unit"].get<std::string>() + "; " +
            each["changed"].dump() + " of " + each["cases"].dump() + " cases changed";
    if (each["changed"] != 0)
      text += ", at most by " + short_text(each["greatest_change"].get<double>()) + ": " +
              each["case"].get<std::string>();
    text += "\n";
  }
  return text;
}

}  // namespace tactus::campaign
