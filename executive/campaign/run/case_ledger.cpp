// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/case_ledger.hpp"

#include <algorithm>

namespace tactus::campaign {

namespace {

constexpr std::int64_t kLookedAt = 20'000;  // cases, before the first is run: some tenths of a second at most

}  // namespace

bool CaseLedger::adopt(std::int64_t number, int attempt, const Outcome& outcome, const std::string& folder) {
  const bool again = repeats(number, outcome);
  store_.end(number, attempt, outcome, again);
  run_.listener.ended(number, attempt, outcome, folder, again);
  return !again;
}

void CaseLedger::read() {
  if (run_.choices.retry_failed) (void)store_.open_failed();
  states_ = store_.states(run_.cases.count());
  counts_ = store_.counts();
  if (run_.cases.count() <= kLookedAt) count_left_out();
}

/// Looks ahead for cases that will not be run, so that the estimate does not count on them.
void CaseLedger::count_left_out() {
  known_left_out_ = 0;
  for (std::int64_t number = 0; number < run_.cases.count(); ++number) {
    if (states_.at(number) != CaseState::open) continue;
    const Case one = run_.cases.at(number);
    if (one.excluded || (run_.choices.only && !run_.choices.only(one))) ++known_left_out_;
  }
}

/// Counts a case that has a result, or is left out.
void CaseLedger::count_draw(std::int64_t number) {
  if (run_.choices.sure == nullptr) return;
  const std::string verdict = store_.verdict(number, run_.choices.sure->expectation());
  run_.choices.sure->take(number, verdict.empty() ? SureDraws::Judged::left_out : SureDraws::judged(verdict));
}

std::optional<Case> CaseLedger::next() {
  if (is_stopped()) return std::nullopt;
  std::optional<Case> found;
  if (!again_.empty() && !has_enough()) {
    found = run_.cases.at(again_.front());
    again_.pop_front();
  }
  for (; !found && place_ < run_.cases.count(); ++place_) {
    const std::int64_t number = order_.at(place_);
    if (states_.at(number) == CaseState::done) count_draw(number);
    if (states_.at(number) != CaseState::open) continue;
    Case one = run_.cases.at(number);
    if (!one.excluded && has_enough())
      return std::nullopt;  // and this one is the next where it is asked again
    if (!one.excluded && (!run_.choices.only || run_.choices.only(one))) {
      found = std::move(one);
      continue;
    }
    ++left_out_;
    states_.set(number, CaseState::done);  // not looked at any more, and without room
    if (one.excluded && run_.choices.sure != nullptr)
      run_.choices.sure->take(number, SureDraws::Judged::left_out);
  }
  if (!found) return std::nullopt;
  states_.set(found->number, CaseState::running);
  ++started_;
  return found;
}

void CaseLedger::found(std::int64_t number) {
  --started_;
  states_.set(number, CaseState::done);
  counts_ = store_.counts();
  if (number < place_) count_draw(number);  // else next() does, which comes to it: nothing is shuffled then
}

bool CaseLedger::is_over() const {
  return has_enough() || is_stopped() || (again_.empty() && place_ >= run_.cases.count());
}

std::int64_t CaseLedger::left() const {
  if (has_enough()) return 0;
  const auto repeated = static_cast<std::int64_t>(again_.size());
  const std::int64_t first = run_.cases.count() - place_;
  return repeated + (run_.choices.stop_after > 0
                         ? std::min(first, std::max<std::int64_t>(run_.choices.stop_after - started_, 0))
                         : first);
}

bool CaseLedger::repeats(std::int64_t number, const Outcome& outcome) {
  const bool bad =
      outcome.verdict == "fail" || outcome.verdict == "error" || outcome.verdict == "inconclusive";
  const bool wanted = !outcome.spoiled.empty() || (run_.work.retry_failed && bad);
  return wanted && run_.work.retries > 0 && store_.spoiled(number) < run_.work.retries;
}

void CaseLedger::close(std::int64_t number, int attempt, const Outcome& outcome, const std::string& folder,
                       bool again, double now) {
  store_.end(number, attempt, outcome, again);
  if (again) {
    ++spoiled_;
    again_.push_back(number);
  } else {
    states_.set(number, CaseState::done);
    ++counts_.of(outcome.verdict);
    ++ended_;
    rate_.add(now);
    if (number < place_) count_draw(number);
  }
  run_.listener.ended(number, attempt, outcome, folder, again);
}

void CaseLedger::lose(std::int64_t number, int attempt, bool again) {
  store_.lose(number, attempt);
  states_.set(number, CaseState::open);
  if (again) again_.push_back(number);
}

Progress CaseLedger::progress(std::int64_t running, double now) const {
  Progress all{.cases = run_.cases.count() - std::max(left_out_, known_left_out_),
               .running = running,
               .ended = ended_,
               .counts = counts_,
               .seconds = now,
               .rate = rate_.of(now),
               .spoiled = spoiled_};
  if (all.rate > 0) all.left_s = static_cast<double>(all.cases - counts_.all()) / all.rate;
  return all;
}

RunSummary CaseLedger::summary(std::int64_t running, double now, bool asked_to_end) const {
  RunSummary all;
  all.progress = progress(running, now);
  all.asked_to_end = asked_to_end;
  all.left = all.progress.cases - counts_.all();
  return all;
}

}  // namespace tactus::campaign
