#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "executive/app/commands.hpp"
#include "executive/app/load_rig.hpp"
#include "executive/driver.hpp"
#include "executive/job_class.hpp"
#include "executive/rig.hpp"
#include "rtsync/duration_text.hpp"

namespace tactus::app {
namespace {

using executive::PlannedJob;

std::string period_text(const rtsync::Period& period) {
  if (period.is_whole()) return rtsync::duration_text(period.num());
  return rtsync::duration_text(period.floor().count()) + " (" + std::to_string(period.num()) + "/" +
         std::to_string(period.den()) + " ns)";
}

std::string cpus_text(const std::vector<int>& cpus, const char* otherwise) {
  const rtsync::CpuSet set(cpus);
  return set.empty() ? otherwise : "CPUs " + set.text();
}

void print_threads(const executive::RigSettings& settings) {
  const executive::MainThreadSection& thread = settings.threads.main;
  const bool realtime = settings.realtime.enabled;
  std::printf("\nthreads\n  main      %s%s, %s\n",
              std::string(name_of(realtime ? thread.policy : rtsync::SchedPolicy::other)).c_str(),
              realtime && thread.policy != rtsync::SchedPolicy::other
                  ? (" " + std::to_string(thread.priority)).c_str()
                  : "",
              realtime ? cpus_text(thread.cpus, "the last isolated or else the last allowed CPU").c_str()
                       : "any CPU");
  std::printf("  tactus    SCHED_OTHER, %s\n  recorder  the same\n\n",
              cpus_text(settings.threads.helpers.cpus, "all other CPUs").c_str());
}

std::string conversion_text(const executive::Connection& connection) {
  if (!connection.scale && !connection.offset) return "";
  char text[64];
  std::snprintf(text, sizeof text, " * %.9g + %.9g", connection.scale.value_or(1),
                connection.offset.value_or(0));
  return text;
}

/// Options that are set and have no effect beside the others.
void print_idle_options(const executive::RealtimeSection& realtime) {
  const auto note = [](const char* option, const char* why) {
    std::printf("note: realtime.%s has no effect: %s\n", option, why);
  };
  if (realtime.margin && realtime.sleeper != rtsync::SleeperKind::hybrid)
    note("margin", "the sleeper is not hybrid");
  if (realtime.max_catch_up && realtime.on_overrun != rtsync::OnOverrun::catch_up)
    note("max_catch_up", "on_overrun is not catch_up");
  if (!realtime.sleep_timer) note("sleeper", "sleep_timer is off");
}

/// What the rig has to do with outside. Nothing of it is opened here.
void print_devices(const executive::RigSettings& settings, const executive::Plan& plan) {
  const executive::ClockSection& clock = settings.clock;
  const auto driven = [](const executive::ModelSettings& model) { return !model.driver.value.empty(); };
  const bool models = std::any_of(settings.models.begin(), settings.models.end(), driven);
  if (clock.external() || models || settings.watchdog.device)
    std::printf("\ndevices (not opened by check)\n");
  if (clock.external()) {
    std::printf("  clock     driver %s, discipline %s, %lld edges a frame, %lld frames an edge %s\n",
                clock.driver.value.c_str(), clock.discipline == rtsync::Discipline::pll ? "pll" : "edge",
                static_cast<long long>(clock.edges_per_frame), static_cast<long long>(clock.frames_per_edge),
                config::to_flow(clock.device).c_str());
  }
  for (const executive::ModelSettings& model : settings.models)
    if (driven(model))
      std::printf("  %-9s driver %s %s\n", model.name.c_str(), model.driver.value.c_str(),
                  config::to_flow(model.device).c_str());
  if (!plan.safe_outputs.empty()) {
    const bool guardian = settings.safe_outputs == executive::SafeOutputs::guardian;
    std::printf("  outputs are driven safe by %s\n",
                guardian ? ("the rig, and by a guardian after " +
                            rtsync::duration_text(settings.guardian_timeout.count()) + " without a frame")
                               .c_str()
                         : "the rig's process alone");
  }
  if (settings.watchdog.device)
    std::printf("  watchdog  %s, %s\n", settings.watchdog.device->c_str(),
                rtsync::duration_text(settings.watchdog.timeout.count()).c_str());
}

void print_plan(const executive::Rig& rig) {
  const executive::Plan& plan = rig.plan();
  const executive::RigSettings& settings = rig.settings();
  std::printf("rig %s: frame %s, %s\n", settings.rig.value.c_str(), period_text(plan.frame).c_str(),
              settings.realtime.enabled ? "real time" : "not in real time (realtime.enabled: no)");

  std::vector<const PlannedJob*> jobs;
  for (const PlannedJob& job : plan.jobs) jobs.push_back(&job);
  std::stable_sort(jobs.begin(), jobs.end(), [](const PlannedJob* a, const PlannedJob* b) {
    return std::pair(a->job_class, a->phase) < std::pair(b->job_class, b->phase);
  });
  print_threads(settings);
  std::printf("%zu jobs on thread main, in this order at every instant at which they are due\n", jobs.size());
  std::printf("  %-32s %-15s %6s %14s %12s %12s\n", "job", "class", "phase", "cycle", "first", "calls/s");
  double calls = 0;
  for (const PlannedJob* job : jobs) {
    const bool cyclic = executive::is_cyclic(job->job_class);
    const bool each_frame = job->job_class == TACTUS_TOP_OF_FRAME || job->job_class == TACTUS_END_OF_FRAME;
    const double rate = cyclic ? 1 / job->cycle.seconds() : (each_frame ? 1 / plan.frame.seconds() : 0);
    calls += job->enabled ? rate : 0;
    std::printf("  %-32s %-15s %6u %14s %12s %12.6g%s\n", job->name.c_str(),
                std::string(executive::name_of(job->job_class)).c_str(), job->phase,
                cyclic ? period_text(job->cycle).c_str() : (each_frame ? "frame" : "once"),
                cyclic ? rtsync::duration_text(job->first.floor().count()).c_str() : "-", rate,
                job->enabled ? "" : "  (off)");
  }
  std::printf("load: %.6g calls a second, %.6g a frame\n", calls, calls * plan.frame.seconds());

  print_devices(settings, plan);
  if (!plan.connections.empty()) std::printf("\nconnections\n");
  for (const executive::Connection& connection : plan.connections)
    std::printf("  %s -> %s%s%s\n", connection.from.name().c_str(), connection.to.name().c_str(),
                conversion_text(connection).c_str(), connection.delayed ? " (delayed)" : "");
  for (const std::string& input : rig.unconnected_inputs())
    std::printf("note: input %s is not connected; it keeps its first value\n", input.c_str());
  print_idle_options(settings.realtime);
}

/// The keys of all drivers that this machine has.
std::string driver_references() {
  std::string text;
  const auto add = [&text](const std::string& title, const config::Section& section) {
    text += "\n#" + config::reference_page(section, title);
  };
  for (const std::string& name : executive::driver_names("clock"))
    add("Keys of `clock` with `driver: " + name + "`",
        *executive::DriverLibrary("clock", name).make_clock_driver()->section());
  for (const std::string& name : executive::driver_names("model"))
    add("Keys of a model with `driver: " + name + "`",
        *executive::DriverLibrary("model", name).make_model_driver()->section());
  return text;
}

}  // namespace

int check_command(const CheckArguments& arguments) {
  if (arguments.schema || arguments.reference) {
    const auto& fields = executive::rig_fields();
    const std::string text = arguments.schema ? fields.json_schema("tactus rig")
                                              : fields.reference("The rig file") + driver_references();
    std::fputs(text.c_str(), stdout);
    return kOk;
  }
  if (arguments.rig.file.empty()) {
    std::fprintf(stderr, "tactus check: which rig file? tactus check RIG.yaml\n");
    return kWrongInput;
  }
  config::Problems problems;
  executive::RigSettings settings = load_settings(arguments.rig, problems);
  const executive::Rig rig(std::move(settings), folder_of(arguments.rig), std::move(problems));
  print_plan(rig);
  return kOk;
}

}  // namespace tactus::app
