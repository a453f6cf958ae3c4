#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tactus::app {

/// What the process ends with; the contract of docs/command-line.md.
enum ExitStatus : int {
  kOk = 0,           ///< the run ended as planned
  kEndedEarly = 1,   ///< overrun policy, abort, failed model
  kWrongInput = 2,   ///< the command line or the rig file: nothing was started
  kWrongMachine = 3  ///< the machine cannot do what the rig requires
};

/// A command cannot do what it was told; what() says what to do about it.
class CommandError : public std::runtime_error {
 public:
  CommandError(ExitStatus status, const std::string& what) : runtime_error(what), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

struct RigArguments {
  std::string file;
  std::vector<std::string> set;  ///< path=value
};

struct RunArguments {
  RigArguments rig;
  std::string until;                   ///< "10s"; empty: as the rig says
  std::optional<std::int64_t> frames;  ///< instead of until
  bool realtime = true;
  bool quiet = false;
  std::string out;       ///< empty: runs/<rig>-<start time>
  std::string from;      ///< a checkpoint to go on from; empty: the beginning
  std::string link;      ///< paced, follow, free, off; empty: as the rig says
  std::string registry;  ///< instead of link.registry; empty: as the rig says
  std::string live;      ///< where its control port listens; empty: as the rig says
  bool paused = false;   ///< in Pause before the first frame
  std::string replay;    ///< a run folder whose link took in what is to come in again; empty: none
};

int run_command(const RunArguments& arguments);

struct CheckArguments {
  RigArguments rig;
  bool schema = false;
  bool reference = false;
};
int check_command(const CheckArguments& arguments);

struct DoctorArguments {
  RigArguments rig;  ///< file may be empty: the machine alone
  bool json = false;
  bool measures = true;         ///< how late each sleeper wakes
  std::string measure = "2 s";  ///< for each CPU and sleeper; 0: not at all
};
int doctor_command(const DoctorArguments& arguments);

/// What the SIL Kit commands share. Without asio they are not built; they then say so and answer 3.
struct SilKitArguments {
  std::string uri = "silkit://localhost:8500";
  std::string name;           ///< of the participant; the registry has none
  std::string configuration;  ///< a YAML or JSON file; empty: none
  std::string log = "warn";   ///< trace, debug, info, warn, error, critical, off
};

struct RegistryArguments {
  SilKitArguments silkit;
  std::string generate;  ///< file that is to hold a participant configuration with the URI; empty: none
};
/// Introduces the participants of simulations to each other until it is told to stop.
int registry_command(const RegistryArguments& arguments);

struct WorkflowArguments {
  SilKitArguments silkit;
  std::vector<std::string> names;  ///< the participants to wait for
};
/// Starts a simulation when all its participants are there, and stops it.
int workflow_command(const WorkflowArguments& arguments);

struct MonitorArguments {
  SilKitArguments silkit;
  bool json = false;
};
/// Shows the states of a simulation as they change.
int monitor_command(const MonitorArguments& arguments);

struct DemoArguments {
  std::string until = "10s";
  std::string out;  ///< empty: as of `run`
};
/// Runs config/rigs/linked.yaml in a simulation of its own, and shows what all say. The exit status is the
/// rig's.
int demo_link_command(const DemoArguments& arguments);

}  // namespace tactus::app
