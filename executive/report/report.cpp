// SPDX-License-Identifier: Apache-2.0
#include "executive/report/report.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "executive/report/axes.hpp"
#include "executive/report/comparison.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/report/sections.hpp"
#include "executive/report/verdict.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::report {
namespace {

namespace fs = std::filesystem;

/// "servo · 2026-11-21 13:12:03 · 36.0 s · real time · exit status 0".
std::string about(const RunData& run) {
  std::string text = run.name;
  const auto add = [&text](const std::string& more) {
    if (!more.empty()) text += " \u00b7 " + more;
  };
  const std::string rig = text_fact(run.summary(), "rig");
  if (!rig.empty() && run.name != rig) add("rig " + rig);
  add(run.files.log.began);
  const auto sim = integer_fact(run.summary(), "sim_time_ns");
  if (sim && run.outcome() != "unended")  // else it is some seconds old
    add(span_text(*sim) + " simulated");
  else if (run.has_times())
    add(span_text(run.times->last.time_ns - run.times->first_time_ns) + " recorded");
  const Json* const realtime = find_fact(run.summary(), "rt.realtime");
  const std::string why = text_fact(run.summary(), "rt.why_not_realtime");  // empty: that is not known
  if (realtime != nullptr && realtime->is_boolean())
    add(realtime->get<bool>() ? "real time" : "not in real time" + (why.empty() ? "" : " (" + why + ")"));
  if (const auto status = integer_fact(run.summary(), "exit_status"))
    add("exit status " + std::to_string(*status));
  return text;
}

/// "They differ by motor.parameters.resistance", the first keys by name.
std::string differ_by(const std::vector<SettingDifference>& different) {
  constexpr std::size_t kNamed = 3;
  std::string text = "They differ by ";
  for (std::size_t i = 0; i < std::min(different.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + different[i].key;
  if (different.size() > kNamed)
    text += " and " + counted(static_cast<std::int64_t>(different.size() - kNamed), "key") + " more";
  return text;
}

void add_sections(const RunData& run, bool alone, std::vector<Section>& to) {
  const auto add = [&](Section section) {
    if (!alone) {
      section.title = run.letter + ": " + section.title;
      section.id = std::string(1, static_cast<char>(run.letter.front() + 32)) + "-" + section.id;
    }
    to.push_back(std::move(section));
  };
  if (run.test() != nullptr) add(test_section(run));
  add(timing_section(run));
  add(causes_section(run));
  if (alone) add(lateness_section({&run}));
  add(late_over_time_section(run));
  add(slack_over_time_section(run));
  add(worst_frames_section(run));
  add(jobs_section(run));
  if (Section histograms = histogram_section(run); !histograms.blocks.empty()) add(std::move(histograms));
  add(signals_section(run));
  add(host_section(run));
  add(link_and_clock_section(run));
  add(commands_section(run));
}

}  // namespace

std::vector<RunData> read_runs(const std::vector<std::string>& folders,
                               const std::vector<std::string>& plot) {
  if (folders.size() > kMostRuns)
    throw std::runtime_error("a report takes at most " + std::to_string(kMostRuns) + " runs, these are " +
                             std::to_string(folders.size()));
  std::vector<RunData> runs;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    ReadRequest request{.plot = plot, .compared = folders.size() > 1, .seed = i + 1};
    runs.push_back(read_run(folders[i], request));
    if (folders.size() > 1) runs.back().letter = std::string(1, static_cast<char>('A' + i));
  }
  return runs;
}

Page make_page(const std::vector<RunData>& runs) {
  Page page;
  const RunData& first = runs.front();
  if (runs.size() == 1) {
    const Verdict verdict = with_test(first, verdict_of(first));
    page.title = first.name + " \u00b7 tactus report";
    page.sign = verdict.sign;
    page.verdict = verdict.sentence;
    page.about = about(first);
    page.figures = figures_of(first);
    add_sections(first, true, page.sections);
    return page;
  }
  page.sign = 'c';
  std::vector<const RunData*> all;
  all.reserve(runs.size());
  for (const RunData& run : runs) all.push_back(&run);
  const std::vector<SettingDifference> different = setting_differences(all);
  page.sections.push_back(side_by_side_section(all, different));
  page.sections.push_back(overlaid_section(all, different));
  for (const RunData& run : runs) {
    page.title += (page.title.empty() ? "" : ", ") + run.name;
    page.about += (page.about.empty() ? "" : " | ") + run.letter + " " + about(run);
    const Verdict own = with_test(run, verdict_of(run));
    page.runs.push_back({run.letter + " " + run.name, own.sign, own.sentence});
    if (&run == &first) continue;
    page.verdict += (page.verdict.empty() ? "" : ". ") + verdict_of(first, run).sentence;
    page.sections.push_back(comparison_section(first, run));
  }
  if (!different.empty()) page.verdict = differ_by(different) + ". " + page.verdict;
  page.title += " \u00b7 tactus report";
  page.sections.push_back(lateness_section(all));
  const RunData& last = runs.back();
  for (const Figure& figure : figures_of(last))
    page.figures.push_back({last.letter + " " + figure.name, figure.value, figure.note});
  for (const RunData& run : runs) add_sections(run, false, page.sections);
  return page;
}

void write_report(const fs::path& file, const std::string& text) {
  std::error_code error;
  if (fs::is_directory(file, error)) throw std::runtime_error(file.string() + " is a folder; name a file");
  const int failed = rtsync::replace_folder_file(file, text);
  if (failed == ELOOP) throw std::runtime_error(rtsync::file_error(file.string() + ".part", failed));
  if (failed != 0)
    throw std::runtime_error(file.string() +
                             " cannot be written: " + std::generic_category().message(failed));
}

}  // namespace tactus::report
