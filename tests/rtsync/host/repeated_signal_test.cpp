// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/repeated_signal.hpp"

#include <gtest/gtest.h>

namespace tactus::rtsync {
namespace {

TEST(RepeatedSignal, IsThatOfTheSameProcessAtOnce) {
  constexpr Nanoseconds kFirst{5'000'000'000}, kSoon{40'000};
  struct Row {
    const char* what;
    int signal, code;
    pid_t sender;
    Nanoseconds after;
    bool repeated;
  };
  for (const Row& row :
       {Row{"timeout(1), which tells the group, too", SIGTERM, SI_USER, 7, kSoon, true},
        Row{"on a busy machine", SIGTERM, SI_USER, 7, RepeatedSignal::kAtOnce - Nanoseconds{1}, true},
        Row{"who asks again", SIGTERM, SI_USER, 7, RepeatedSignal::kAtOnce, false},
        Row{"another process", SIGTERM, SI_USER, 8, kSoon, false},
        Row{"another signal", SIGINT, SI_USER, 7, kSoon, false},
        Row{"a terminal", SIGTERM, SI_KERNEL, 7, kSoon, false}}) {
    RepeatedSignal repeated;
    EXPECT_FALSE(repeated.is(SIGTERM, row.code, 7, kFirst)) << row.what;
    EXPECT_EQ(repeated.is(row.signal, row.code, row.sender, kFirst + row.after), row.repeated) << row.what;
  }
}

TEST(RepeatedSignal, IsNeverTheFirst) {
  RepeatedSignal repeated;
  EXPECT_FALSE(repeated.is(SIGTERM, SI_USER, 0, Nanoseconds{}));
}

}  // namespace
}  // namespace tactus::rtsync
