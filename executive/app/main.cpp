// SPDX-License-Identifier: Apache-2.0
#include "executive/app/command_main.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/folder_file.hpp"

int main(int argc, char** argv) {
  tactus::rtsync::fill_standard_streams();
  (void)tactus::rtsync::allowed_cpus();  // before anything is pinned
  return tactus::app::command_main(argc, argv);
}
