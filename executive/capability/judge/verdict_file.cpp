// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/verdict_file.hpp"

#include <algorithm>
#include <cmath>

#include "config/number.hpp"
#include "config/text.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::executive {
namespace {

const char* severity_name(Severity severity) {
  constexpr const char* kNames[] = {"note", "warn", "fail", "stop"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string xml_text(const std::string& text) {
  std::string result, line = config::one_line(text);
  for (const char* const none :
       {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})  // U+FFFE and U+FFFF are no characters of XML
    for (std::size_t at = 0; (at = line.find(none, at)) != std::string::npos;) line.replace(at, 3, "?");
  for (const char c : line) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

/// "failed in frame 412 (0.412 s), by 0.3 rad/s"
std::string verdict_sentence(const config::Json& row) {
  const std::string verdict = row["verdict"];
  if (verdict == "inconclusive") return "inconclusive (" + std::string(row["why"]) + ")";
  if (verdict != "fail") return verdict;
  std::string text = "failed in frame " + std::to_string(row["frame"].get<std::int64_t>()) + " (" +
                     config::print_real(row["time_s"]) + " s)";
  if (row["no_value"]) return text + ": no value";
  if (!row["margin"].is_null())
    text += ", by " + rtsync::format_text("%.6g", -row["margin"].get<double>()) +
            (row["unit"] == "" ? "" : " " + std::string(row["unit"]));
  return text;
}

}  // namespace

TestResult test_result(const CompiledTest& test, const std::vector<Monitor>& monitors, rtsync::Period frame) {
  TestResult result;
  bool any = false;
  for (std::size_t i = 0; i < monitors.size(); ++i) {
    const CompiledExpectation& each = test.expectations[i];
    const Monitor& monitor = monitors[i];
    const TestVerdict verdict = monitor.verdict();
    config::Json row = {{"name", each.settings.name},
                        {"verdict", name_of(verdict)},
                        {"severity", severity_name(each.settings.severity)},
                        {"requirement", each.settings.requirement},
                        {"expects", each.text},
                        {"why", monitor.why()},
                        {"no_value", verdict == TestVerdict::fail && monitor.no_value()},
                        {"frame", nullptr},
                        {"time_s", nullptr},
                        {"margin", nullptr},
                        {"unit", each.unit}};
    if (verdict == TestVerdict::fail) {
      row["frame"] = monitor.frame();
      row["time_s"] = static_cast<double>(frame.times(monitor.frame()).count()) / 1e9;
    }
    if (std::isfinite(monitor.margin())) row["margin"] = monitor.margin();
    row["says"] = verdict_sentence(row);
    result.expectations.push_back(std::move(row));
    if (each.settings.severity < Severity::fail) continue;
    result.verdict = any ? std::max(result.verdict, verdict) : verdict;
    any = true;
    result.untested = result.untested || verdict == TestVerdict::untested;
    result.inconclusive = result.inconclusive || verdict == TestVerdict::inconclusive;
  }
  if (!any && !result.expectations.empty())
    result.verdict = TestVerdict::pass;  // warnings and notes change nothing
  return result;
}

config::Json to_json(const TestResult& result) {
  return {{"format", 1},
          {"test", result.test},
          {"rig", result.rig},
          {"verdict", name_of(result.verdict)},
          {"frames", result.frames},
          {"simulated_s", result.seconds},
          {"expectations", result.expectations}};
}

std::string to_junit(const TestResult& result) {
  int failures = 0, errors = 0, skipped = 0;
  std::string cases;
  for (const config::Json& row : result.expectations) {
    const std::string verdict = row["verdict"];
    const bool counts = row["severity"] == "fail" || row["severity"] == "stop";
    const std::string says = xml_text(row["says"]);
    cases += "    <testcase classname=\"" + xml_text(result.rig + "." + result.test) + "\" name=\"" +
             xml_text(row["name"]) + "\" time=\"" + config::print_real(result.seconds) + "\">\n";
    if (counts && verdict == "fail") {
      ++failures;
      cases += "      <failure message=\"" + says + "\" type=\"fail\"/>\n";
    } else if (counts && verdict == "inconclusive") {
      ++errors;
      cases += "      <error message=\"" + says + "\" type=\"inconclusive\"/>\n";
    } else if (verdict == "untested") {
      ++skipped;
      cases += "      <skipped message=\"untested: what opens it never came\"/>\n";
    }
    cases += "      <system-out>" + xml_text(std::string(row["expects"]) + ": " + std::string(row["says"])) +
             (row["requirement"] == "" ? "" : "; requirement " + xml_text(row["requirement"])) +
             "</system-out>\n    </testcase>\n";
  }
  const std::string counts = " tests=\"" + std::to_string(result.expectations.size()) + "\" failures=\"" +
                             std::to_string(failures) + "\" errors=\"" + std::to_string(errors) +
                             "\" skipped=\"" + std::to_string(skipped) + "\" time=\"" +
                             config::print_real(result.seconds) + "\"";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tactus\"" + counts +
         ">\n  <testsuite name=\"" + xml_text(result.test) + "\"" + counts + ">\n" + cases +
         "  </testsuite>\n</testsuites>\n";
}

}  // namespace tactus::executive
