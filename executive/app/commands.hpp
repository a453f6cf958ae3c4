#pragma once
#include <cstdint>
#include <optional>
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
  std::string out;   ///< empty: runs/<rig>-<start time>
  std::string from;  ///< a checkpoint to go on from; empty: the beginning
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

}  // namespace tactus::app
