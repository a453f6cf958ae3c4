#include "executive/plan/rig.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <stdexcept>

#include "config/date.hpp"
#include "config/number.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/model/job_class.hpp"
#include "executive/model/parameter_value.hpp"
#include "executive/model/suggest.hpp"
#include "executive/plan/schedule.hpp"
#include "rtsync/clock/edge_clock.hpp"
#include "rtsync/time/duration_text.hpp"
#include "rtsync/wait/edge_sleeper.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {
namespace {

constexpr const char* kRealtime = "rt";    // the name of the executive's own variables
constexpr const char* kClock = "clock";    // the name of the external clock's variables
constexpr const char* kLink = "link";      // of the link's
constexpr const char* kRecord = "record";  // and of its own jobs

/// a + b; nothing when that is beyond what a Period holds.
std::optional<rtsync::Period> sum(const rtsync::Period& a, const rtsync::Period& b) {
  using rtsync::Wide;
  const Wide num = static_cast<Wide>(a.num()) * b.den() + static_cast<Wide>(b.num()) * a.den();
  const Wide den = static_cast<Wide>(a.den()) * b.den();
  if (num > INT64_MAX || den > INT64_MAX) return std::nullopt;
  return rtsync::Period{static_cast<std::int64_t>(num), static_cast<std::int64_t>(den)};
}

/// Declares the executive's own variables, which models and recordings see as outputs of `model`.
struct Declarer {
  std::deque<Variable>& variables;
  const char* model;

  template <class T>
  void operator()(const std::string& name, T& data, const char* unit, const std::string& about) const {
    Variable variable;
    variable.name = std::string(model) + "." + name;
    variable.role = TACTUS_OUTPUT;
    variable.type = tactus::detail::type_of<T>();
    variable.data = &data;
    variable.unit_text = unit;
    variable.unit = config::Unit::parse(unit);
    variable.about = about;
    variables.push_back(std::move(variable));
  }
};

}  // namespace

Rig::Rig(RigSettings settings, const std::filesystem::path& base, config::Problems problems,
         LinkOverrides choice)
    : settings_(std::move(settings)), problems_(std::move(problems)) {
  plan_.frame = settings_.frame.period;
  plan_.job_times = settings_.job_times;
  plan_.freeze_frame = settings_.realtime.freeze_frame;
  plan_.nan_guard = settings_.guard.nan;
  plan_.range_guard = settings_.guard.ranges;
  plan_threads();
  declare_realtime_variables();
  read_clock();
  make_models(base);
  plan_loops();
  connect();
  refuse_direct_loops();
  make_link(choice, base);
  make_live(base);
  make_recordings();
  check_patience();
  plan_orders();
  check_checkpoints();
  resolve_dependencies();
  if (!problems_.empty()) throw config::ConfigError(problems_);
}

/// The last step: the rules between threads, and a time base for all.
void Rig::resolve_dependencies() {
  origins_.complete = models_.size() == settings_.models.size();
  if (threads_known_) resolve_thread_dependencies(plan_, wanted_, origins_, problems_);
  if (!problems_.empty()) return;
  std::vector<ScheduledJob> jobs;
  std::vector<const config::Origin*> origins;
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    const PlannedJob& job = plan_.jobs[i];
    if (!is_cyclic(job.job_class)) continue;
    ScheduledJob& timed = jobs.emplace_back();
    timed.cycle = job.cycle;
    timed.first = job.first;
    timed.stop = job.stop;
    timed.dynamic = job.dynamic;
    origins.push_back(&origins_.jobs[i]);
  }
  for (std::size_t i = 0; i < plan_.loops.size(); ++i) {
    ScheduledJob& timed = jobs.emplace_back();
    timed.cycle = timed.first = plan_.loops[i].cycle;
    timed.integration = true;
    origins.push_back(&origins_.loops[i]);
  }
  const auto problem_of = [&](std::size_t first_jobs) -> std::string {
    try {
      (void)Schedule(std::span(jobs).first(first_jobs), plan_.frame);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  if (problem_of(jobs.size()).empty()) return;
  std::size_t good = 0;  // so many jobs go together; with one more they do not
  for (std::size_t bad = jobs.size(); bad - good > 1;) {
    const std::size_t middle = good + (bad - good) / 2;
    (problem_of(middle).empty() ? good : bad) = middle;
  }
  problems_.add(*origins[good], problem_of(good + 1));
}

Rig::~Rig() = default;

const ModelLibrary* Rig::library(const ModelSettings& model, const std::filesystem::path& base) {
  const std::filesystem::path file = find_library(model.library.value, base);
  for (const ModelLibrary& known : libraries_)
    if (known.file() == file) return &known;
  return &libraries_.emplace_back(file);
}

void Rig::make_models(const std::filesystem::path& base) {
  std::map<const tactus_model*, std::string> single;  // models with static data, and who has them
  for (ModelSettings& settings : settings_.models) {
    if (settings.name == kRealtime || settings.name == kRecord || settings.name == kClock ||
        settings.name == kLink) {
      problems_.add(
          settings.origin,
          "'" + settings.name + "' is the name of the executive's own variables or jobs; choose another");
      continue;
    }
    if (!knows_its_source(settings)) continue;
    try {
      settings.driver.value.empty() ? make_from_library(settings, base, single) : make_from_driver(settings);
    } catch (const LibraryError& error) {
      const Located<std::string>& from = settings.driver.value.empty() ? settings.library : settings.driver;
      problems_.add(from.place, from.path, error.what());
    } catch (const std::exception& error) {
      problems_.add(settings.origin, error.what());
    }
  }
}

/// A model comes from a library, or from a driver with keys of its own.
bool Rig::knows_its_source(const ModelSettings& settings) {
  const std::size_t before = problems_.count();
  if (!settings.driver.value.empty()) {
    for (const Located<std::string>* other : {&settings.model, &settings.library})
      if (!other->value.empty())
        problems_.add(other->place, other->path,
                      "has no place beside 'driver', which makes the model itself");
    return problems_.count() == before;
  }
  const config::Context context(problems_, settings.origin.path);
  for (const config::Node::Entry& entry : settings.device.entries())
    model_fields().unknown_key(entry, context, model_fields().section());
  if (settings.model.value.empty())
    problems_.add(settings.origin, "missing key 'model' (what the library calls it), or 'driver'");
  if (settings.library.value.empty())
    problems_.add(settings.origin, "missing key 'library' (where the model comes from), or 'driver'");
  return !settings.model.value.empty() && !settings.library.value.empty();
}

void Rig::make_from_library(ModelSettings& settings, const std::filesystem::path& base,
                            std::map<const tactus_model*, std::string>& single) {
  const ModelLibrary* const library = this->library(settings, base);
  settings.library.value = library->file().string();
  const tactus_model* const model = library->find(settings.model.value);
  if (model == nullptr) {
    problems_.add(settings.model.place, settings.model.path,
                  "library " + library->file().filename().string() + " has no model '" +
                      settings.model.value + "'" +
                      did_you_mean(settings.model.value, library->models(),
                                   [](const tactus_model* m) { return m->name; }));
    return;
  }
  if (model->create == nullptr) {
    if (const auto [other, first] = single.emplace(model, settings.name); !first) {
      problems_.add(settings.model.place, settings.model.path,
                    "model '" + settings.model.value +
                        "' keeps its data in static storage, so a rig has one of it; '" + other->second +
                        "' is that one");
      return;
    }
  }
  const ModelInstance& made = models_.emplace_back(*model, settings.name);
  read_parameters(settings, made);
  plan_jobs(settings, made);
}

void Rig::make_from_driver(const ModelSettings& settings) {
  const auto library = driver("model", settings.driver);
  if (library == nullptr) return;
  std::unique_ptr<DrivenModel> model =
      library->make<ModelDriver>()->make(settings.device, settings.origin.path, problems_);
  if (model == nullptr) return;  // said why
  Driven& driven = driven_.emplace_back();
  driven.name = settings.name;
  driven.driver = settings.driver.value;
  driven.model = std::move(model);
  driven.description = {TACTUS_ABI_VERSION,
                        sizeof(tactus_model),
                        driven.driver.c_str(),
                        "",
                        nullptr,
                        &tactus::detail::declare_model,
                        nullptr};
  if (SafeOutput* const output = driven.model->safe_output()) plan_.safe_outputs.push_back(output);
  const ModelInstance& made = models_.emplace_back(driven.description, settings.name,
                                                   static_cast<tactus::Model*>(driven.model.get()));
  read_parameters(settings, made);
  plan_jobs(settings, made);
}

void Rig::read_clock() {
  ClockSection& clock = settings_.clock;
  if (!clock.external()) {
    const config::Context context(problems_, clock.origin.path);
    for (const config::Node::Entry& entry : clock.device.entries())
      clock_fields().unknown_key(entry, context, clock_fields().section());
    return;
  }
  try {
    clock_status_ = {};
    const rtsync::EdgeClock checked(clock.settings(plan_.frame), clock_status_);
    clock_delay_ = std::max(rtsync::EdgeSleeper::kBeginWait, checked.late_limit());
  } catch (const std::invalid_argument& error) {
    problems_.add(clock.origin, error.what());
  }
  const RealtimeSection& realtime = settings_.realtime;
  const auto refuse = [this](const char* key, const std::string& why) {
    problems_.add(settings_.clock.origin.place, std::string("realtime.") + key, why);
  };
  if (realtime.clock != ClockKind::monotonic)
    refuse("clock", "the edges' time stamps are in CLOCK_MONOTONIC; with clock.driver: " +
                        clock.driver.value + " it has to be monotonic");
  if (realtime.ratio != 1)
    refuse("ratio",
           "the edges say how long a frame is; with clock.driver: " + clock.driver.value + " it has to be 1");
  if (!realtime.sleep_timer)
    refuse("sleep_timer", "reading the clock alone sees no edge; with clock.driver: " + clock.driver.value +
                              " it has to be yes");
  declare_clock_variables();
  if (const auto library = driver("clock", clock.driver)) {
    clock_driver_ = library->make<ClockDriver>();
    clock_driver_->read(clock.device, clock.origin.path, problems_);
    clock.device = clock_driver_->resolved();
  }
}

/// Who watches over the frames must not take a slow one for none.
void Rig::check_patience() {
  const rtsync::Period frame = rtsync::real_period(plan_.frame, settings_.realtime.ratio);
  const rtsync::Period& freeze = settings_.realtime.freeze_frame;
  const rtsync::Nanoseconds longest = std::max(frame, freeze).floor() + clock_delay_;
  const auto check = [&](rtsync::Nanoseconds patience, const char* path) {
    if (patience > longest * 2) return;
    problems_.add(settings_.rig.place, path,
                  rtsync::duration_text(patience.count()) + " is too short: the frame takes " +
                      rtsync::duration_text(frame.floor().count()) + ", the freeze frame " +
                      rtsync::duration_text(freeze.floor().count()) +
                      (clock_delay_ > rtsync::Nanoseconds{0}
                           ? ", an edge is awaited for up to " + rtsync::duration_text(clock_delay_.count())
                           : "") +
                      "; more than " + rtsync::duration_text(longest.count() * 2) + " is needed");
  };
  if (!plan_.safe_outputs.empty() && settings_.safe_outputs == SafeOutputs::guardian)
    check(settings_.guardian_timeout, "guardian_timeout");
  if (settings_.watchdog.device) check(settings_.watchdog.timeout, "watchdog.timeout");
}

OpenRequest Rig::open_request() const {
  return {settings_.rig.value, settings_.safe_outputs, settings_.guardian_timeout};
}

void Rig::open_devices() {
  for (Driven& driven : driven_) {
    try {
      driven.model->open(open_request());
    } catch (const DeviceError& error) {
      throw DeviceError("models." + driven.name + ": " + error.what());
    }
  }
}

std::unique_ptr<rtsync::EdgeSource> Rig::open_clock() {
  if (clock_driver_ == nullptr) return nullptr;
  try {
    return clock_driver_->open(open_request());
  } catch (const DeviceError& error) {
    throw DeviceError(std::string("clock: ") + error.what());
  }
}

void Rig::read_parameters(const ModelSettings& settings, const ModelInstance& model) {
  const std::string path = settings.origin.path + ".parameters";
  if (settings.parameters.is_null()) return;
  if (!settings.parameters.is_map()) {
    problems_.add(settings.parameters.place(), path,
                  "is a value or list; a map is expected: { name: value, ... }");
    return;
  }
  for (const config::Node::Entry& entry : settings.parameters.entries()) {
    const std::string here = path + "." + entry.key;
    const Variable* const variable = model.find_variable(entry.key);
    if (variable == nullptr) {
      std::vector<std::string> names;
      for (const Variable& v : model.variables())
        if (v.role != TACTUS_OUTPUT) names.push_back(v.name.substr(model.name().size() + 1));
      problems_.add(entry.place, here,
                    "model '" + settings.model.value + "' has no such variable" +
                        did_you_mean(entry.key, names, [](const std::string& name) { return name; }));
    } else if (variable->role == TACTUS_OUTPUT) {
      problems_.add(entry.place, here,
                    "is an output, which the model writes; parameters, inputs and states can be set");
    } else if (auto bytes = read_value(*variable, entry.value, here, problems_)) {
      set_.push_back(variable->data);
      values_.push_back({variable->data, std::move(*bytes)});
    }
  }
}

void Rig::serve(ModelServices& services) {
  for (ModelInstance& model : models_) model.serve(services);
}

void Rig::apply_parameters() {
  for (const Value& value : values_) std::memcpy(value.data, value.bytes.data(), value.bytes.size());
}

void Rig::plan_threads() {
  constexpr const char* kTaken[] = {"main",           "helpers",    "tactus", "setup", "recorder",
                                    "stuck-watchdog", "checkpoint", "link",   "live"};
  plan_.stuck_after = settings_.threads.stuck_after;
  plan_.ratio = settings_.realtime.ratio;
  if (settings_.threads.workers.size() > 60)
    problems_.add(settings_.threads.workers[60].origin,
                  "is the 61st; a rig has at most 60 threads beside main");
  for (const WorkerSettings& worker : settings_.threads.workers) {
    if (std::find(std::begin(kTaken), std::end(kTaken), worker.name) != std::end(kTaken)) {
      problems_.add(worker.origin,
                    "'" + worker.name + "' is the name of another thread of the rig; choose another");
      threads_known_ = false;
    }
    if (worker.name.size() > 15)
      problems_.add(worker.origin, "the name has " + std::to_string(worker.name.size()) +
                                       " characters; the kernel keeps 15 of a thread's name");
    PlannedThread& thread = plan_.threads.emplace_back();
    thread.name = worker.name;
    thread.kind = worker.kind;
    thread.period = worker.period.value_or(rtsync::Period{});
    thread.wait = worker.trigger;
    origins_.threads.push_back(worker.origin);
  }
}

/// 0 for main, 1 + index for a worker. Another name is complained of, and taken for main.
std::size_t Rig::thread(const Located<std::string>& name) {
  if (name.value == "main") return 0;
  for (std::size_t i = 0; i < plan_.threads.size(); ++i)
    if (plan_.threads[i].name == name.value) return i + 1;
  std::vector<std::string> names{"main"};
  for (const PlannedThread& thread : plan_.threads) names.push_back(thread.name);
  threads_known_ = false;
  problems_.add(name.place, name.path,
                "there is no thread '" + name.value + "'" +
                    did_you_mean(name.value, names, [](const std::string& n) { return n; }));
  return 0;
}

bool Rig::asynchronous(std::size_t thread) const {
  return thread != 0 && plan_.threads[thread - 1].kind != ThreadKind::scheduled;
}

void Rig::plan_jobs(const ModelSettings& settings, const ModelInstance& model) {
  for (const JobSettings& job : settings.jobs) {
    if (std::none_of(model.jobs().begin(), model.jobs().end(),
                     [&](const DeclaredJob& d) { return d.name == job.name; }))
      problems_.add(job.origin,
                    "model '" + settings.model.value + "' has no such job" +
                        did_you_mean(job.name, model.jobs(), [](const DeclaredJob& d) { return d.name; }));
  }
  const std::size_t home = thread(settings.thread);
  homes_.emplace(&model, home);
  for (const DeclaredJob& declared : model.jobs()) {
    const auto found = std::find_if(settings.jobs.begin(), settings.jobs.end(),
                                    [&](const JobSettings& job) { return job.name == declared.name; });
    const JobSettings changes = found == settings.jobs.end() ? JobSettings{} : *found;
    PlannedJob job;
    job.name = settings.name + "." + declared.name;
    job.model = &model;
    job.run = declared.run;
    job.self = model.self();
    job.job_class = declared.job_class;
    job.phase = static_cast<unsigned>(changes.phase.value_or(static_cast<int>(declared.phase)));
    job.enabled = changes.enabled;
    job.dynamic = declared.dynamic;
    job.thread = thread_of(declared, changes, home);
    time_job(declared, changes, job);
    for (const Located<std::string>& on : changes.depends_on) wanted_.push_back({plan_.jobs.size(), on});
    plan_.jobs.push_back(std::move(job));
    origins_.jobs.push_back(found == settings.jobs.end() ? settings.origin : changes.origin);
  }
}

/// Cyclic jobs run where they are put. All others run on main, but the first and last jobs of a period are of
/// an asynchronous thread if their model is.
std::size_t Rig::thread_of(const DeclaredJob& declared, const JobSettings& changes, std::size_t home) {
  if (is_cyclic(declared.job_class)) return changes.thread ? thread(*changes.thread) : home;
  const bool ends_frame =
      declared.job_class == TACTUS_TOP_OF_FRAME || declared.job_class == TACTUS_END_OF_FRAME;
  const std::size_t own = ends_frame && asynchronous(home) ? home : 0;
  if (!changes.thread) return own;
  const bool follows = own != 0 && changes.thread->value == plan_.threads[own - 1].name;
  if (!follows)
    problems_.add(changes.thread->place, changes.thread->path,
                  "is a job of class " + std::string(name_of(declared.job_class)) + ", which runs on " +
                      (is_integration(declared.job_class)
                           ? std::string("the thread of its loop")
                           : "thread " + (own == 0 ? "main" : plan_.threads[own - 1].name)) +
                      "; 'thread' can be set of jobs of the cyclic classes alone");
  return own;
}

void Rig::time_job(const DeclaredJob& declared, const JobSettings& changes, PlannedJob& job) {
  const bool has_times = changes.stop || !changes.start.is_zero() || !changes.offset.is_zero();
  const std::string is_a = "is a job of class " + std::string(name_of(declared.job_class));
  if (is_cyclic(declared.job_class)) {
    if (!declared.dynamic) {
      job.cycle = changes.cycle.value_or(declared.cycle.is_zero() ? plan_.frame : declared.cycle);
    } else if (changes.cycle) {
      problems_.add(
          changes.origin,
          "chooses its own times, so it has no cycle; start, offset, stop, phase and enabled can be set");
    }
    const auto first = sum(changes.start, changes.offset);
    if (!first) problems_.add(changes.origin, "start + offset is longer than can be represented (292 years)");
    job.first = first.value_or(rtsync::Period{});
    job.stop = changes.stop;
    if (job.stop && *job.stop < job.first)
      problems_.add(changes.origin,
                    "stop lies before the first call (start + offset): it would never be called");
  } else if (declared.job_class == TACTUS_FREEZE_SCHEDULED) {
    job.cycle = changes.cycle.value_or(declared.cycle.is_zero() ? plan_.freeze_frame : declared.cycle);
    if (has_times)
      problems_.add(changes.origin,
                    is_a + ", which has no offset, start or stop; only cycle, phase and enabled can be set");
  } else if (is_integration(declared.job_class)) {
    if (changes.cycle || has_times)
      problems_.add(changes.origin,
                    is_a + ", which has the times of its loop; only phase and enabled can be set");
  } else if (changes.cycle || has_times) {
    problems_.add(changes.origin,
                  is_a + ", which has no cycle, offset, start or stop; only phase and enabled can be set");
  }
}

const ModelInstance* Rig::find_model(const std::string& name) const {
  for (const ModelInstance& model : models_)
    if (model.name() == name) return &model;
  return nullptr;
}

void Rig::plan_loops() {
  const auto needs_one = [](const ModelInstance& model) {
    return !model.integrated().empty() ||
           std::any_of(model.jobs().begin(), model.jobs().end(),
                       [](const DeclaredJob& job) { return is_integration(job.job_class); });
  };
  std::map<const ModelInstance*, const LoopSettings*> taken;
  for (const LoopSettings& settings : settings_.integrate) plan_loop(settings, taken);
  for (const ModelSettings& settings : settings_.models) {
    const ModelInstance* const model = find_model(settings.name);
    if (model == nullptr || taken.contains(model) || !needs_one(*model)) continue;
    problems_.add(settings.origin,
                  "has continuous states or jobs of the integration classes and is in no loop; add "
                  "integrate: { " +
                      settings.name + ": { models: [" + settings.name + "] } }");
  }
  for (PlannedJob& job : plan_.jobs)
    for (const PlannedLoop& loop : plan_.loops)
      if (is_integration(job.job_class) &&
          std::find(loop.models.begin(), loop.models.end(), job.model) != loop.models.end())
        job.thread = loop.thread;
  for (const auto& [model, loop] : taken) {
    if (needs_one(*model)) continue;
    for (const Located<std::string>& name : loop->models)
      if (name.value == model->name())
        problems_.add(name.place, name.path,
                      "model '" + name.value +
                          "' has neither continuous states nor jobs of the integration "
                          "classes; take it out");
  }
}

void Rig::plan_loop(const LoopSettings& settings,
                    std::map<const ModelInstance*, const LoopSettings*>& taken) {
  PlannedLoop loop;
  loop.name = settings.name;
  loop.cycle = settings.cycle.value_or(plan_.frame);
  loop.settings = settings.settings();
  for (const Located<std::string>& name : settings.models) {
    const auto problem = [&](const std::string& message) { problems_.add(name.place, name.path, message); };
    const ModelInstance* const model = find_model(name.value);
    if (model == nullptr) {
      // A model that could not be made was already complained about.
      if (std::none_of(settings_.models.begin(), settings_.models.end(),
                       [&](const ModelSettings& m) { return m.name == name.value; }))
        problem("there is no model '" + name.value + "'" +
                did_you_mean(name.value, settings_.models, [](const ModelSettings& m) { return m.name; }));
      continue;
    }
    if (const auto [other, first] = taken.emplace(model, &settings); !first) {
      problem("model '" + name.value + "' is already in loop '" + other->second->name +
              "'; its states are integrated once");
      continue;
    }
    const std::size_t home = homes_.at(model);
    if (loop.models.empty()) {
      loop.thread = home;
    } else if (home != loop.thread) {
      problem("model '" + name.value + "' and model '" + loop.models.front()->name() +
              "' are on different threads; a loop is integrated on one");
    }
    loop.models.push_back(model);
  }
  if (loop.thread != 0 && plan_.threads[loop.thread - 1].kind == ThreadKind::asynchronous &&
      plan_.threads[loop.thread - 1].period.is_zero())
    problems_.add(settings.origin, "is on thread '" + plan_.threads[loop.thread - 1].name +
                                       "', which has no period, so that nobody could say to which time it "
                                       "integrates; give the thread a period");
  plan_.loops.push_back(std::move(loop));
  origins_.loops.push_back(settings.origin);
}

void Rig::plan_orders() {
  for (const CommandSettings& settings : settings_.commands) {
    const Command command = settings.command;
    const bool switches = command == Command::enable || command == Command::disable;
    const auto refuse = [&](const auto& key, bool belongs, const char* name, const char* whose) {
      if (key && !belongs)
        problems_.add(key->place, key->path,
                      std::string("'") + name + "' has no place here: it belongs to 'do: " + whose + "'");
    };
    refuse(settings.frames, command == Command::step, "frames", "step");
    refuse(settings.until, command == Command::run_until, "until", "run_until");
    refuse(settings.rest, command == Command::pause, "for", "pause");
    refuse(settings.file, command == Command::checkpoint, "file", "checkpoint");
    refuse(settings.job, switches, "job", "enable' or 'do: disable");
    TimedCommand timed;
    timed.at = settings.at;
    timed.command = command;
    if (settings.frames) timed.frames = settings.frames->value;
    if (settings.rest) timed.rest = settings.rest->value;
    if (command == Command::run_until && !settings.until) {
      problems_.add(settings.origin, "missing key 'until' (the simulated time to run to)");
    } else if (command == Command::run_until) {
      timed.until = settings.until->value;
      if (timed.until <= timed.at)
        problems_.add(
            settings.until->place, settings.until->path,
            config::print_duration(timed.until) + " is not after 'at', " + config::print_duration(timed.at));
    }
    if (settings.file) timed.text = settings.file->value;
    if (switches && !settings.job) problems_.add(settings.origin, "missing key 'job' (model.job)");
    if (switches && settings.job) {
      timed.text = settings.job->value;
      check_switched(*settings.job);
    }
    if (command == Command::checkpoint && !settings_.checkpoint.enabled)
      problems_.add(settings.origin, "no checkpoint can be taken with checkpoint.enabled: no");
    plan_.commands.push_back(std::move(timed));
  }
  std::stable_sort(plan_.commands.begin(), plan_.commands.end(),
                   [](const TimedCommand& a, const TimedCommand& b) { return a.at < b.at; });
}

/// A job that can be switched on and off.
void Rig::check_switched(const Located<std::string>& name) {
  std::vector<std::string> names;
  for (const PlannedJob& job : plan_.jobs) {
    if (job.name == name.value && !is_cyclic(job.job_class))
      problems_.add(name.place, name.path,
                    "'" + name.value + "' is a job of class " + std::string(name_of(job.job_class)) +
                        "; only jobs of the cyclic classes are switched on and off");
    if (job.name == name.value) return;
    if (is_cyclic(job.job_class)) names.push_back(job.name);
  }
  if (models_.size() < settings_.models.size()) return;  // it may be of one that could not be made
  problems_.add(name.place, name.path,
                "there is no job '" + name.value + "'" +
                    did_you_mean(name.value, names, [](const std::string& n) { return n; }));
}

void Rig::check_checkpoints() {
  const CheckpointSection& checkpoint = settings_.checkpoint;
  if (!checkpoint.enabled && (checkpoint.every || checkpoint.at_end))
    problems_.add(checkpoint.origin, "'every' and 'at_end' need enabled: yes");
}

void Rig::declare_realtime_variables() {
  const Declarer add{rt_variables_, kRealtime};
  add("frame", rt_.frame, "", "number of the frame that the others describe");
  add("late", rt_.late, "ns", "wake minus slot");
  add("work", rt_.work, "ns", "end of the work minus wake");
  add("slack", rt_.slack, "ns", "next slot minus end of the work; negative: an overrun");
  add("overruns", rt_.overruns, "", "overruns so far");
  add("late_wakes", rt_.late_wakes, "", "late wakes so far");
  add("late_by_housekeeping", rt_.late_by_housekeeping, "", "frames so far that housekeeping made late");
  add("lost", rt_.lost, "", "slots so far in which no frame ran");
  add("overrun", rt_.overrun, "", "0 none, 1 work, 2 late wake, 3 catching up, 4 housekeeping");
}

void Rig::declare_clock_variables() {
  const Declarer add{clock_variables_, kClock};
  rtsync::EdgeClockStatus& clock = clock_status_;
  add("state", clock.state, "", "0 acquiring, 1 locked, 2 holdover, 3 lost");
  add("edges", clock.edges, "", "edges followed so far");
  add("missing", clock.missing, "", "edges so far that did not come");
  add("consecutive_missing", clock.consecutive_missing, "", "of these, in a row up to now");
  add("phase_error", clock.phase_error_ns, "ns", "newest edge minus its prediction");
  add("frequency", clock.frequency_ppm, "ppm", "measured rate of the edges against the nominal one");
  for (std::size_t i = 0; i < rtsync::kClockFaults; ++i) {
    const std::string name(name_of(static_cast<rtsync::ClockFault>(i)));
    add("faults." + name, clock.faults[i], "", "faults '" + name + "' so far");
  }
}

/// The executive's own variables of that name: rt, and clock when it is external.
const std::deque<Variable>* Rig::own_variables(const std::string& name) const {
  if (name == kRealtime) return &rt_variables_;
  if (name == kLink && link_ != nullptr) return &link_->variables();
  return name == kClock && settings_.clock.external() ? &clock_variables_ : nullptr;
}

std::vector<const std::deque<Variable>*> Rig::executive_variables() const {
  std::vector<const std::deque<Variable>*> all;
  for (const char* const name : {kRealtime, kClock, kLink})
    if (const std::deque<Variable>* const own = own_variables(name)) all.push_back(own);
  return all;
}

std::optional<VariableRef> Rig::find(const Located<std::string>& name) {
  const auto problem = [&](const std::string& message) {
    problems_.add(name.place, name.path, message);
    return std::nullopt;
  };
  std::string text = name.value;
  VariableRef ref;
  if (const std::size_t open = text.find('['); open != std::string::npos) {
    const std::string index = text.substr(open + 1, text.size() - open - 2);
    const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), ref.first);
    if (text.back() != ']' || error != std::errc{} || end != index.data() + index.size())
      return problem("'" + text + "' is not a variable; one element is written model.variable[2]");
    ref.indexed = true;
    text.resize(open);
  }
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos)
    return problem("'" + name.value + "' is not a variable; write model.variable");
  const std::string model_name = text.substr(0, dot);
  const std::deque<Variable>* variables = nullptr;
  if (const std::deque<Variable>* const own = own_variables(model_name)) {
    variables = own;
  } else {
    for (const ModelInstance& model : models_) {
      if (model.name() != model_name) continue;
      ref.model = &model;
      variables = &model.variables();
    }
  }
  if (variables == nullptr) {
    if (model_name == kLink && settings_.link.present) return std::nullopt;  // it could not be made
    // A model that could not be made was already complained about.
    if (std::any_of(settings_.models.begin(), settings_.models.end(),
                    [&](const auto& m) { return m.name == model_name; }))
      return std::nullopt;
    return problem("'" + name.value + "': there is no model '" + model_name + "'" +
                   did_you_mean(model_name, settings_.models, [](const ModelSettings& m) { return m.name; }));
  }
  const auto found =
      std::find_if(variables->begin(), variables->end(), [&](const Variable& v) { return v.name == text; });
  if (found == variables->end())
    return problem("'" + name.value + "': model '" + model_name + "' has no such variable" +
                   did_you_mean(text, *variables, [](const Variable& v) { return v.name; }));
  ref.variable = &*found;
  if (ref.indexed && found->count == 0) return problem("'" + name.value + "': '" + text + "' is no array");
  if (ref.indexed && ref.first >= found->count)
    return problem("'" + name.value + "': the index is outside 0 .. " + std::to_string(found->count - 1));
  ref.elements = ref.indexed ? 1 : static_cast<std::uint32_t>(found->elements());
  return ref;
}

void Rig::connect() {
  std::map<std::pair<const Variable*, std::uint32_t>, const ConnectionSettings*> fed;
  for (const ConnectionSettings& settings : settings_.connect) {
    if (settings.from.value.empty() || settings.to.value.empty()) continue;  // already complained about
    const auto from = find(settings.from);
    const auto to = find(settings.to);
    if (!from || !to) continue;
    const Connection connection{*from,          *to, settings.delayed, settings.scale, settings.offset,
                                settings.direct};
    if (settings.direct && settings.delayed) {
      problems_.add(settings.origin, "'direct' and 'delayed' exclude each other; choose one");
      continue;
    }
    if (const auto reason = validate(connection)) {
      problems_.add(settings.origin, *reason);
      continue;
    }
    for (std::uint32_t i = 0; i < to->elements; ++i) {
      const auto [other, first] = fed.emplace(std::pair(to->variable, to->first + i), &settings);
      if (first) continue;
      problems_.add(settings.to.place, settings.to.path,
                    "'" + to->name() + "' is already fed by '" + other->second->from.value + "' (" +
                        other->second->origin.place.text() + "); an input has one source");
      break;
    }
    plan_.connections.push_back(connection);
    origins_.connections.push_back(settings.origin);
  }
}

void Rig::refuse_direct_loops() {
  for (const DirectLoop& loop : find_direct_loops(plan_.connections))
    problems_.add(origins_.connections[static_cast<std::size_t>(loop.closing - plan_.connections.data())],
                  "closes a loop without delay: " + loop.path +
                      "; nobody could say who comes first. Add 'delayed: yes' to one wire of it");
}

void Rig::make_link(const LinkOverrides& choice, const std::filesystem::path& base) {
  LinkSection& section = settings_.link;
  if (choice.off) {
    section = {};
    const auto linked = [](const Located<std::string>& name) {
      return name.value.starts_with(std::string(kLink) + ".");
    };
    for (RecordingSettings& recording : settings_.record) std::erase_if(recording.variables, linked);
    std::erase_if(settings_.record,
                  [](const RecordingSettings& recording) { return recording.variables.empty(); });
    return;
  }
  if (!section.present) {
    if (!choice.replay.empty())
      problems_.add(settings_.rig.place, kLink, "the rig has no link, so there is nothing to replay");
    return;
  }
  const auto library = driver("link", section.driver);
  if (library == nullptr) return;
  LinkContext context;
  context.rig = settings_.rig.value;
  context.base = base;
  context.frame = plan_.frame;
  context.real_frame = rtsync::real_period(plan_.frame, settings_.realtime.ratio);
  context.realtime = choice.realtime;
  context.replay = choice.replay;
  context.find = [this](const Located<std::string>& name) { return find(name); };
  std::unique_ptr<Link> made =
      library->make<LinkDriver>()->make(section.device, section.origin.path, context, problems_);
  if (made == nullptr) return;  // said why
  section.device = made->resolved();
  for (const VariableRef& input : made->inputs()) check_linked(input);
  if (made->mode() == LinkMode::paced && !settings_.realtime.enabled)
    problems_.add(section.origin,
                  "mode paced needs a rig in real time: set realtime.enabled: yes, or mode: follow");
  const bool recorded =
      std::any_of(settings_.record.begin(), settings_.record.end(),
                  [](const RecordingSettings& recording) { return recording.name == kLink; });
  if (made->records() && !recorded) {
    RecordingSettings& recording = settings_.record.emplace_back();
    recording.name = kLink;
    recording.origin = section.origin;
    recording.variables.push_back(
        {std::string(kLink) + ".*", section.origin.place, section.origin.path + ".record"});
  }
  link_ = std::move(made);
}

/// The servers of live access, and the date that they speak of.
void Rig::make_live(const std::filesystem::path& base) {
  const config::ParsedDate epoch = config::parse_date(settings_.epoch.value);
  if (epoch)
    epoch_ns_ = *epoch.ns;
  else
    problems_.add(settings_.epoch.place, settings_.epoch.path, epoch.problem);
  if (settings_.live.is_null()) return;
  if (!settings_.live.is_map()) {
    problems_.add(settings_.live.place(), "live",
                  std::string("is ") + config::kind_name(settings_.live.kind()) +
                      "; a map of servers is expected: live: { http: { listen: 127.0.0.1:8086 } }");
    return;
  }
  std::vector<config::Node::Entry> resolved;
  for (const config::Node::Entry& entry : settings_.live.entries()) {
    const std::string path = "live." + entry.key;
    const auto library = driver("live", {entry.key, entry.place, path});
    if (library == nullptr) continue;
    const config::Node section =
        entry.value.is_null() ? config::Node::map({}, entry.value.place()) : entry.value;
    auto made = library->make<LiveDriver>()->make(section, path, {settings_.rig.value, base}, problems_);
    if (made == nullptr) continue;  // said why
    resolved.push_back({entry.key, entry.place, made->resolved()});
    live_servers_.push_back(std::move(made));
  }
  settings_.live = config::Node::map(std::move(resolved), settings_.live.place());
}

/// An input that the link writes is written by nobody else, and not while its model may be running.
void Rig::check_linked(const VariableRef& input) {
  const auto refuse = [&](const std::string& why) {
    problems_.add(settings_.link.origin, "'" + input.name() + "' " + why);
  };
  for (const Connection& wire : plan_.connections) {
    const bool apart = wire.to.variable != input.variable ||
                       wire.to.first + wire.to.elements <= input.first ||
                       input.first + input.elements <= wire.to.first;
    if (!apart) refuse("is already fed by '" + wire.from.name() + "'; an input has one source");
  }
  for (const PlannedJob& job : plan_.jobs) {
    if (job.model != input.model || !asynchronous(job.thread)) continue;
    refuse(
        "belongs to a model on the asynchronous thread '" + plan_.threads[job.thread - 1].name +
        "', which may be reading it at any time; subscribe with an input of a model on main, and connect its "
        "output from there");
    break;
  }
}

std::vector<std::string> Rig::unconnected_inputs() const {
  std::vector<std::string> names;
  const std::vector<VariableRef> linked = link_ == nullptr ? std::vector<VariableRef>{} : link_->inputs();
  for (const ModelInstance& model : models_) {
    for (const Variable& variable : model.variables()) {
      if (variable.role != TACTUS_INPUT) continue;
      const bool fed = std::any_of(plan_.connections.begin(), plan_.connections.end(),
                                   [&](const Connection& c) { return c.to.variable == &variable; }) ||
                       std::any_of(linked.begin(), linked.end(),
                                   [&](const VariableRef& ref) { return ref.variable == &variable; });
      if (!fed && std::find(set_.begin(), set_.end(), variable.data) == set_.end())
        names.push_back(variable.name);
    }
  }
  return names;
}

std::shared_ptr<DriverLibrary> Rig::driver(const std::string& kind, const Located<std::string>& name) {
  try {
    return drivers_.emplace_back(std::make_shared<DriverLibrary>(kind, name.value));
  } catch (const LibraryError& error) {
    problems_.add(name.place, name.path, error.what());
  }
  return nullptr;
}

void Rig::make_recordings() {
  for (const RecordingSettings& settings : settings_.record) {
    std::vector<VariableRef> variables;
    for (const Located<std::string>& name : settings.variables) {
      const std::size_t star =
          name.value.size() > 2 && name.value.ends_with(".*") ? name.value.size() - 2 : 0;
      const auto model = std::find_if(models_.begin(), models_.end(), [&](const ModelInstance& m) {
        return m.name() == name.value.substr(0, star);
      });
      if (star != 0 && model != models_.end()) {
        const std::size_t before = variables.size();
        for (const Variable& variable : model->variables())
          if (variable.role != TACTUS_PARAMETER)
            variables.push_back(
                {&variable, 0, static_cast<std::uint32_t>(variable.elements()), false, &*model});
        if (variables.size() == before)
          problems_.add(name.place, name.path,
                        "model '" + model->name() + "' has nothing to record: it declares parameters alone");
      } else if (const std::deque<Variable>* const own = own_variables(name.value.substr(0, star));
                 star != 0 && own != nullptr) {
        for (const Variable& variable : *own)
          variables.push_back(
              {&variable, 0, static_cast<std::uint32_t>(variable.elements()), false, nullptr});
      } else if (const auto ref = find(name)) {
        variables.push_back(*ref);
      }
    }
    const auto library = driver("record", settings.driver);
    if (library == nullptr || variables.empty()) continue;
    if (settings.name == "frames" && settings_.frame_log) {
      problems_.add(settings.origin,
                    "'frames' is the name of the frame log; choose another, or set frame_log: no");
      continue;
    }
    const auto format = library->make<RecordDriver>();
    const config::Node keys =
        keys_of(*format, recording_fields().section(), settings.device, settings.origin.path, problems_);
    std::unique_ptr<RecordSink> sink = format->make(keys, settings.origin.path, problems_);
    if (sink == nullptr) continue;  // said why
    Recording& recording = recordings_.emplace_back(settings.name, variables, std::move(sink));
    PlannedJob job;
    job.name = "record." + settings.name;
    job.run = &Recording::sample;
    job.self = &recording;
    job.job_class = TACTUS_DATA_RECORD;
    job.phase = 65535;
    job.cycle = settings.every.value_or(plan_.frame);
    job.recording = true;
    plan_.jobs.push_back(std::move(job));
    origins_.jobs.push_back(settings.origin);
  }
  if (settings_.frame_log) {
    std::vector<VariableRef> all;
    for (const Variable& variable : rt_variables_) all.push_back({&variable, 0, 1, false, nullptr});
    if (const auto library = driver("record", {"csv", settings_.rig.place, "frame_log"}))
      frame_log_.emplace("frames", all,
                         library->make<RecordDriver>()->make(config::Node::map({}), "frame_log", problems_));
  }
}

}  // namespace tactus::executive
