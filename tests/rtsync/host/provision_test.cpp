// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/provision.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace tactus::rtsync::provision_test {
namespace {

TEST(ProvisionSentence, SaysWhatWasAskedWhatIsThereWhyAndWhatMendsIt) {
  EXPECT_EQ(sentence(granted("CPUs 3", "CPUs 3")), "CPUs 3: granted");
  EXPECT_EQ(sentence(granted("a timer slack of 1 ns", "0 ns")), "a timer slack of 1 ns: granted (0 ns)");
  EXPECT_EQ(
      sentence(refused("SCHED_FIFO priority 80", "SCHED_OTHER", {"RLIMIT_RTPRIO is 0", "ulimit -r 99"})),
      "SCHED_FIFO priority 80: refused (instead: SCHED_OTHER): RLIMIT_RTPRIO is 0; fix: ulimit -r 99");
}

TEST(ErrorWords, NameTheErrno) { EXPECT_EQ(error_words(EPERM), "Operation not permitted (EPERM)"); }

}  // namespace
}  // namespace tactus::rtsync::provision_test
