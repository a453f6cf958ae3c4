// SPDX-License-Identifier: Apache-2.0
#include "executive/app/run_folder.hpp"

#include <system_error>

#include "config/document.hpp"
#include "config/json_of.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/capability/link/settings.hpp"
#include "executive/capability/record/settings.hpp"
#include "executive/flight/flight_collector.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::app {

void expect_run_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder / "rig.yaml", error)) return;
  if (error) throw CommandError(kWrongInput, folder.string() + " cannot be read: " + error.message());
  throw CommandError(kWrongInput, folder.string() +
                                      " is not a run folder: it holds no rig.yaml; give one that " +
                                      "`tactus run` made, as runs/<rig>-<start time>");
}

executive::RigSettings settings_of_run(const std::filesystem::path& folder) {
  expect_run_folder(folder);
  config::Problems unknown;
  return executive::rig_fields().load(config::Document::from_file((folder / "rig.yaml").string()), unknown);
}

std::vector<RunRecording> recordings_of(const executive::RigSettings& settings) {
  std::vector<RunRecording> all;
  bool own_log = settings.of<executive::RecordSettings>().frame_log;
  bool own_link = settings.of<executive::LinkSection>().present;
  for (const executive::RecordingSettings& each : settings.of<executive::RecordSettings>().recordings) {
    all.push_back({each.name, each.driver.value, true});
    own_log = own_log && each.name != "frames";
    own_link = own_link && each.name != "link";
  }
  if (own_log) all.push_back({"frames", "csv", false});
  if (own_link) all.push_back({"link", "csv", false});
  return all;
}

pid_t wait_for_killed_rig(const std::filesystem::path& run_folder) {
  return executive::wait_for_end_of_killed_rig(run_folder, [&](pid_t process) {
    print_error("tactus: %s: the rig was killed, and its process %d has not ended yet: waiting for it\n",
                run_folder.c_str(), static_cast<int>(process));
  });
}

config::Json json_in(const std::filesystem::path& file) {
  int error = 0;
  return config::json_of(rtsync::read_folder_file(file, error));
}

}  // namespace tactus::app
