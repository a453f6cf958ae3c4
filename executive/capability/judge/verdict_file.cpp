// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/verdict_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/capability/judge/sequence_run.hpp"
#include "executive/capability/judge/verdict_chart.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::executive {
namespace {

constexpr const char* kOpen = "its time is not over";  // kNotOver, of a run that goes on

VerdictChart chart_of_row(const CompiledExpectation& each) {
  const ExpectSettings& settings = each.settings;
  const bool never = each.monitor.kind == Monitor::Kind::never;
  for (const std::string* const condition :
       {&settings.always.value, &settings.never.value, &settings.finally.value, &settings.holds.value,
        &settings.settles.value, &settings.run.value}) {
    if (condition->empty()) continue;
    VerdictChart chart = chart_of(*condition, never, each.units);
    if (each.run) chart = {.limit = chart.limit};  // figures of the run are no variables
    return chart;
  }
  return {};
}

std::string xml_text(const std::string& text) {
  std::string result, line = config::one_line(text);
  for (const char* const none :
       {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})  // U+FFFE and U+FFFF are no characters of XML
    for (std::size_t at = 0; (at = line.find(none, at)) != std::string::npos;) line.replace(at, 3, "?");
  constexpr std::pair<char, const char*> kEscaped[] = {
      {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}};
  for (const char c : line) {
    const auto* const found = std::ranges::find(kEscaped, c, &std::pair<char, const char*>::first);
    result += found == std::end(kEscaped) ? std::string(1, c) : found->second;
  }
  return result;
}

struct JunitCounts {
  std::int64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const JunitCounts& more) {
    tests += more.tests;
    failures += more.failures;
    errors += more.errors;
    skipped += more.skipped;
    seconds += more.seconds;
  }
  std::string text() const {
    return " tests=\"" + std::to_string(tests) + "\" failures=\"" + std::to_string(failures) +
           "\" errors=\"" + std::to_string(errors) + "\" time=\"" + rtsync::format_text("%.3f", seconds) +
           "\"";
  }
};

/// Files beside a case, each a line of its own, as GitLab and Jenkins look for them.
std::string attachments_of(const config::Json& verdict) {
  std::string lines;
  for (const config::Json& file : verdict.value("attachments", config::Json::array()))
    lines += "\n[[ATTACHMENT|" + xml_text(file) + "]]\n";
  return lines;
}

/// "failure" or "error": Jenkins shows the attribute, GitLab the text. A `skipped` has the text alone: older schemas of
/// Jenkins know no attribute of it, and all readers take the text.
std::string reason(const char* element, const std::string& says, const char* type) {
  return std::string("      <") + element + " message=\"" + says + "\" type=\"" + type + "\">" + says + "</" +
         element + ">\n";
}

/// Makes the test cases of a run; one that was not judged is one case, an error.
std::string cases_of(const config::Json& verdict, const std::string& test, JunitCounts& counts) {
  const std::string begin = "    <testcase classname=\"" +
                            xml_text(std::string(verdict["rig"]) + "." + test) + "\" time=\"0\" name=\"";
  if (const auto not_run = verdict.find("not_run"); not_run != verdict.end()) {
    counts = {.tests = 1, .skipped = 1};
    return begin + "run\">\n      <skipped>" + xml_text(*not_run) + "</skipped>\n    </testcase>\n";
  }
  if (const auto error = verdict.find("error"); error != verdict.end()) {
    counts = {.tests = 1, .errors = 1};
    return begin + "run\">\n" + reason("error", xml_text(*error), "error") + "      <system-out>" +
           xml_text(*error) + attachments_of(verdict) + "</system-out>\n    </testcase>\n";
  }
  const config::Json allowed = verdict.value("allowed", config::Json::array());
  const bool allows_inconclusive = std::find(allowed.begin(), allowed.end(), "inconclusive") != allowed.end();
  std::map<std::string, int> taken;
  std::string cases;
  counts.seconds = verdict["simulated_s"];
  for (const config::Json& row : verdict["expectations"]) {
    const std::string judged = row["verdict"];
    const bool matters = row["severity"] == "fail" || row["severity"] == "stop";
    const std::string says = xml_text(row["says"]);
    ++counts.tests;
    const std::string name = row["name"];
    const int number = ++taken[name];  // of a sequence and of `expect` two may have one name
    cases += begin + xml_text(number == 1 ? name : name + " (" + std::to_string(number) + ")") + "\">\n";
    if (matters && judged == "fail") {
      ++counts.failures;
      cases += reason("failure", says, "fail");
    } else if (matters && judged == "inconclusive" && allows_inconclusive) {
      ++counts.skipped;
      cases += "      <skipped>" + says + "; allowed</skipped>\n";
    } else if (matters && judged == "inconclusive") {
      ++counts.errors;
      cases += reason("error", says, "inconclusive");
    } else if (judged == "untested") {
      ++counts.skipped;
      cases += "      <skipped>" +
               (row["why"] == "" ? "untested: the event that opens it never occurred" : says) +
               "</skipped>\n";
    }
    cases += "      <system-out>" + xml_text(std::string(row["expects"]) + ": " + std::string(row["says"])) +
             (row["requirement"] == "" ? "" : "; requirement " + xml_text(row["requirement"])) +
             (judged == "pass" ? "" : attachments_of(verdict)) + "</system-out>\n    </testcase>\n";
  }
  return cases;
}

/// The requirements of a run, by expectation, as properties of its suite: not each reader takes those of a test case.
std::string properties_of(const config::Json& verdict) {
  std::string properties;
  for (const config::Json& row : verdict.value("expectations", config::Json::array()))
    if (row["requirement"] != "")
      properties += "      <property name=\"requirement: " + xml_text(row["name"]) + "\" value=\"" +
                    xml_text(row["requirement"]) + "\"/>\n";
  return properties.empty() ? "" : "    <properties>\n" + properties + "    </properties>\n";
}

/// Returns what a row says while frames can change it.
std::string live_sentence(const config::Json& row) {
  const std::string verdict = row["verdict"];
  const bool of_step = !row["active"].is_null();
  if (of_step && row["begun"] == false) return "has not begun";
  if (row["active"] == true && (verdict == "pass" || row["why"] == kOpen))
    return "runs since frame " + std::to_string(row["since"].get<std::int64_t>());
  if (verdict == "inconclusive" || (verdict == "untested" && row["why"] != "")) return verdict_sentence(row);
  if (verdict == "untested") return "has not been tested so far";
  if (verdict != "pass") return "does not hold so far";
  return of_step ? "passed" : "holds so far";
}

/// Adds the margin of a row, and why there is none; `none`: why there can be none. An infinite one came of conditions
/// without numbers.
void add_margin(config::Json& row, double margin, const std::string& none) {
  row["margin"] = std::isfinite(margin) ? config::Json(margin + 0.0) : config::Json();  // never -0
  row["no_margin"] = !none.empty()        ? none
                     : std::isinf(margin) ? "the condition that decided it has no distance from a limit"
                     : row.value("no_value", false) && std::isnan(margin) ? "it has no value"
                                                                          : "";
}

}  // namespace

std::string verdict_sentence(const config::Json& row) {
  const std::string verdict = row["verdict"];
  const std::string why = row["why"];
  if (verdict == "inconclusive" && row["late"].is_object())
    return "inconclusive (" + why + " in frame " + std::to_string(row["late"]["frame"].get<std::int64_t>()) +
           ")";
  if (verdict == "inconclusive" || (verdict == "untested" && !why.empty())) return verdict + " (" + why + ")";
  if (verdict != "fail") return verdict;
  std::string text = "failed";
  if (!row["frame"].is_null())
    text += " in frame " + std::to_string(row["frame"].get<std::int64_t>()) + " (" +
            config::print_real(row["time_s"]) + " s)";
  if (row["no_value"])
    text += ": no value";
  else if (!row["margin"].is_null() && row["values"] == "")
    text += ", by " + rtsync::format_text("%.6g", 0 - row["margin"].get<double>()) +
            (row["unit"] == "" ? "" : " " + std::string(row["unit"]));
  if (row["values"] != "") text += ": " + std::string(row["values"]);
  return text;
}

void add_row(TestResult& result, config::Json row, const Standing& standing, Severity severity,
             const std::string& no_margin, rtsync::Period frame) {
  const TestVerdict verdict = standing.verdict;
  if (verdict == TestVerdict::fail && standing.frame >= 0) {
    row["frame"] = standing.frame;
    row["time_s"] = static_cast<double>(frame.times(standing.frame).count()) / 1e9;
  }
  add_margin(row, standing.margin, no_margin);
  if (standing.late_frames > 0)
    row["late"] = {{"frame", standing.late_frame}, {"duties", standing.late_frames}};
  if (standing.shift) row["shift_s"] = static_cast<double>(*standing.shift) * frame.seconds();
  row["says"] = verdict_sentence(row);
  result.expectations.push_back(std::move(row));
  if (severity < Severity::fail) {
    if (!result.counts) result.verdict = TestVerdict::pass;  // warnings and notes change nothing
    return;
  }
  result.verdict = result.counts ? std::max(result.verdict, verdict) : verdict;
  result.counts = true;
  result.untested = result.untested || verdict == TestVerdict::untested;
  result.inconclusive = result.inconclusive || verdict == TestVerdict::inconclusive;
}

TestResult test_result(const CompiledTest& test, std::span<const Standing> standings, const TestEnd& end) {
  TestResult result;
  for (std::size_t i = 0; i < test.expectations.size(); ++i) {
    const CompiledExpectation& each = test.expectations[i];
    Standing standing = standings[i];
    const bool left_out = each.settings.realtime && !end.realtime;
    const bool of_run = each.run && !left_out && end.over;
    const double truth = of_run ? each.run->judge(end.figures) : 1;
    if (each.run) {
      standing.verdict = truth == 1 ? TestVerdict::pass : TestVerdict::fail;
      standing.no_value = truth != truth;
      standing.margin = of_run ? each.run->margin(end.figures) : std::nan("");
    }
    if (left_out || (each.run && !of_run)) standing.verdict = TestVerdict::untested;
    config::Json row = {{"name", each.settings.name},
                        {"verdict", name_of(standing.verdict)},
                        {"severity", severity_name(each.settings.severity)},
                        {"requirement", each.settings.requirement},
                        {"expects", each.text},
                        {"why", left_out   ? kNotInRealTime
                                : each.run ? (end.over ? "" : "judged at the end of the run")
                                           : standing.why},
                        {"no_value", standing.verdict == TestVerdict::fail && standing.no_value},
                        {"final", standing.failed},
                        {"frame", nullptr},
                        {"time_s", nullptr},
                        {"margin", nullptr},
                        {"unit", each.units.margin},
                        {"chart", to_json(chart_of_row(each))},
                        {"values", of_run ? each.run->values(end.figures) : ""},
                        {"late", nullptr},
                        {"shift_s", nullptr},
                        {"recording", nullptr}};
    // What is left out changes nothing, as a note.
    add_row(result, std::move(row), standing, left_out ? Severity::note : each.settings.severity,
            each.no_margin, end.frame);
  }
  add_sequence_rows(result, test.sequence, standings.data() + test.expectations.size(), end.frame);
  return result;
}

config::Json to_live_json(TestResult result, std::int64_t frame, bool ended) {
  std::int64_t id = 0;
  for (config::Json& row : result.expectations) {
    row["id"] = id++;
    if (!row.contains("active")) row["active"] = row["since"] = row["begun"] = row["step"] = nullptr;
    if (ended) {
      row["final"] = true;
      row["since"] = nullptr;
      if (!row["active"].is_null()) row["active"] = false;
    } else if (!row["final"]) {
      if (row["why"] == kNotOver) row["why"] = kOpen;
      row["says"] = live_sentence(row);
    }
    row.erase("begun");
  }
  config::Json all = to_json(result);
  all.erase("format");
  all["expectations"] = std::move(result.expectations);
  all["frame"] = frame < 0 ? config::Json() : config::Json(frame);
  all["ended"] = ended;
  return all;
}

bool same_verdict(const config::Json& a, const config::Json& b) {
  const auto same = [&](const char* key) { return a[key] == b[key]; };
  return same("verdict") && same("final") && same("why") && same("active") && same("step") &&
         (!a["final"] || same("frame"));
}

config::Json to_json(const TestResult& result) {
  config::Json rows = result.expectations;
  for (config::Json& row : rows)
    for (const char* const key : {"final", "active", "begun", "since", "step"}) row.erase(key);
  config::Json all = {{"format", 1},
                      {"test", result.test},
                      {"rig", result.rig},
                      {"verdict", name_of(result.verdict)},
                      {"frames", result.frames},
                      {"simulated_s", result.seconds},
                      {"sources", result.sources},
                      {"expectations", std::move(rows)}};
  if (!result.measured.empty()) all["measured"] = result.measured;
  return all;
}

std::string to_junit(std::span<const config::Json> verdicts) {
  JunitCounts all;
  std::string suites;
  std::map<std::string, int> taken;
  for (const config::Json& verdict : verdicts) {
    JunitCounts counts;
    std::string test = verdict["test"];
    const int number = ++taken[std::string(verdict["rig"]) + "." + test];
    if (number > 1)
      test += " (" + std::to_string(number) + ")";  // of cases of one name readers count the first
    const std::string cases = cases_of(verdict, test, counts);
    suites += "  <testsuite name=\"" + xml_text(test) + "\"" + counts.text() + " skipped=\"" +
              std::to_string(counts.skipped) + "\">\n" + properties_of(verdict) + cases + "  </testsuite>\n";
    all.add(counts);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tactus\"" + all.text() + ">\n" +
         suites + "</testsuites>\n";
}

}  // namespace tactus::executive
