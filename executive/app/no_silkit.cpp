#include <cstdio>

#include "executive/app/commands.hpp"

namespace tactus::app {
namespace {

int not_built() {
  std::fprintf(
      stderr,
      "tactus: built without SIL Kit, as asio was not installed; mend it with: apt-get install libasio-dev, "
      "then build again\n");
  return kWrongMachine;
}

}  // namespace

int registry_command(const RegistryArguments&) { return not_built(); }
int workflow_command(const WorkflowArguments&) { return not_built(); }
int monitor_command(const MonitorArguments&) { return not_built(); }
int demo_link_command(const DemoArguments&) { return not_built(); }

}  // namespace tactus::app
