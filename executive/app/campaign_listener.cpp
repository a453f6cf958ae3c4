// SPDX-License-Identifier: Apache-2.0
#include "executive/app/campaign_listener.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "config/json.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/campaign/page/sure_text.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::app {
namespace {

using campaign::Counts;

std::string counts_text(Counts counts) {
  std::string text;
  for (const char* const word : {"pass", "fail", "untested", "inconclusive", "error"})
    if (const std::int64_t count = counts.of(word); count > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + word;
  return text;
}

/// "2 min 10 s", "3 h 5 min".
std::string time_text(double seconds) {
  const auto whole = static_cast<long long>(std::lround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

std::string rate_text(double rate) {
  const bool fast = rate >= 1;
  return rtsync::format_text("%.1f a %s", fast ? rate : rate * 60, fast ? "second" : "minute");
}

Json counts_json(const Counts& counts) {
  return {{"pass", counts.pass},
          {"untested", counts.untested},
          {"inconclusive", counts.inconclusive},
          {"fail", counts.fail},
          {"error", counts.error}};
}

}  // namespace

std::string progress_line(const campaign::Progress& now) {
  std::string text = std::to_string(now.counts.all()) + " of " + std::to_string(now.cases) + " cases";
  if (now.counts.all() > 0) text += ": " + counts_text(now.counts);
  if (now.spoiled > 0) text += "; " + std::to_string(now.spoiled) + " repeated";
  if (now.rate > 0) text += "; " + rate_text(now.rate);
  if (now.left_s > 0 && now.running > 0) text += ", about " + time_text(now.left_s) + " left";
  return text;
}

CampaignListener::CampaignListener(std::filesystem::path folder, bool json, bool quiet)
    : folder_(std::move(folder)), json_(json), quiet_(quiet), terminal_(::isatty(STDOUT_FILENO) == 1) {}

void CampaignListener::clear_line() {
  if (line_) put("\r\033[K");
  line_ = false;
}

void CampaignListener::ended(std::int64_t number, int attempt, const campaign::Outcome& outcome,
                             const std::string& folder, bool again) {
  if (quiet_) return;
  if (json_) {
    Json row{{"number", number},
             {"attempt", attempt},
             {"verdict", outcome.verdict},
             {"says", outcome.says},
             {"seconds", outcome.end.seconds},
             {"folder", folder}};
    if (!outcome.spoiled.empty()) row["spoiled"] = outcome.spoiled;
    if (again) row["again"] = true;
    put("%s\n", Json{{"case", row}}.dump().c_str());
    std::fflush(stdout);
    return;
  }
  if (outcome.verdict == "pass") return;
  clear_line();
  const Ink ink = outcome.verdict == "fail" || outcome.verdict == "error" ? Ink::bad : Ink::warning;
  const std::string why = again && !outcome.spoiled.empty()
                              ? "spoiled by the machine (" + outcome.spoiled + "), it is repeated"
                              : outcome.says + (again ? "; it is repeated" : "");
  put("%s case %lld%s%s\n", painted(ink, outcome.verdict).c_str(), static_cast<long long>(number),
      why.empty() ? "" : ": ", why.c_str());
  std::fflush(stdout);
}

void CampaignListener::progress(const campaign::Progress& now) {
  if (quiet_) return;
  const auto time = std::chrono::steady_clock::now();
  if (json_) {
    put("%s\n", Json{{"progress",
                      {{"cases", now.cases},
                       {"done", now.counts.all()},
                       {"running", now.running},
                       {"verdicts", counts_json(now.counts)},
                       {"repeated", now.spoiled},
                       {"per_second", now.rate},
                       {"left_s", now.left_s < 0 ? Json() : Json(now.left_s)}}}}
                    .dump()
                    .c_str());
  } else if (terminal_) {
    clear_line();
    put("%s", progress_line(now).c_str());
    line_ = true;
  } else if (time - last_ >= std::chrono::seconds(30)) {
    put("%s\n", progress_line(now).c_str());
    last_ = time;
  }
  std::fflush(stdout);
}

void CampaignListener::says(const std::string& sentence) {
  clear_line();
  print_error("tactus campaign: %s\n", sentence.c_str());
}

void CampaignListener::end(const campaign::RunSummary& summary, const std::filesystem::path& page) {
  clear_line();
  if (quiet_ || json_) return;
  put("%s; in %s: %s\n", progress_line(summary.progress).c_str(), time_text(summary.progress.seconds).c_str(),
      page.c_str());
}

void CampaignListener::sure(const campaign::SureDraws& draws) {
  if (quiet_) return;
  const config::Json json = campaign::sure_json(draws);
  if (json_)
    put("%s\n", Json{{"until_sure", json}}.dump().c_str());
  else
    put("%s\n", campaign::sure_text(json).c_str());
}

}  // namespace tactus::app
