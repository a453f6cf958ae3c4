// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/thread_rules.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "config/number.hpp"
#include "executive/model/job_class.hpp"
#include "executive/model/suggest.hpp"
#include "executive/plan/schedule.hpp"

namespace tactus::executive {
namespace {

using config::Origin;
using rtsync::Period;
using rtsync::Wide;

Wide greatest_divisor(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

/// "; write for example 3 ms": the next period that is a whole number of frames, if there is one.
std::string next_fit(const Period& period, const Period& frame) {
  const Wide part = static_cast<Wide>(frame.num()) * period.den();
  const Wide frames = (static_cast<Wide>(period.num()) * frame.den() + part - 1) / part;
  if (frames * frame.num() > INT64_MAX) return "";
  return "; write for example " +
         config::name_period({static_cast<std::int64_t>(frames * frame.num()), frame.den()});
}

/// a b mod m, for a, b < m < 2^126.
Wide times(Wide a, Wide b, Wide m) {
  Wide product = 0;
  for (; b > 0; b /= 2) {
    if (b % 2 != 0) product = (product + a) % m;
    a = (a + a) % m;
  }
  return product;
}

/// x with a x = 1 mod m, for a and m without a common divisor.
Wide inverse(Wide a, Wide m) {
  Wide r = m;
  Wide next_r = a % m;
  Wide x = 0;
  Wide next_x = 1;
  while (next_r != 0) {
    const Wide quotient = r / next_r;
    r = std::exchange(next_r, r - quotient * next_r);
    x = std::exchange(next_x, x - quotient * next_x);
  }
  return (x % m + m) % m;
}

/// Times at which a job is due, in ticks: first, first + cycle, ... up to stop.
struct Times {
  Wide first;
  Wide cycle;
  std::optional<Wide> stop;
};

Times times_of(const PlannedJob& job, std::int64_t ticks_per_ns) {
  const auto ticks = [&](const Period& period) {
    return static_cast<Wide>(period.num()) * (ticks_per_ns / period.den());
  };
  return {ticks(job.first), ticks(job.cycle), job.stop ? std::optional(ticks(*job.stop)) : std::nullopt};
}

/// Ticks per nanosecond for two jobs; 0 when they have none in common.
std::int64_t common_ticks(const PlannedJob& a, const PlannedJob& b) {
  std::int64_t common = 1;
  for (const PlannedJob* const job : {&a, &b}) {
    for (const Period& period : {job->first, job->cycle, job->stop.value_or(Period{})}) {
      const std::int64_t factor = period.den() / std::gcd(common, period.den());
      if (factor > kMostTicksPerNs / common) return 0;
      common *= factor;
    }
  }
  return common;
}

/// User of a model's variables while frames run: a job, or the loop that integrates it.
struct Use {
  std::string name;  ///< "'motor.step'"
  std::size_t thread;
  std::optional<std::size_t> cyclic;  ///< the job, if it is called at instants
  bool loop;
  const Origin* origin;
};

class DependencyResolver {
 public:
  DependencyResolver(Plan& plan, const std::vector<WantedDependency>& wanted, const PlanOrigins& origins,
                     config::Problems& problems)
      : plan_(plan), wanted_(wanted), origins_(origins), problems_(problems) {}

  void resolve() {
    collect();
    check_threads();
    check_classes();
    take_wanted();
    order_memory();
    order_connections();
    for (PlannedJob& job : plan_.jobs) {
      std::vector<std::size_t>& list = job.depends_on;
      std::ranges::sort(list, [this](std::size_t a, std::size_t b) { return comes_before(plan_, a, b); });
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

 private:
  using Pair = std::pair<const Use*, const Use*>;

  bool asynchronous(const Pair& pair) const {
    return plan_.is_asynchronous(pair.first->thread) || plan_.is_asynchronous(pair.second->thread);
  }
  std::string thread_text(std::size_t thread) const {
    if (thread == 0) return "thread main";
    return (plan_.is_asynchronous(thread) ? "asynchronous thread '" : "thread '") +
           plan_.threads[thread - 1].name + "'";
  }
  std::string text(const Use& use) const { return use.name + " (" + thread_text(use.thread) + ")"; }
  std::string text(const Pair& pair) const { return text(*pair.first) + " and " + text(*pair.second); }
  const std::vector<Use>& uses_of(const ModelInstance* model) const {
    static const std::vector<Use> none;
    const auto found = uses_.find(model);
    return found == uses_.end() ? none : found->second;
  }

  void collect() {
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
      const PlannedJob& job = plan_.jobs[i];
      const bool cyclic = is_cyclic(job.job_class);
      if (job.model != nullptr && (cyclic || is_around_frame(job.job_class)))
        uses_[job.model].push_back({"'" + job.name + "'", job.thread,
                                    cyclic ? std::optional(i) : std::nullopt, false, &origins_.jobs[i]});
    }
    for (std::size_t i = 0; i < plan_.loops.size(); ++i)
      for (const ModelInstance* const model : plan_.loops[i].models)
        uses_[model].push_back({"loop '" + plan_.loops[i].name + "'", plan_.loops[i].thread, std::nullopt,
                                true, &origins_.loops[i]});
  }

  // ---- threads and classes

  void check_threads() {
    std::vector<bool> busy(plan_.threads.size() + 1);
    for (const PlannedJob& job : plan_.jobs) busy[job.thread] = true;
    for (const PlannedLoop& loop : plan_.loops) busy[loop.thread] = true;
    for (std::size_t i = 0; i < plan_.threads.size(); ++i) {
      check_period(plan_.threads[i], origins_.threads[i]);
      if (!busy[i + 1] && origins_.complete)
        problems_.add(origins_.threads[i], "thread '" + plan_.threads[i].name +
                                               "' has no job; put a model on it with 'thread: " +
                                               plan_.threads[i].name + "', or remove the thread");
    }
  }

  void check_period(const PlannedThread& thread, const Origin& origin) {
    const Period& period = thread.period;
    const Period& frame = plan_.frame;
    if (thread.kind == ThreadKind::scheduled) {
      if (!period.is_zero())
        problems_.add(origin,
                      "a scheduled thread runs in lock-step with the frame and has no 'period'; remove the "
                      "period, or choose an asynchronous kind");
    } else if (period.is_zero()) {
      if (thread.kind == ThreadKind::asynchronous_must_finish)
        problems_.add(origin, "missing key 'period' (time in which its work must end)");
    } else if (static_cast<Wide>(period.num()) * frame.den() %
                   (static_cast<Wide>(frame.num()) * period.den()) !=
               0) {
      problems_.add(origin, "period " + config::name_period(period) + " is not a whole number of frames of " +
                                config::name_period(frame) + next_fit(period, frame));
    }
  }

  /// Jobs that run on main while the rig is frozen or copied: beside those of an asynchronous thread.
  void check_classes() {
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
      const PlannedJob& job = plan_.jobs[i];
      if (!is_freeze(job.job_class) && job.job_class != TACTUS_CHECKPOINT &&
          job.job_class != TACTUS_POST_CHECKPOINT)
        continue;
      for (const Use& use : uses_of(job.model)) {
        if (!plan_.is_asynchronous(use.thread)) continue;
        problems_.add(origins_.jobs[i],
                      "'" + job.name + "' is of class " + std::string(name_of(job.job_class)) +
                          " and runs on thread main, beside " + text(use) +
                          ", which does not stop for a freeze; put the model on a scheduled thread");
        break;
      }
    }
  }

  // ---- depends_on

  void take_wanted() {
    for (const WantedDependency& wanted : wanted_) {
      const auto on = std::ranges::find(plan_.jobs, wanted.on.value, &PlannedJob::name);
      if (on == plan_.jobs.end()) {
        problems_.add(wanted.on, "there is no job '" + wanted.on.value + "'" +
                                     did_you_mean(wanted.on.value, plan_.jobs, &PlannedJob::name));
        continue;
      }
      const auto before = static_cast<std::size_t>(on - plan_.jobs.begin());
      if (const std::string why = dependency_problem(wanted.job, before); !why.empty()) {
        problems_.add(wanted.on, why);
      } else if (on->thread != plan_.jobs[wanted.job].thread) {  // on one thread the order says it already
        plan_.jobs[wanted.job].depends_on.push_back(before);
      }
    }
  }

  std::string dependency_problem(std::size_t job, std::size_t on) const {
    const auto said = [this](std::size_t i) {
      return "'" + plan_.jobs[i].name + "' (class " + std::string(name_of(plan_.jobs[i].job_class)) +
             ", phase " + std::to_string(plan_.jobs[i].phase) + ")";
    };
    if (job == on) return "is the job itself";
    for (const std::size_t i : {job, on})
      if (!is_cyclic(plan_.jobs[i].job_class) || plan_.jobs[i].recording)
        return "'" + plan_.jobs[i].name + "' " +
               (plan_.jobs[i].recording ? std::string("is a recording")
                                        : "is of class " + std::string(name_of(plan_.jobs[i].job_class))) +
               "; only jobs of the cyclic classes can wait for each other";
    for (const std::size_t i : {job, on})
      if (plan_.is_asynchronous(plan_.jobs[i].thread))
        return "'" + plan_.jobs[i].name + "' runs on the " + thread_text(plan_.jobs[i].thread) +
               "; only jobs of main and of scheduled threads can wait for each other";
    if (!comes_before(plan_, on, job))
      return said(on) + " comes after " + said(job) +
             " in the order of an instant (class, phase, declaration), so it cannot be waited for; change a "
             "phase, or reverse the dependency";
    return "";
  }

  // ---- models on several threads

  void order_memory() {
    know_what_is_ordered();
    for (const auto& [model, uses] : uses_) {
      const std::size_t thread = uses.front().thread;
      if (std::ranges::all_of(uses, [thread](const Use& use) { return use.thread == thread; })) continue;
      if (!refuse_asynchronous(*model, uses)) order_jobs(*model, uses);
    }
  }

  bool refuse_asynchronous(const ModelInstance& model, const std::vector<Use>& uses) {
    for (const Use& b : uses) {
      for (const Use& a : uses) {
        if (&a == &b) break;
        if (a.thread == b.thread || !asynchronous({&a, &b})) continue;
        problems_.add(*b.origin, text({&a, &b}) + " share the memory of model '" + model.name() +
                                     "', and nothing keeps them apart; put both on one thread");
        return true;
      }
    }
    return false;
  }

  /// Computes for each job how far on every thread the jobs are known to have come before it, from depends_on
  /// and from the order within each thread.
  void know_what_is_ordered() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i)
      if (is_cyclic(plan_.jobs[i].job_class) && !plan_.is_asynchronous(plan_.jobs[i].thread))
        order.push_back(i);
    std::ranges::sort(order, [this](std::size_t a, std::size_t b) { return comes_before(plan_, a, b); });
    place_.assign(plan_.jobs.size(), 0);
    known_.assign(plan_.jobs.size(), {});
    std::vector<std::vector<std::size_t>> last(plan_.threads.size() + 1,
                                               std::vector<std::size_t>(plan_.threads.size() + 1));
    for (std::size_t n = 0; n < order.size(); ++n) {
      const std::size_t job = order[n];
      std::vector<std::size_t>& known = last[plan_.jobs[job].thread];
      for (const std::size_t on : plan_.jobs[job].depends_on) {
        std::size_t& of_thread = known[plan_.jobs[on].thread];
        of_thread = std::max(of_thread, place_[on]);
        for (std::size_t t = 0; t < known.size(); ++t) known[t] = std::max(known[t], known_[on][t]);
      }
      place_[job] = n + 1;
      known_[job] = known;
      known[plan_.jobs[job].thread] = n + 1;
    }
  }
  bool is_ordered(std::size_t before, std::size_t after) const {
    return known_[after][plan_.jobs[before].thread] >= place_[before];
  }

  /// Orders jobs that share memory. A chain of dependencies may have links that are off or not due: so a job
  /// that a chain orders also waits directly.
  void order_jobs(const ModelInstance& model, const std::vector<Use>& uses) {
    std::vector<const Use*> jobs;
    for (const Use& use : uses)
      if (use.cyclic) jobs.push_back(&use);
    std::ranges::sort(
        jobs, [this](const Use* a, const Use* b) { return comes_before(plan_, *a->cyclic, *b->cyclic); });
    for (auto after = jobs.begin(); after != jobs.end(); ++after) {
      const Use* free = nullptr;  // the last before it that nothing orders: to wait for it mends most
      for (auto before = jobs.begin(); before != after; ++before) {
        const std::size_t a = *(*before)->cyclic;
        const std::size_t b = *(*after)->cyclic;
        if (plan_.jobs[a].thread == plan_.jobs[b].thread || !can_meet(plan_.jobs[a], plan_.jobs[b])) continue;
        if (is_ordered(a, b)) {
          plan_.jobs[b].depends_on.push_back(a);
        } else {
          free = *before;
        }
      }
      if (free != nullptr)
        problems_.add(*(*after)->origin,
                      text({free, *after}) + " share the memory of model '" + model.name() +
                          "' and can be due at one instant; add 'depends_on: [" +
                          plan_.jobs[*free->cyclic].name + "]' to the latter, or put both on one thread");
    }
  }

  // ---- connections

  void order_connections() {
    std::set<std::pair<const ModelInstance*, const ModelInstance*>> done;
    for (std::size_t i = 0; i < plan_.connections.size(); ++i) {
      const Connection& connection = plan_.connections[i];
      if (connection.delayed) continue;
      if (const std::string why = connection_problem(connection); !why.empty()) {
        problems_.add(origins_.connections[i], why);
      } else if (connection.direct && done.emplace(connection.from.model, connection.to.model).second) {
        derive(connection);
      }
    }
  }

  /// The pairs of one who may write the connection's source and one who reads it, on different threads.
  template <class Visit>
  void visit_pairs(const Connection& connection, Visit visit) const {
    static const Use rig{"the rig itself", 0, std::nullopt, false, nullptr};
    const auto with = [&](const Use& from) {
      for (const Use& to : uses_of(connection.to.model))
        if (from.thread != to.thread) visit(Pair{&from, &to});
    };
    if (connection.from.model == nullptr) return with(rig);
    for (const Use& from : uses_of(connection.from.model)) with(from);
  }

  std::string connection_problem(const Connection& connection) const {
    std::optional<Pair> beside;
    std::optional<Pair> loops;
    std::optional<Pair> jobs;
    visit_pairs(connection, [&](const Pair& pair) {
      std::optional<Pair>* kind = nullptr;
      if (asynchronous(pair)) kind = &beside;
      if (kind == nullptr && pair.first->loop && pair.second->loop) kind = &loops;
      if (kind == nullptr && pair.first->cyclic && pair.second->cyclic) kind = &jobs;
      if (kind != nullptr && !*kind) *kind = pair;
    });
    if (beside)
      return text(*beside) + " run beside each other; only 'delayed: yes' is possible between them" +
             (connection.direct ? ", not 'direct: yes'" : "");
    if (loops)
      return text(*loops) +
             " integrate at the same time; only 'delayed: yes' is possible between their models" +
             (connection.direct ? ", not 'direct: yes'" : "");
    if (jobs && !connection.direct)
      return text(*jobs) +
             " run at the same time; add 'direct: yes' (the later of two jobs due at one instant waits for "
             "the earlier) or 'delayed: yes' (the input gets the value from before the instant)";
    return "";
  }

  void derive(const Connection& connection) {
    visit_pairs(connection, [this](const Pair& pair) {
      if (!pair.first->cyclic || !pair.second->cyclic) return;
      std::size_t before = *pair.first->cyclic;
      std::size_t after = *pair.second->cyclic;
      if (!can_meet(plan_.jobs[before], plan_.jobs[after])) return;
      // Also when the reader comes first: then the writer waits until the copy was made.
      if (comes_before(plan_, after, before)) std::swap(before, after);
      plan_.jobs[after].depends_on.push_back(before);
    });
  }

  Plan& plan_;
  const std::vector<WantedDependency>& wanted_;
  const PlanOrigins& origins_;
  config::Problems& problems_;
  std::map<const ModelInstance*, std::vector<Use>> uses_;
  std::vector<std::size_t> place_;               // by job: its place in the order, from 1
  std::vector<std::vector<std::size_t>> known_;  // by job and thread: places up to here come before it
};

}  // namespace

bool comes_before(const Plan& plan, std::size_t a, std::size_t b) {
  const auto key = [&](std::size_t i) { return std::tuple(plan.jobs[i].job_class, plan.jobs[i].phase, i); };
  return key(a) < key(b);
}

bool can_meet(const PlannedJob& a, const PlannedJob& b) {
  if (a.dynamic || b.dynamic) return true;
  const std::int64_t ticks = common_ticks(a, b);
  if (ticks == 0) return true;
  const Times x = times_of(a, ticks);
  const Times y = times_of(b, ticks);
  const Wide shared = greatest_divisor(x.cycle, y.cycle);
  if ((y.first - x.first) % shared != 0) return false;
  if (!x.stop && !y.stop) return true;
  const Wide stop = !x.stop ? *y.stop : (!y.stop ? *x.stop : std::min(*x.stop, *y.stop));
  const Wide start = std::max(x.first, y.first);
  if (stop < start) return false;
  // x.first + k x.cycle = y.first mod y.cycle; k is unique mod m.
  const Wide m = y.cycle / shared;
  const Wide distance = (y.first - x.first) / shared % m;
  Wide k = times(distance < 0 ? distance + m : distance, inverse(x.cycle / shared, m), m);
  const Wide least = (start - x.first + x.cycle - 1) / x.cycle;
  if (k < least) k += (least - k + m - 1) / m * m;
  return k <= (stop - x.first) / x.cycle;
}

void resolve_thread_dependencies(Plan& plan, const std::vector<WantedDependency>& wanted,
                                 const PlanOrigins& origins, config::Problems& problems) {
  DependencyResolver(plan, wanted, origins, problems).resolve();
}

}  // namespace tactus::executive
