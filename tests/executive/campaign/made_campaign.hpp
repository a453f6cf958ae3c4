// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A campaign whose cases are a shell script: what it does is the name of the rig of the case.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "executive/campaign/run/runner.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::campaign {

/// As many cases as there are rigs; `count` more of the last one.
class MadeCases final : public CaseSource {
 public:
  explicit MadeCases(std::vector<std::string> rigs, std::int64_t count = 0)
      : rigs_(std::move(rigs)), count_(std::max(count, static_cast<std::int64_t>(rigs_.size()))) {}
  std::int64_t count() const override { return count_; }
  Case at(std::int64_t number) const override {
    Case one;
    one.number = number;
    const auto last = static_cast<std::int64_t>(rigs_.size()) - 1;
    one.rig = rigs_[static_cast<std::size_t>(std::min(number, last))];
    one.test = "a.test.yaml";
    one.arguments = {"--set", "gain=" + std::to_string(number) + more};
    one.drawn = {{"gain", std::to_string(number) + " V", static_cast<double>(number), "V"}};
    one.excluded = excluded && excluded(number);
    return one;
  }
  std::function<bool(std::int64_t)> excluded;
  std::string more;

 private:
  std::vector<std::string> rigs_;
  std::int64_t count_;
};

/// What the listener heard.
struct Heard final : RunListener {
  void ended(std::int64_t number, int attempt, const Outcome& outcome, const std::string&,
             bool again) override {
    ++count;
    if (keeps) all.push_back({number, attempt, outcome.verdict, again});
    if (on_end) on_end(count);
  }
  void progress(const Progress& now) override {
    most = std::max(most, now.cases);
    last = now;
  }
  void says(const std::string& sentence) override { said += sentence + "\n"; }

  void clear() {
    all.clear();
    most = 0;
    count = 0;
  }

  struct One {
    std::int64_t number;
    int attempt;
    std::string verdict;
    bool again;
  };
  std::vector<One> all;
  std::size_t count = 0;  ///< attempts that ended
  bool keeps = true;      ///< false: `all` stays empty
  std::int64_t most = 0;  ///< cases that it was ever told of
  Progress last;
  std::string said;
  std::function<void(std::size_t)> on_end;
};

/// A folder with the script, and what a runner is given.
class MadeCampaign {
 public:
  MadeCampaign() {
    dir.write("tactus", R"(#!/bin/sh
rig=$2; gain=${4#gain=}
while [ $# -gt 1 ]; do [ "$1" = --out ] && out=$2; shift; done
mkdir -p "$out" || exit 3
verdict() {
  echo "{\"verdict\": \"$1\", \"sources\": {\"tactus\": \"1\", \"rig\": {\"file\": \"rig.yaml\", \"sha256\": \"$rig_sum\"}}, \
\"expectations\": [{\"name\": \"holds\", \"verdict\": \"$1\", \"severity\": \"fail\", \"unit\": \"V\", \"margin\": $2, \
\"frame\": null, \"late\": $3, \"says\": \"as made\"}], \"measured\": [{\"name\": \"peak\", \"value\": $gain, \"unit\": \"A\"}]}" > "$out/verdict.json"
}
rig_sum=a
case $rig in
  pass) verdict pass 0.5 null ;;
  fail) verdict fail -0.5 null; exit 4 ;;
  untested) verdict untested null null; exit 5 ;;
  crash) kill -SEGV $$ ;;
  killed) sleep 1000 & echo $$ > "$out/../leader"; kill -TERM $$ ;;
  hang) trap '' TERM; while :; do sleep 1; done ;;
  fork) (trap '' TERM; setsid sleep 1000 & sleep 1000) & verdict pass 0.5 null ;;
  spoil) if [ -e "$out/../../$gain-1" ]; then verdict pass 0.5 null; else verdict inconclusive null 12
         echo '{"causes": {"preempted": {"sum_ns": 5, "by": [{"name": "burst", "of": ""}]}}}' > "$out/summary.json"; exit 5; fi ;;
  ruin) verdict inconclusive null 12
        echo '{"causes": {"preempted": {"sum_ns": 5, "by": [{"name": "burst", "of": ""}]}}}' > "$out/summary.json"; exit 5 ;;
  own) verdict inconclusive null 12
       echo '{"causes": {"computed": {"sum_ns": 5}, "preempted": {"sum_ns": 1}}}' > "$out/summary.json"; exit 5 ;;
  stopped) echo '{"outcome": "stopped", "reason": "stopped by SIGTERM", "cut_short": true}' > "$out/summary.json" ;;
  planned) echo '{"outcome": "stopped", "reason": "at 1 s", "cut_short": false}' > "$out/summary.json" ;;
  pinned) sed -n 's/^Cpus_allowed_list:\t*//p' /proc/self/status > "$out/allowed"; echo "$TACTUS_CPUS" > "$out/named"
          busy="$out/../../../busy-$TACTUS_CPUS"
          if mkdir "$busy"; then sleep 0.02; rmdir "$busy"; verdict pass 0.5 null; else verdict fail 0 null; exit 4; fi ;;
  other) rig_sum=b; verdict pass 0.5 null ;;
esac
exit 0
)");
    (void)::chmod((dir / "tactus").c_str(), 0755);
    choices.folder = dir.path() / "c";
    choices.program = dir / "tactus";
    choices.jobs = 2;
    choices.kill_after_s = 0.05;
    work.name = "made";
    work.file = "made.campaign.yaml";
    work.sources = {{"campaign", "made.campaign.yaml", "1"}, {"rig", "rig.yaml", "a"}};
  }

  RunSummary run(const CaseSource& cases) {
    heard.clear();
    return run_campaign(work, cases, choices, heard);
  }
  /// Starts a runner as a process of its own.
  pid_t start(const CaseSource& cases) {
    const pid_t process = ::fork();
    if (process != 0) return process;
    int status = 1;
    try {
      (void)run(cases);
      status = 0;
    } catch (...) {
    }
    ::_exit(status);
  }
  std::int64_t number_of(const std::string& sql) const {
    Database database(choices.folder / Store::kFile, Database::Use::read);
    Statement rows(database.get(), sql);
    return rows.next() ? rows.integer(0) : -1;
  }
  std::string text_of(const std::string& sql) const {
    Database database(choices.folder / Store::kFile, Database::Use::read);
    Statement rows(database.get(), sql);
    return rows.next() ? rows.text(0) : "";
  }

  const test::TempDir dir;
  CampaignWork work;
  RunChoices choices;
  Heard heard;
};

}  // namespace tactus::campaign
