// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "executive/campaign/draw/points.hpp"
#include "executive/campaign/run/runner.hpp"

namespace tactus::campaign {

/// Cases a second, of the last 256 that ended.
class Rate {
 public:
  /// A case ended at that time, in seconds since the beginning.
  void add(double at) { ends_[count_++ % kMost] = at; }
  double of(double now) const {
    if (count_ == 0) return 0;
    const double first = count_ > kMost ? ends_[count_ % kMost] : 0;
    const double number = static_cast<double>(count_ > kMost ? kMost - 1 : count_);
    return now > first ? number / (now - first) : 0;
  }

 private:
  static constexpr std::size_t kMost = 256;
  std::array<double, kMost> ends_{};
  std::size_t count_ = 0;
};

/// The order in which cases are started: that of their numbers, or one that a seed shuffles, by a Permutation.
///
/// Threads  immutable.
class Order {
 public:
  Order(std::int64_t count, std::optional<std::uint64_t> seed) : all_(count), seed_(seed) {}

  /// The number of the case that is the nth to start, 0 <= n < count.
  std::int64_t at(std::int64_t n) const {
    if (!seed_) return n;
    return all_.at(n, [this](std::uint64_t value, std::uint64_t round) {
      return mixed(value + (round << 48) + *seed_ * 0x9E3779B97F4A7C15U);
    });
  }

 private:
  /// SplitMix64's last step.
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  Permutation all_;
  std::optional<std::uint64_t> seed_;
};

/// The cases of a campaign as a runner of any engine knows them: which is the next, which have a result, which are
/// repeated, and how many of each. It closes attempts in the database, and tells the listener.
///
///     ledger.adopt(...)       attempts that a runner before left, and that have ended
///     ledger.read()           what has a result, from the database
///     ledger.next()           a case to run; its attempt is claimed in the database by the runner
///     ledger.close(...)       the attempt has ended
///     ledger.lose(...)        it has no end, and does not count
///
/// Threads  that of the runner. Memory: the cases that run, and a few bytes for each 4096 that do not. All functions may
/// throw DatabaseError.
class CaseLedger {
 public:
  CaseLedger(Store& store, const CampaignRun& run)
      : store_(store), run_(run), order_(run.cases.count(), run.choices.shuffle) {}

  /// Takes in an attempt that ended under a runner before. Returns true if the case has a result by that.
  bool adopt(std::int64_t number, int attempt, const Outcome& outcome, const std::string& folder);
  /// Reads which cases have a result; opens failed ones again if that was asked for.
  void read();

  /// Returns the next case to run: one that is repeated, else the next in order that has no result and is wanted. Nothing:
  /// there is none, or no further one is needed. From then on it counts as running.
  std::optional<Case> next();
  /// Puts a case back that next() gave and that was not begun: a result of it lay in the folder.
  void found(std::int64_t number);
  /// Counts cases that run under another runner's claim.
  void inherit(std::int64_t cases) { started_ += cases; }
  /// Returns true if next() has no case, whatever ends.
  bool is_over() const;
  /// Returns the number of cases that next() may still give.
  std::int64_t left() const;

  /// Returns true if an attempt that ended so does not count, and is repeated.
  bool repeats(std::int64_t number, const Outcome& outcome);
  /// Closes an attempt; `again`: it does not count, and is repeated. `now`: seconds since the beginning.
  void close(std::int64_t number, int attempt, const Outcome& outcome, const std::string& folder, bool again,
             double now);
  /// Closes an attempt without an end: it does not count, and the case is open. `again`: it is the next.
  void lose(std::int64_t number, int attempt, bool again);
  /// Counts an attempt that its engine repeats by itself.
  void count_repeated() { ++spoiled_; }

  const Counts& counts() const { return counts_; }
  Progress progress(std::int64_t running, double now) const;
  RunSummary summary(std::int64_t running, double now, bool asked_to_end) const;

 private:
  bool has_enough() const { return run_.choices.sure != nullptr && run_.choices.sure->enough(); }
  bool is_stopped() const {
    return run_.choices.stop_after > 0 && started_ >= run_.choices.stop_after && again_.empty();
  }
  void count_draw(std::int64_t number);
  void count_left_out();

  Store& store_;
  const CampaignRun run_;
  Order order_;
  CaseStates states_;
  Counts counts_;
  std::deque<std::int64_t> again_;
  std::int64_t place_ = 0, started_ = 0, ended_ = 0, spoiled_ = 0;
  std::int64_t left_out_ = 0;        ///< cases that next() came to and left out
  std::int64_t known_left_out_ = 0;  ///< cases of all that it will leave out, where there are few
  Rate rate_;
};

}  // namespace tactus::campaign
