// SPDX-License-Identifier: Apache-2.0
#include "executive/app/driver_facts.hpp"

#include <stdexcept>

#include "executive/driver/clock_driver.hpp"
#include "executive/driver/driver_library.hpp"

namespace tactus::app {

std::vector<rtsync::Fact> driver_facts(const executive::RigSettings* rig, rtsync::Nanoseconds measure) {
  std::vector<rtsync::Fact> facts;
  for (const std::string& name : executive::driver_names("clock")) {
    try {
      const executive::DriverLibrary library("clock", name);
      const auto driver = library.make<executive::ClockDriver>();
      const bool ours = rig != nullptr && rig->clock.driver.value == name;
      if (ours) {
        config::Problems problems;
        driver->read(rig->clock.device, rig->clock.origin.path, problems);
        if (!problems.empty()) throw config::ConfigError(problems);
      }
      const bool measured = ours && measure > rtsync::Nanoseconds{0};
      executive::EdgeWatch watch;
      if (measured) watch.measure = measure;
      if (ours) watch.edge_period = rig->clock.settings(rig->frame.period).edge_period();
      for (rtsync::Fact& fact : driver->facts(watch)) facts.push_back(std::move(fact));
    } catch (const std::invalid_argument& error) {  // of the rig's clock section, as `run` would say it
      throw config::ConfigError(rig->clock.origin.place, rig->clock.origin.path, error.what());
    } catch (const executive::LibraryError& error) {
      facts.push_back({"driver " + name, rtsync::Grade::warn, error.what(), "a driver that can be loaded",
                       "rigs that name it do not start", "build it again with this tactus"});
    }
  }
  return facts;
}

}  // namespace tactus::app
