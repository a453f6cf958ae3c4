// SPDX-License-Identifier: Apache-2.0
#include "executive/report/verdict.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "executive/frame/outcome.hpp"
#include "executive/report/axes.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/report/missing_summary.hpp"
#include "rtsync/joined.hpp"

namespace tactus::report {
namespace {

using rtsync::Cause;

/// The cause that cost most; none: nothing was late.
std::pair<Cause, double> costliest(const FrameTimes& times) {
  std::int64_t sum = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < times.causes.size(); ++i) {
    sum += times.causes[i].sum_ns;
    if (times.causes[i].sum_ns > times.causes[most].sum_ns) most = i;
  }
  if (sum == 0) return {Cause::none, 0};
  return {static_cast<Cause>(most),
          static_cast<double>(times.causes[most].sum_ns) / static_cast<double>(sum)};
}

std::string failed_recordings(const Json& summary) {
  std::string all;
  for (const Json& each : list_fact(summary, "recordings"))
    if (!text_fact(each, "error").empty())
      all += (all.empty() ? "" : "; ") + ("recording " + text_fact(each, "name") + ": ") + losses_of(each);
  return all;
}

std::string how_it_ended(const RunData& run, char& sign) {
  const std::string outcome = run.outcome();
  const std::string reason = text_fact(run.summary(), "reason");
  if (outcome == "completed" || outcome == "stopped") {
    std::string words = outcome == "completed" ? "Completed" : "Stopped";
    const std::string lost = failed_recordings(run.summary());
    const std::int64_t status = integer_fact(run.summary(), "exit_status").value_or(0);
    if (lost.empty() && status == 0) return words;
    sign = 'f';
    if (!lost.empty()) return words + ", but " + lost;
    const std::string failed_on = text_fact(run.summary(), "failed_on");
    return words + ", but its exit status is " + std::to_string(status) +
           (failed_on.empty() ? "" : ": " + failed_on);
  }
  if (outcome == "unended" && run.files.still_runs) {
    if (!run.summary().is_null()) return "Still running";
    sign = 'w';
    return "A rig writes there, but there is no summary.json: " + why_no_summary(run.files.folder, true);
  }
  sign = 'f';
  std::error_code none;
  if (outcome == "unended" && run.summary().is_null() &&
      std::filesystem::exists(run.files.folder / "summary.json", none))
    return "The end is not known: summary.json is damaged, or cannot be read";
  if (outcome == "unended")
    return run.summary().is_null() ? "The end is not known, and there is no summary.json: " +
                                         why_no_summary(run.files.folder, run.files.still_runs)
           : text_fact(run.summary(), "outcome") == executive::kUnfinished
               ? "The end is not known: the rig was killed together with its witness, or could not write its "
                 "end"
               : "The end is not known";
  std::string words = outcome;
  std::ranges::replace(words, '_', ' ');
  words.front() =
      static_cast<char>(words.front() >= 'a' && words.front() <= 'z' ? words.front() - 32 : words.front());
  return words + (reason.empty() ? "" : ": " + reason);
}

/// "'stress' (SCHED_FIFO 90, of stress.service)", those that took most first.
std::string culprits_of(const RunData& run, const std::string& word) {
  std::vector<std::string> names;
  for (const Json& each : list_fact(run.summary(), "causes." + word + ".by")) {
    const std::string policy = text_fact(each, "policy"), of = text_fact(each, "of");
    names.push_back(text_fact(each, "name"));
    if (policy.empty() && of.empty()) continue;
    names.back() +=
        " (" + policy + (policy.empty() || of.empty() ? "" : ", ") + (of.empty() ? "" : "of " + of) + ")";
  }
  return rtsync::joined(names, ", then ");
}

/// The jobs that met a cause, those that met it most often first.
std::string jobs_of(const RunData& run, const std::string& word) {
  std::vector<std::pair<std::int64_t, std::string>> jobs;
  for (const auto& [job, count] : list_fact(run.summary(), "causes." + word + ".jobs").items())
    if (count.is_number_integer()) jobs.emplace_back(-count.get<std::int64_t>(), job);
  std::ranges::stable_sort(jobs, {}, &std::pair<std::int64_t, std::string>::first);
  return rtsync::joined(jobs, ", ", &std::pair<std::int64_t, std::string>::second);
}

/// Frames of the start-up grace were late: they are in no other counter.
bool late_in_grace(const RunData& run) {
  return integer_fact(run.summary(), "frames.grace_overruns").value_or(0) > 0 ||
         integer_fact(run.summary(), "frames.grace_late_wakes").value_or(0) > 0;
}

}  // namespace

std::string who_of(const RunData& run, Cause cause) {
  const std::string word(name_of(cause));
  const std::string who = jobs_of(run, word);
  if (const std::string culprits = culprits_of(run, word); !culprits.empty())
    return culprits + (who.empty() ? "" : "; affected jobs: " + who);
  if (!run.has_times()) return who;
  for (const WorstFrame& frame : run.times->worst()) {
    if (frame.row.why() != cause) continue;
    const auto found = run.files.log.why.find(frame.row.frame);
    if (found == run.files.log.why.end()) continue;
    // "was preempted 3.95 ms by 'python3' (tid 4127, SCHED_FIFO 90)"
    const std::size_t by = found->second.find(" by '");
    if (by != std::string::npos) return (who.empty() ? "" : who + ", ") + found->second.substr(by + 1);
    const std::size_t with = found->second.find("the CPU was with '");
    if (with != std::string::npos) {
      const std::size_t end = found->second.find(')', with);
      return (who.empty() ? "" : who + ", ") + "beside " +
             found->second.substr(with + 17, end == std::string::npos ? end : end + 1 - (with + 17));
    }
    const std::size_t steal = found->second.find("steal ");
    if (cause == Cause::machine_stopped && steal != std::string::npos)
      return "the hypervisor (" + found->second.substr(steal, found->second.find(',', steal) - steal) +
             " in that second)";
    const std::size_t in = found->second.find(" in ");
    const std::size_t end = found->second.find(" (", in == std::string::npos ? 0 : in);
    if (cause == Cause::blocked && in != std::string::npos && end != std::string::npos)
      return who + found->second.substr(in, end - in);
  }
  return who;
}

std::string why_of_frame(const RunData& run, std::int64_t frame) {
  const auto found = run.files.log.why.find(frame);
  return found == run.files.log.why.end() ? "" : found->second;
}

Verdict verdict_of(const RunData& run) {
  Verdict verdict;
  const std::string end = how_it_ended(run, verdict.sign);
  const std::int64_t frames = run.frames();
  const auto say = [&](char sign, const std::string& rest) {
    if (verdict.sign != 'f') verdict.sign = sign;
    verdict.sentence = end + (end.ends_with('.') ? " " : ". ") + rest;
    return verdict;
  };
  const bool unended = run.outcome() == "unended";
  if (frames == 0) return say('w', unended ? "No frame is recorded" : "No frame ran");
  const Json* const realtime = find_fact(run.summary(), "rt.realtime");
  const bool paced = realtime == nullptr || !realtime->is_boolean() || realtime->get<bool>();
  if (!paced)
    return say('g', counted(frames, "frame") + (frames == 1 ? " was" : " were") +
                        " run, not in real time: none could be late");
  const std::int64_t overruns = run.overruns();
  const auto late_wakes =
      integer_fact(run.summary(), "frames.late_wakes").value_or(run.has_times() ? run.times->late_wakes : 0);
  if (overruns == 0 && late_wakes == 0) {
    std::string rest = std::string(unended ? "On time as far as is recorded" : "On time") + ": none of " +
                       counted(frames, "frame") + " overran or woke late" +
                       (late_in_grace(run) ? " after the start-up grace" : "");
    if (run.has_times())
      rest += "; the latest wake was " + time_text(run.times->latest.late) + " after its slot";
    return say('g', rest);
  }
  std::string rest =
      overruns > 0
          ? "Late: " + count_text(overruns) + " of " + counted(frames, "frame") + " overran"
          : "No overrun in " + counted(frames, "frame") + ", but " + counted(late_wakes, "late wake");
  if (run.has_times()) {
    const auto [cause, share] = costliest(*run.times);
    if (cause != Cause::none) {
      const std::string who = who_of(run, cause);
      rest += "; " + share_text(share) + " of the lateness is " + std::string(name_of(cause)) +
              (who.empty() ? "" : " (" + who + ")");
    }
  }
  return say('w', rest);
}

Verdict with_test(const RunData& run, Verdict verdict) {
  if (run.test() == nullptr) return verdict;
  const std::string judged = text_fact(run.summary(), "test.verdict");
  if (judged == "fail" || judged == "error") verdict.sign = 'f';
  if ((judged == "untested" || judged == "inconclusive") && verdict.sign == 'g') verdict.sign = 'w';
  verdict.sentence =
      "Test " + text_fact(run.summary(), "test.test") + ": " + judged + ". " + verdict.sentence;
  return verdict;
}

}  // namespace tactus::report
