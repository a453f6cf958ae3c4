// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A cluster that is computed: its nodes, its queue, its failures and its time. What runs on it is the runner of the product.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "executive/campaign/engine/engine.hpp"

namespace tactus::campaign {

/// Stands for a kill of the runner: no error that it may catch.
struct KilledRunner {};

struct SimulatedCluster {
  std::int64_t nodes = 10;
  EngineLimits limits{1001, 10'000, 10, 0};
  double case_s = 10, spread = 0.3;  ///< median, and standard deviation of the logarithm
  double straggler_share = 0, straggler_factor = 20;
  double node_fails_every_s = 0;  ///< mean time of a node to its failure; 0: never
  double node_back_s = 300, requeue_s = 120;
  bool requeue = true;
  double start_s = 1;                 ///< of a task
  double memory_share = 0;            ///< cases that end their task as OUT_OF_MEMORY
  std::int64_t disk_has = INT64_MAX;  ///< cases that the disk has room for
  double busy_share = 0;              ///< questions that are not answered
  double task_limit_s = 0;            ///< a task that takes longer ends as TIMEOUT
  bool tells_ends = true;             ///< false: no file of completed jobs
  std::uint64_t seed = 1;
};

class SimulatedEngine final : public Engine {
 public:
  explicit SimulatedEngine(const SimulatedCluster& simulated) : cluster(simulated), random_(simulated.seed) {
    for (std::int64_t i = 0; i < cluster.nodes; ++i) {
      nodes_.push_back({});
      free_.push_back(i);
      if (cluster.node_fails_every_s > 0) push(of_mean(cluster.node_fails_every_s), Event::node_fails, i, 0);
    }
  }

  EngineLimits limits(const ArrayNeeds&) override {
    cluster.limits.slots = cluster.nodes;
    return cluster.limits;
  }
  void write_task(const ArrayJob& array, std::int64_t task, const TaskWork& work) override {
    std::vector<std::vector<std::int64_t>>& tasks = written_[array.array];
    if (tasks.size() <= static_cast<std::size_t>(task)) tasks.resize(static_cast<std::size_t>(task) + 1);
    for (const TaskCase& each : work.cases) tasks[static_cast<std::size_t>(task)].push_back(each.number);
    most_words = std::max(most_words, work.cases.size());
  }
  std::string log(const ArrayJob&, std::int64_t) override { return "as made"; }
  std::string submit(const ArrayJob& array) override {
    busy();
    step();
    most_tasks = std::max(most_tasks, array.tasks);
    const std::string id = std::to_string(++jobs_);
    Job& job = jobs_of_[id];
    job.array = array;
    job.tasks.resize(static_cast<std::size_t>(array.tasks));
    for (std::int64_t i = 0; i < array.tasks; ++i) {
      Task& task = job.tasks[static_cast<std::size_t>(i)];
      task.cases = written_[array.array][static_cast<std::size_t>(i)];
      waiting_.push_back({id, i});
    }
    most_waiting = std::max(most_waiting, static_cast<std::int64_t>(waiting_.size()));
    ++submitted;
    give_out();
    step();
    if (chance(cluster.busy_share)) throw EngineBusy("sbatch: Socket timed out");  // and yet it has the job
    return id;
  }
  std::vector<std::string> find(const std::string& name) override {
    busy();
    std::vector<std::string> all;
    for (const auto& [id, job] : jobs_of_)
      if (job.array.name == name) all.push_back(id);
    return all;
  }
  std::vector<QueuedTasks> queue(const std::vector<std::string>& names) override {
    busy();
    step();
    std::vector<QueuedTasks> all;
    for (const auto& [id, job] : jobs_of_) {
      if (std::find(names.begin(), names.end(), job.array.name) == names.end()) continue;
      for (std::size_t i = 0; i < job.tasks.size(); ++i) {
        const Task& task = job.tasks[i];
        const auto number = static_cast<std::int64_t>(i);
        if (task.state == Task::running) {
          all.push_back({id, number, number, true, "None", node_name(task.node)});
        } else if (task.state == Task::waiting) {
          const bool follows =
              !all.empty() && !all.back().running && all.back().job == id && all.back().last == number - 1;
          if (follows)
            ++all.back().last;
          else
            all.push_back({id, number, number, false, "Resources", ""});
        }
      }
    }
    return all;
  }
  std::vector<TaskEnd> ends() override {
    std::vector<TaskEnd> all;
    if (!cluster.tells_ends) return all;
    all.assign(ends_.begin() + static_cast<std::ptrdiff_t>(told_), ends_.end());
    told_ = ends_.size();
    return all;
  }
  std::optional<TaskEnd> fate(const std::string& job, std::int64_t task) override {
    for (const TaskEnd& each : ends_)
      if (each.job == job && each.task == task) return each;
    return std::nullopt;
  }
  void cancel(const std::string& id, Cancel what) override {
    Job& job = jobs_of_[id];
    for (std::size_t i = 0; i < job.tasks.size(); ++i) {
      Task& task = job.tasks[i];
      if (task.state == Task::waiting) end(id, static_cast<std::int64_t>(i), "CANCELLED", 0);
      if (task.state == Task::running && what == Cancel::waiting) task.no_more = true;
      if (task.state == Task::running && what == Cancel::all)
        leave(id, static_cast<std::int64_t>(i), "CANCELLED", 0);
    }
    give_out();
  }
  std::vector<CaseReport> reports(const ArrayJob& array) override {
    step();
    std::vector<CaseReport> all;
    for (auto& [id, job] : jobs_of_) {
      if (job.array.array != array.array) continue;
      all.insert(all.end(), job.reports.begin() + static_cast<std::ptrdiff_t>(job.read), job.reports.end());
      job.read = job.reports.size();
    }
    return all;
  }
  Outcome outcome(const std::filesystem::path&, std::int64_t number, const ProcessEnd& end) override {
    Outcome made;
    made.end = end;
    made.verdict = number % 97 == 0 ? "fail" : "pass";
    made.expectations = {{"holds", made.verdict, "fail", "V", "", 0.5, std::nullopt}};
    return made;
  }
  void forget(const ArrayJob& array) override {
    written_.erase(array.array);
    for (const auto& [id, job] : jobs_of_) {
      if (job.array.array != array.array) continue;
      std::vector<TaskEnd> others;
      std::size_t told = 0;
      for (std::size_t i = 0; i < ends_.size(); ++i) {
        if (ends_[i].job == id) continue;
        told += i < told_ ? 1 : 0;
        others.push_back(std::move(ends_[i]));
      }
      ends_ = std::move(others);
      told_ = told;
    }
    std::erase_if(jobs_of_, [&](const auto& each) { return each.second.array.array == array.array; });
  }
  double now() override { return now_; }
  void wait(RunnerSignals& signals, double seconds) override {
    ++polls;
    const double until = now_ + seconds;
    while (!events_.empty() && events_.top().at <= until) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      happen(event);
      give_out();
    }
    now_ = until;
    if (on_wait) on_wait();
    if (take_signals) signals.wait(std::chrono::milliseconds(0));
  }

  /// Another runner begins: it has heard nothing yet.
  void restart() {
    for (auto& [id, job] : jobs_of_) job.read = 0;
    kill_in = -1;
    told_ = 0;  // its file of completed jobs has them all
  }
  static std::string node_name(std::int64_t node) { return "node" + std::to_string(node); }

  SimulatedCluster cluster;
  std::function<void()> on_wait;
  bool take_signals = false;
  std::int64_t kill_in = -1;  ///< calls until the runner is killed; below 0: never
  std::int64_t polls = 0, submitted = 0, most_tasks = 0, most_waiting = 0, executed = 0, failures = 0;
  std::size_t most_words = 0;

 private:
  struct Task {
    enum State { waiting, running, gone } state = waiting;
    std::vector<std::int64_t> cases;
    std::size_t place = 0;
    std::int64_t node = -1, instance = 0;
    double until = 0, begun = 0;
    bool no_more = false;
  };
  struct Job {
    ArrayJob array;
    std::vector<Task> tasks;
    std::vector<CaseReport> reports;
    std::size_t read = 0;
  };
  struct Node {
    std::string job;
    std::int64_t task = -1;
    bool down = false;
  };
  struct Event {
    enum Kind { case_ends, task_starts, node_fails, node_back, back_in_queue } kind;
    double at;
    std::string job;
    std::int64_t task, instance;
    bool operator<(const Event& other) const { return at > other.at; }
  };

  void step() {
    if (kill_in >= 0 && kill_in-- == 0) throw KilledRunner{};
  }
  void busy() {
    if (chance(cluster.busy_share)) throw EngineBusy("Unable to contact slurm controller");
  }
  bool chance(double share) { return share > 0 && std::uniform_real_distribution<>(0, 1)(random_) < share; }
  double of_mean(double mean) { return std::exponential_distribution<>(1 / mean)(random_); }
  void push(double in, typename Event::Kind kind, std::int64_t task, std::int64_t instance,
            const std::string& job = "") {
    events_.push({kind, now_ + in, job, task, instance});
  }
  double time_of_case() {
    const double time = std::lognormal_distribution<>(std::log(cluster.case_s), cluster.spread)(random_);
    return chance(cluster.straggler_share) ? time * cluster.straggler_factor : time;
  }
  void give_out() {
    while (!waiting_.empty() && !free_.empty()) {
      const auto [id, number] = waiting_.front();
      waiting_.pop_front();
      const auto at = jobs_of_.find(id);
      if (at == jobs_of_.end()) continue;
      Task& task = at->second.tasks[static_cast<std::size_t>(number)];
      if (task.state != Task::waiting) continue;
      task.node = free_.front();
      free_.pop_front();
      task.state = Task::running;
      task.until = cluster.task_limit_s > 0 ? now_ + cluster.task_limit_s : 1e300;
      nodes_[static_cast<std::size_t>(task.node)] = {id, number, false};
      push(cluster.start_s, Event::task_starts, number, ++task.instance, id);
    }
  }
  void free_node(Task& task) {
    Node& node = nodes_[static_cast<std::size_t>(task.node)];
    node.task = -1;
    if (!node.down) free_.push_back(task.node);
  }
  void end(const std::string& id, std::int64_t number, const std::string& state, int status) {
    Task& task = jobs_of_[id].tasks[static_cast<std::size_t>(number)];
    task.state = Task::gone;
    ++task.instance;
    ends_.push_back({id, number, state, status, 0, task.node < 0 ? "" : node_name(task.node)});
  }
  void leave(const std::string& id, std::int64_t number, const std::string& state, int status) {
    free_node(jobs_of_[id].tasks[static_cast<std::size_t>(number)]);
    end(id, number, state, status);
  }
  void begin_case(const std::string& id, std::int64_t number, Job& job, Task& task) {
    if (task.place == task.cases.size() || task.no_more) return leave(id, number, "COMPLETED", 0);
    if (executed >= cluster.disk_has) return leave(id, number, "FAILED", kTaskNoWrite);
    job.reports.push_back({number, task.place, std::nullopt, node_name(task.node)});
    task.begun = now_;
    push(time_of_case(), Event::case_ends, number, task.instance, id);
  }
  void happen(const Event& event) {
    if (event.kind == Event::node_fails) return fail(event.task);
    if (event.kind == Event::node_back) {
      nodes_[static_cast<std::size_t>(event.task)].down = false;
      free_.push_back(event.task);
      push(of_mean(cluster.node_fails_every_s), Event::node_fails, event.task, 0);
      return;
    }
    const auto at = jobs_of_.find(event.job);
    if (at == jobs_of_.end()) return;
    Job& job = at->second;
    Task& task = job.tasks[static_cast<std::size_t>(event.task)];
    if (task.instance != event.instance) return;
    if (event.kind == Event::back_in_queue) {
      waiting_.push_back({event.job, event.task});
      return;
    }
    if (event.kind == Event::case_ends) {
      if (now_ > task.until) return leave(event.job, event.task, "TIMEOUT", 0);
      if (chance(cluster.memory_share)) return leave(event.job, event.task, "OUT_OF_MEMORY", 0);
      ProcessEnd done;
      done.seconds = now_ - task.begun;
      done.begun = "2026-01-01T00:00:00.000Z";
      ++executed;
      job.reports.push_back({event.task, task.place++, done, node_name(task.node)});
    }
    begin_case(event.job, event.task, job, task);
  }
  void fail(std::int64_t number) {
    Node& node = nodes_[static_cast<std::size_t>(number)];
    ++failures;
    node.down = true;
    std::erase(free_, number);
    push(cluster.node_back_s, Event::node_back, number, 0);
    if (node.task < 0) return;
    const std::string id = node.job;
    const std::int64_t which = node.task;
    node.task = -1;
    const auto at = jobs_of_.find(id);
    if (at == jobs_of_.end()) return;
    end(id, which, "NODE_FAIL", 1);
    if (!cluster.requeue) return;
    Task& task = at->second.tasks[static_cast<std::size_t>(which)];
    task.state = Task::waiting;
    push(cluster.requeue_s, Event::back_in_queue, which, task.instance, id);
  }

  std::mt19937_64 random_;
  double now_ = 0;
  int jobs_ = 0;
  std::map<std::string, Job> jobs_of_;
  std::map<int, std::vector<std::vector<std::int64_t>>> written_;
  std::deque<std::pair<std::string, std::int64_t>> waiting_;
  std::deque<std::int64_t> free_;
  std::vector<Node> nodes_;
  std::priority_queue<Event> events_;
  std::vector<TaskEnd> ends_;
  std::size_t told_ = 0;
};

}  // namespace tactus::campaign
