// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/page/page.hpp"

#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "config/json.hpp"
#include "executive/campaign/page/page_form.hpp"
#include "executive/campaign/page/results.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/joined.hpp"

namespace tactus::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLines = 2000;  // command lines in the page, of cases that did not pass

void add_number(std::string& text, double value) {
  if (!text.empty()) text += ',';
  text += std::isfinite(value) ? rtsync::format_text("%.6g", value) : "null";
}

char letter_of(const std::string& verdict) {
  if (verdict == "pass" || verdict == "fail" || verdict == "untested" || verdict == "inconclusive")
    return verdict.front();
  return verdict.empty() ? ' ' : 'e';
}

/// A text inside of a script element, which ends at "</".
std::string in_script(std::string text) {
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1))
    text.replace(at, 1, "\\u003c");
  return text;
}

/// A text as JSON; what is not UTF-8 is shown as such.
std::string json_text(const Json& value) {
  return in_script(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// The results as columns, each a text of JSON.
struct Data {
  std::string number, attempt, seconds, verdicts;
  std::vector<std::string> values, verdict_of;
  std::vector<std::map<double, std::string>> labels;
  Json says = Json::object(), lines = Json::object();
  std::map<std::string, int> sentences;
};

void take(Data& data, const Results& results, const ResultRow& row) {
  add_number(data.number, static_cast<double>(row.number));
  add_number(data.attempt, row.attempt);
  add_number(data.seconds, std::round(row.seconds * 1000) / 1000);
  data.verdicts += letter_of(row.verdict);
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    const ResultColumn& column = results.columns()[i];
    add_number(data.values[i], row.values[i]);
    if (column.kind == ResultColumn::Kind::margin) data.verdict_of[i] += letter_of(row.texts[i]);
    if (column.words && !row.texts[i].empty()) data.labels[i].emplace(row.values[i], row.texts[i]);
  }
  if (row.verdict == "pass" || data.lines.size() >= kLines) return;
  data.says[std::to_string(row.number)] = row.says;
  data.lines[std::to_string(row.number)] = row.line;
}

std::string columns_json(const Results& results, const Data& data) {
  static constexpr std::array<const char*, 3> kKinds{"drawn", "margin", "measured"};
  Json columns = Json::array();
  for (std::size_t i = 0; i < results.columns().size(); ++i) {
    const ResultColumn& each = results.columns()[i];
    Json column{
        {"kind", kKinds.at(static_cast<std::size_t>(each.kind))}, {"name", each.name}, {"unit", each.unit}};
    if (each.kind == ResultColumn::Kind::margin) column["test"] = fs::path(each.test).filename().string();
    Json labels = Json::array();
    for (const auto& [value, text] : data.labels[i]) labels.push_back({value, text});
    if (!labels.empty()) column["labels"] = labels;
    columns.push_back(std::move(column));
  }
  return json_text(columns);
}

std::string list_of(const std::vector<std::string>& columns, const char* open, const char* close) {
  return "[" + rtsync::joined(columns, ",", [&](const std::string& each) { return open + each + close; }) +
         "]";
}

}  // namespace

fs::path write_page(const fs::path& folder, bool running) {
  Results results(folder);
  Data data;
  data.values.resize(results.columns().size());
  data.verdict_of.resize(results.columns().size());
  data.labels.resize(results.columns().size());
  ResultRow row;
  while (results.next(row)) take(data, results, row);
  const CampaignFacts& facts = results.facts();
  const Json head{{"name", facts.name},       {"file", facts.file}, {"cases", facts.count},
                  {"machine", facts.machine}, {"running", running}, {"written", utc_now()}};
  std::string text = kPageBegin;
  text += "<script type=\"application/json\" id=\"data\">{\"head\":" + json_text(head) +
          ",\"columns\":" + columns_json(results, data) + ",\"number\":[" + data.number + "],\"attempt\":[" +
          data.attempt + "],\"seconds\":[" + data.seconds + "],\"verdicts\":\"" + data.verdicts +
          "\",\"values\":" + list_of(data.values, "[", "]") +
          ",\"verdictOf\":" + list_of(data.verdict_of, "\"", "\"") + ",\"says\":" + json_text(data.says) +
          ",\"lines\":" + json_text(data.lines) + "}</script>\n";
  text += kPageScript;
  text += kPageEnd;
  const fs::path file = folder / "campaign.html";
  if (const int error = rtsync::replace_folder_file(file, text))
    throw std::runtime_error(rtsync::file_error(file, error));
  return file;
}

std::vector<std::string> worst_folders(const fs::path& folder, int most) {
  Database database(folder / Store::kFile, Database::Use::read);
  Statement rows(
      database.get(),
      "SELECT folder FROM cases WHERE state = 'done' AND verdict = 'fail' ORDER BY (SELECT min(margin) "
      "FROM verdicts v WHERE v.number = cases.number AND v.attempt = cases.attempt) LIMIT ?1");
  rows.bind(most);
  std::vector<std::string> all;
  while (rows.next()) all.push_back(rows.text(0));
  return all;
}

}  // namespace tactus::campaign
