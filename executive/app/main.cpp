#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "config/place.hpp"
#include "executive/app/commands.hpp"
#include "executive/model/suggest.hpp"
#include "executive/run/rig_run.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace {

void add_rig(CLI::App& command, tactus::app::RigArguments& rig, bool required) {
  command.add_option("RIG", rig.file, "the rig file (YAML)")->required(required);
  command
      .add_option("--set", rig.set,
                  "change one value of the rig file: path=value, e.g. realtime.on_overrun=skip")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
}

void add_silkit(CLI::App& command, tactus::app::SilKitArguments& silkit, const char* uri_option,
                const char* uri_about) {
  command.add_option(uri_option, silkit.uri, uri_about)->type_name("URI")->capture_default_str();
  command.add_option("-c,--configuration", silkit.configuration, "participant configuration (YAML or JSON)")
      ->type_name("FILE");
  command
      .add_option("-l,--log,--loglevel", silkit.log,
                  "trace, debug, info, warn, error, critical or off, to stderr")
      ->type_name("LEVEL")
      ->capture_default_str();
}

void add_name(CLI::App& command, tactus::app::SilKitArguments& silkit, const char* name) {
  silkit.name = name;
  command.add_option("-n,--name", silkit.name, "its name as a participant")->capture_default_str();
}

/// A standard descriptor that is closed would be the next file opened: log.txt, with our output in it.
void open_standard_descriptors() {
  for (int descriptor = 0; descriptor < 3; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0) (void)::open("/dev/null", O_RDWR);  // takes the lowest free number
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tactus::app;
  open_standard_descriptors();
  (void)tactus::rtsync::allowed_cpus();  // before anything is pinned

  CLI::App app{"tactus: a hard real-time frame executive for hardware-in-the-loop rigs"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "tactus " TACTUS_VERSION);
  app.footer(
      "Exit status: 0 ended as planned, 1 ended early, 2 wrong command line or rig file, 3 wrong machine.");

  RunArguments run;
  CLI::App* const run_app = app.add_subcommand("run", "run a rig");
  add_rig(*run_app, run.rig, false);
  run_app->add_option("--from", run.from, "checkpoint to go on from, instead of frame 0")
      ->option_text("FILE");
  CLI::Option* const until =
      run_app->add_option("--until", run.until, "simulated time to run, e.g. 10s or 500ms");
  run_app->add_option("--frames", run.frames, "number of frames to run")
      ->check(CLI::Range(std::int64_t{1}, INT64_MAX))
      ->excludes(until);
  CLI::Option* const link =
      run_app->add_option("--link", run.link, "how it is linked: paced, follow, free or off")
          ->type_name("MODE")
          ->check(CLI::IsMember({"paced", "follow", "free", "off"}));
  run_app->add_option("--registry", run.registry, "where the registry of its link listens")->type_name("URI");
  run_app
      ->add_option(
          "--replay", run.replay,
          "a run folder: what its link took in comes in again, without the others; without a rig file, "
          "the folder's")
      ->type_name("RUN_DIR")
      ->excludes(link);
  run_app
      ->add_option("--live", run.live,
                   "opens its control port there: unix:live.sock (in the run folder), 127.0.0.1:8086 ...")
      ->type_name("ADDRESS")
      ->check([](const std::string& text) {
        return text.empty() ? "an address is expected: unix:live.sock or 127.0.0.1:8086" : "";
      });
  run_app->add_flag("--paused", run.paused, "in Pause before the first frame: somebody resumes it");
  run_app->add_flag("!--no-realtime", run.realtime, "as fast as it can; the recorded values are the same");
  run_app->add_option("--out", run.out, "the run folder; default runs/<rig>-<start time>");
  run_app->add_flag("--quiet", run.quiet, "print errors only");

  CheckArguments check;
  CLI::App* const check_app =
      app.add_subcommand("check", "check a rig file and print its plan; start nothing");
  add_rig(*check_app, check.rig, false);
  check_app->add_flag("--schema", check.schema, "print the JSON Schema of rig files, for editors");
  check_app->add_flag("--reference", check.reference, "print the reference page of rig files (Markdown)");

  DoctorArguments doctor;
  CLI::App* const doctor_app =
      app.add_subcommand("doctor", "what on this machine stands between a rig and hard real time");
  add_rig(*doctor_app, doctor.rig, false);
  doctor_app->add_flag("--json", doctor.json, "for scripts");
  CLI::Option* const measure =
      doctor_app
          ->add_option("--measure", doctor.measure,
                       "how long to measure the wakes of each CPU and sleeper, 10ms .. 60s; 0s: not at all")
          ->type_name("DURATION")
          ->capture_default_str();
  doctor_app->add_flag("!--no-measure", doctor.measures, "look only; measure nothing")->excludes(measure);

  RegistryArguments registry;
  CLI::App* const registry_app =
      app.add_subcommand("registry", "SIL Kit: introduces the participants of simulations to each other");
  add_silkit(*registry_app, registry.silkit, "-u,--listen-uri", "where to listen; port 0: any that is free");
  registry_app
      ->add_option("-g,--generate-configuration", registry.generate,
                   "write a participant configuration that leads here")
      ->type_name("FILE");

  WorkflowArguments workflow;
  CLI::App* const workflow_app = app.add_subcommand(
      "workflow", "SIL Kit: starts a simulation when its participants are there, and stops it");
  add_silkit(*workflow_app, workflow.silkit, "-u,--connect-uri", "where the registry listens");
  add_name(*workflow_app, workflow.silkit, "SystemController");
  workflow_app->add_option("NAMES", workflow.names, "the participants to wait for")->required();

  MonitorArguments monitor;
  CLI::App* const monitor_app =
      app.add_subcommand("monitor", "SIL Kit: the states of a simulation and its participants, live");
  add_silkit(*monitor_app, monitor.silkit, "-u,--connect-uri", "where the registry listens");
  add_name(*monitor_app, monitor.silkit, "SystemMonitor");
  monitor_app->add_flag("--json", monitor.json, "one object per line and change, as without a terminal");

  DemoArguments demo;
  CLI::App* const demo_app = app.add_subcommand("demo", "a complete example, started and stopped");
  demo_app->require_subcommand(1);
  CLI::App* const demo_link_app =
      demo_app->add_subcommand("link", "a rig in a SIL Kit simulation: registry, workflow, a virtual peer");
  demo_link_app->add_option("--until", demo.until, "simulated time to run")->capture_default_str();
  demo_link_app->add_option("--out", demo.out, "the rig's run folder; default runs/<rig>-<start time>");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      std::fprintf(
          stderr, "there is no command '%s'%s\nRun with --help for more information.\n", argv[1],
          tactus::executive::did_you_mean(argv[1], app.get_subcommands({}), [](const CLI::App* command) {
            return command->get_name();
          }).c_str());
      return kWrongInput;
    }
    return app.exit(error) == 0 ? kOk : kWrongInput;
  }
  const tactus::rtsync::ExitGuard guard;  // models are loaded from here on
  try {
    if (*run_app) return run_command(run);
    if (*check_app) return check_command(check);
    if (*registry_app) return registry_command(registry);
    if (*workflow_app) return workflow_command(workflow);
    if (*monitor_app) return monitor_command(monitor);
    if (*demo_link_app) return demo_link_command(demo);
    return doctor_command(doctor);
  } catch (const tactus::config::ConfigError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kWrongInput;
  } catch (const tactus::executive::MachineError& error) {
    std::fprintf(stderr, "tactus: %s\n", error.what());
    return kWrongMachine;
  } catch (const CommandError& error) {
    std::fprintf(stderr, "tactus: %s\n", error.what());
    return error.status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tactus: %s\n", error.what());
    return kEndedEarly;
  }
}
