// SPDX-License-Identifier: Apache-2.0
#include "executive/app/killed_rig.hpp"

#include "executive/app/terminal_text.hpp"
#include "executive/flight/flight_collector.hpp"

namespace tactus::app {

pid_t wait_for_killed_rig(const std::filesystem::path& run_folder) {
  return executive::wait_for_end_of_killed_rig(run_folder, [&](pid_t process) {
    print_error("tactus: %s: the rig was killed, and its process %d has not ended yet: waiting for it\n",
                run_folder.c_str(), static_cast<int>(process));
  });
}

}  // namespace tactus::app
