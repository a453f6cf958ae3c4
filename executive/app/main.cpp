// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include "executive/app/command_main.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace {

/// A standard descriptor that is closed would be the next file opened: log.txt, with our output in it.
void open_standard_descriptors() {
  for (int descriptor = 0; descriptor < 3; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0) (void)::open("/dev/null", O_RDWR);  // takes the lowest free number
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  (void)tactus::rtsync::allowed_cpus();  // before anything is pinned
  return tactus::app::command_main(argc, argv);
}
