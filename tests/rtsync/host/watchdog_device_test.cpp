// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/watchdog_device.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/watchdog.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "rtsync/host/heap_watch.hpp"
#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::watchdog_device_test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;
using ::testing::HasSubstr;

constexpr TimePoint<RigTime> kStart{1000s};

/// A watchdog whose driver answers as a test says; what is written to it ends up in a file.
class FakeWatchdog {
 public:
  int timeout = 60;  ///< in force
  int least = 1;     ///< what its driver allows
  int most = 600;
  bool can_set = true;
  bool can_tell = true;
  bool describes_itself = true;
  unsigned options = WDIOF_SETTIMEOUT | WDIOF_MAGICCLOSE | WDIOF_KEEPALIVEPING;
  int open_error = 0;
  FakeRoot root;

  FakeWatchdog() { root.write("/dev/watchdog", "").write("/proc/self/comm", "tactus\n"); }

  WatchdogSettings settings(Nanoseconds timeout_wished) const {
    return {.device = root.path() / "dev/watchdog", .timeout = timeout_wished};
  }
  WatchdogKernel kernel() {
    return {.open =
                [this](const char* device) {
                  if (open_error == 0) return ::open(device, O_WRONLY | O_APPEND | O_CLOEXEC);
                  errno = open_error;
                  return -1;
                },
            .ioctl = [this](int, unsigned long request, void* value) { return answer(request, value); },
            .root = root.path()};
  }
  std::string written() const {
    std::ifstream file(root.path() / "dev/watchdog", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  static int fail(int error) {
    errno = error;
    return -1;
  }
  int answer(unsigned long request, void* value) {
    int* const number = static_cast<int*>(value);
    if (request == WDIOC_SETTIMEOUT) {
      if (!can_set) return fail(EOPNOTSUPP);
      if (*number < least || *number > most) return fail(EINVAL);
      *number = timeout = *number;
    } else if (request == WDIOC_GETTIMEOUT) {
      if (!can_tell) return fail(ENOTTY);
      *number = timeout;
    } else if (request == WDIOC_GETSUPPORT) {
      if (!describes_itself) return fail(ENOTTY);
      auto* const info = static_cast<watchdog_info*>(value);
      info->options = options;
      std::memcpy(info->identity, "a name of 32 bytes without a zer", sizeof info->identity);
    } else {
      return fail(ENOTTY);
    }
    return 0;
  }
};

TEST(Watchdog, TakesWholeSecondsRoundedUp) {
  FakeWatchdog fake;
  const WatchdogDevice watchdog(fake.settings(2500ms), fake.kernel());
  EXPECT_TRUE(watchdog.armed());
  EXPECT_TRUE(watchdog.provision().granted) << sentence(watchdog.provision());
  EXPECT_EQ(watchdog.timeout(), 3s);
  EXPECT_EQ(fake.timeout, 3);
  EXPECT_EQ(fake.written(), "") << "nothing is written before the first frame";
}

TEST(Watchdog, IsKickedAtOnceAndThenEveryQuarterOfTheTimeout) {
  FakeWatchdog fake;
  WatchdogDevice watchdog(fake.settings(8s), fake.kernel());
  watchdog.kick(kStart);
  EXPECT_EQ(fake.written().size(), 1U);
  for (int frame = 1; frame < 2000; ++frame) watchdog.kick(kStart + frame * 1ms);
  EXPECT_EQ(fake.written().size(), 1U) << "1 ns before a quarter is too early";
  watchdog.kick(kStart + 2s);
  EXPECT_EQ(fake.written().size(), 2U);
  watchdog.kick(kStart + 100s);
  EXPECT_EQ(fake.written().size(), 3U) << "a long stall is one kick, not fifty";
  EXPECT_EQ(fake.written().find('V'), std::string::npos);
  EXPECT_EQ(watchdog.failed(), 0U);
}

TEST(Watchdog, KeepsWhatADriverHasThatCannotBeSet) {
  FakeWatchdog fake;
  fake.can_set = false;
  fake.timeout = 60;
  WatchdogDevice watchdog(fake.settings(10s), fake.kernel());
  EXPECT_TRUE(watchdog.armed());
  EXPECT_FALSE(watchdog.provision().granted);
  EXPECT_EQ(watchdog.provision().got, "60 s");
  EXPECT_THAT(watchdog.provision().cause, HasSubstr("a name of 32 bytes without a zer' cannot set it"));
  EXPECT_EQ(watchdog.timeout(), 60s);
  watchdog.kick(kStart);
  watchdog.kick(kStart + 14s);
  EXPECT_EQ(fake.written().size(), 1U) << "a quarter of what is in force, not of what was asked";
}

TEST(Watchdog, OutsideOfTheDriversLimitsKeepsWhatItHas) {
  FakeWatchdog fake;
  fake.most = 16;
  fake.timeout = 15;
  const WatchdogDevice watchdog(fake.settings(20s), fake.kernel());
  EXPECT_TRUE(watchdog.armed());
  EXPECT_THAT(watchdog.provision().cause, HasSubstr("EINVAL"));
  EXPECT_THAT(watchdog.provision().fix, HasSubstr("15 s"));
}

TEST(Watchdog, ThatSaysNothingAtAllIsKickedOften) {
  FakeWatchdog fake;
  fake.can_set = fake.can_tell = false;
  WatchdogDevice watchdog(fake.settings(60s), fake.kernel());
  EXPECT_TRUE(watchdog.armed());
  EXPECT_EQ(watchdog.timeout(), 0s);
  watchdog.kick(kStart);
  watchdog.kick(kStart + 250ms);
  EXPECT_EQ(fake.written().size(), 2U);
}

TEST(Watchdog, ADeviceThatDoesNotAnswerAsOneIsRefusedAndGetsNotAByte) {
  FakeWatchdog fake;
  fake.describes_itself = false;
  WatchdogDevice watchdog(fake.settings(60s), fake.kernel());
  EXPECT_FALSE(watchdog.armed());
  EXPECT_THAT(watchdog.provision().cause, HasSubstr("is not a watchdog"));
  watchdog.kick(kStart);
  (void)watchdog.close_cleanly();
  EXPECT_EQ(fake.written(), "");
}

TEST(Watchdog, AFileIsNotEvenOpened) {
  FakeWatchdog fake;
  const WatchdogDevice watchdog(fake.settings(60s));
  EXPECT_FALSE(watchdog.armed());
  EXPECT_THAT(watchdog.provision().cause, HasSubstr("is not a watchdog"));
  EXPECT_EQ(fake.written(), "");
}

TEST(Watchdog, IsSwitchedOffByTheMagicLetterOnly) {
  FakeWatchdog fake;
  {
    WatchdogDevice crashed(fake.settings(8s), fake.kernel());
    crashed.kick(kStart);
  }
  EXPECT_EQ(fake.written().find('V'), std::string::npos)
      << "a destructor must leave the machine to its reset";
  WatchdogDevice watchdog(fake.settings(8s), fake.kernel());
  watchdog.kick(kStart);
  const Provision closed = watchdog.close_cleanly();
  EXPECT_TRUE(closed.granted) << sentence(closed);
  EXPECT_TRUE(fake.written().ends_with('V'));
  EXPECT_FALSE(watchdog.armed());
  watchdog.kick(kStart + 1000s);
  EXPECT_TRUE(fake.written().ends_with('V'))
      << "a kick after the end would have to go to a closed descriptor";
  EXPECT_EQ(watchdog.failed(), 0U);
  EXPECT_TRUE(watchdog.close_cleanly().granted) << "twice is as good as once";
}

TEST(Watchdog, WithNowayoutSaysThatItCannotBeSwitchedOff) {
  FakeWatchdog fake;
  fake.root.write("/sys/class/watchdog/watchdog0/nowayout", "1\n");
  WatchdogDevice watchdog(fake.settings(8s), fake.kernel());
  EXPECT_TRUE(watchdog.provision().granted);
  EXPECT_THAT(watchdog.provision().got, HasSubstr("nowayout"));
  const Provision closed = watchdog.close_cleanly();
  EXPECT_FALSE(closed.granted);
  EXPECT_THAT(sentence(closed), HasSubstr("reset in at most 8 s"));
}

TEST(Watchdog, ThatACrashWouldSwitchOffIsNotWhatWasAsked) {
  FakeWatchdog fake;
  fake.options = WDIOF_SETTIMEOUT;
  const WatchdogDevice watchdog(fake.settings(8s), fake.kernel());
  EXPECT_TRUE(watchdog.armed());
  EXPECT_FALSE(watchdog.provision().granted);
  EXPECT_THAT(watchdog.provision().cause, HasSubstr("also when the rig dies"));
}

TEST(Watchdog, ThatIsRefusedSaysHowToGetIt) {
  struct Row {
    int error;
    const char* cause;
    const char* fix;
  };
  const Row rows[] = {
      {ENOENT, "No such file or directory", "modprobe softdog"},
      {ENODEV, "No such device", "modprobe softdog"},
      {EACCES, "Permission denied", "/etc/udev/rules.d/"},
      {EPERM, "Operation not permitted", "/etc/udev/rules.d/"},
      {EBUSY, "could not be seen from here", "fuser -v"},
      {EIO, "Input/output error", "dmesg"},
  };
  for (const Row& row : rows) {
    FakeWatchdog fake;
    fake.open_error = row.error;
    WatchdogDevice watchdog(fake.settings(8s), fake.kernel());
    EXPECT_FALSE(watchdog.armed());
    EXPECT_FALSE(watchdog.provision().granted);
    EXPECT_THAT(watchdog.provision().cause, HasSubstr(row.cause));
    EXPECT_THAT(watchdog.provision().fix, HasSubstr(row.fix)) << row.cause;
    watchdog.kick(kStart);
    EXPECT_EQ(watchdog.failed(), 0U) << "what is not there is not kicked";
  }
}

TEST(Watchdog, ThatSomebodyElseHasNamesHim) {
  FakeWatchdog fake;
  fake.open_error = EBUSY;
  fake.root.write("/proc/17/comm", "bystander\n").folder("/proc/17/fd");
  std::filesystem::create_symlink("/dev/null", fake.root.path() / "proc/17/fd/3");
  fake.root.write("/proc/1/comm", "systemd\n").folder("/proc/1/fd");
  std::filesystem::create_symlink("/dev/watchdog0", fake.root.path() / "proc/1/fd/9");
  const WatchdogDevice of_systemd(fake.settings(8s), fake.kernel());
  EXPECT_THAT(of_systemd.provision().cause, HasSubstr("belongs to process 1 (systemd)"));
  EXPECT_THAT(of_systemd.provision().fix, HasSubstr("RuntimeWatchdogSec=off"));

  fake.root.remove("/proc/1/fd").write("/proc/222/comm", "wd_keepalive\n").folder("/proc/222/fd");
  std::filesystem::create_symlink("/dev/watchdog", fake.root.path() / "proc/222/fd/4");
  const WatchdogDevice of_daemon(fake.settings(8s), fake.kernel());
  EXPECT_THAT(of_daemon.provision().cause, HasSubstr("process 222 (wd_keepalive)"));
  EXPECT_THAT(of_daemon.provision().fix, HasSubstr("disable --now wd_keepalive"));

  fake.root.remove("/proc/222/fd").folder("/proc/222/fd");
  std::filesystem::create_symlink("/dev/watchdog1", fake.root.path() / "proc/222/fd/4");
  const WatchdogDevice of_another(fake.settings(8s), fake.kernel());
  EXPECT_THAT(of_another.provision().cause, HasSubstr("could not be seen")) << "watchdog1 is another device";
}

TEST(Watchdog, ATimeoutOfNothingIsRefusedBeforeAnythingIsOpened) {
  FakeWatchdog fake;
  for (const Nanoseconds timeout : {Nanoseconds{0}, Nanoseconds{-1s}}) {
    const WatchdogDevice watchdog(fake.settings(timeout), fake.kernel());
    EXPECT_FALSE(watchdog.armed());
    EXPECT_FALSE(watchdog.provision().granted);
  }
}

TEST(Watchdog, CountsTheKicksThatFail) {
  FakeWatchdog fake;
  WatchdogKernel kernel = fake.kernel();
  // Every write to /dev/full fails, as one to a watchdog does whose bus is gone.
  kernel.open = [](const char*) { return ::open("/dev/full", O_WRONLY | O_CLOEXEC); };
  WatchdogDevice watchdog(fake.settings(8s), kernel);
  ASSERT_TRUE(watchdog.armed());
  for (int second = 0; second < 8; ++second) watchdog.kick(kStart + second * 1s);
  EXPECT_EQ(watchdog.failed(), 4U) << "it is tried again when the next kick is due, not every frame";
  EXPECT_EQ(watchdog.last_error(), ENOSPC);
  const Provision closed = watchdog.close_cleanly();
  EXPECT_FALSE(closed.granted);
  EXPECT_THAT(closed.got, HasSubstr("reset in at most 8 s"));
}

TEST(WatchdogRt, AKickNeverTouchesTheHeap) {
  FakeWatchdog fake;
  WatchdogDevice watchdog(fake.settings(1s), fake.kernel());
  const HeapWatch heap;
  for (int frame = 0; frame < 1000; ++frame) watchdog.kick(kStart + frame * 1ms);
  EXPECT_EQ(heap.calls(), 0U);
}

TEST(Watchdog, OfAMachineWithoutOneIsExplained) {
  const WatchdogDevice watchdog(WatchdogSettings{.device = "/dev/watchdog-that-is-not-there"});
  EXPECT_FALSE(watchdog.armed());
  EXPECT_THAT(watchdog.provision().cause, HasSubstr("ENOENT"));
}

TEST(WatchdogHere, IsTheFirstThatTheMachineHas) {
  FakeRoot root;
  EXPECT_EQ(watchdog_here(root.path()), "");
  root.write("/dev/watchdog", "");
  EXPECT_EQ(watchdog_here(root.path()), root.path() / "dev/watchdog");
  root.write("/dev/watchdog0", "");
  EXPECT_EQ(watchdog_here(root.path()), root.path() / "dev/watchdog0") << "the old name is that of one alone";
}

}  // namespace
}  // namespace tactus::rtsync::watchdog_device_test
