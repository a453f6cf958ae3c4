// SPDX-License-Identifier: Apache-2.0
/// Isolated models in processes of their own, called by the test as a rig would. No test waits for a time that a machine
/// that stands still could spoil: a process is ended by the test, or does not come back at all.
#include "executive/isolation/isolation.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "executive/isolation/call_page.hpp"
#include "executive/isolation/model_declaration.hpp"
#include "executive/isolation/model_process.hpp"
#include "executive/isolation/setup_channel.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/model/model_library.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/spawn.hpp"
#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::executive::isolation_threads_test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kModels = TEST_LIBRARIES "/libmodels.so";

/// A gain, y = k u, in a process of its own.
class Isolated {
 public:
  explicit Isolated(OnCrash on_crash = OnCrash::abort, std::chrono::nanoseconds timeout = 600s)
      : isolation_(timeout),
        model(isolation_.add({"a", kModels, "gain"}, on_crash)),
        instance(model.description(), "a", static_cast<void*>(&model)) {}

  template <class T>
  T& value(const std::string& name) {
    return *static_cast<T*>(const_cast<Variable*>(instance.find_variable(name))->data);  // NOLINT
  }
  /// What the job answers.
  int call(const std::string& name, std::int64_t frame = 5) {
    for (std::size_t i = 0; i < instance.jobs().size(); ++i) {
      if (instance.jobs()[i].name != name) continue;
      const tactus_call call{frame * 1'000'000, frame, 0.001};
      return instance.jobs()[i].run(model.job(i), &call);
    }
    throw std::logic_error("no job " + name);
  }
  /// Kills its process, and waits until that is known.
  void kill() {
    ::kill(model.process().pid(), SIGKILL);
    while (!model.process().ended()) std::this_thread::sleep_for(1ms);
  }
  /// "its process (libmodels.so, pid 123)"
  std::string who() const {
    return "its process (libmodels.so, pid " + std::to_string(model.process().pid()) + ")";
  }

 private:
  Isolation isolation_;

 public:
  IsolatedModel& model;
  ModelInstance instance;
};

TEST(Isolation, AModelDeclaresWhatItDeclaresInTheRigsOwnProcess) {
  Isolated it;
  const ModelLibrary library(kModels);
  const ModelInstance here(*library.find("gain"), "a");
  ASSERT_EQ(it.instance.variables().size(), here.variables().size());
  for (std::size_t i = 0; i < here.variables().size(); ++i) {
    EXPECT_EQ(it.instance.variables()[i].name, here.variables()[i].name);
    EXPECT_EQ(it.instance.variables()[i].unit_text, here.variables()[i].unit_text);
    EXPECT_EQ(it.instance.variables()[i].count, here.variables()[i].count);
  }
  ASSERT_EQ(it.instance.jobs().size(), here.jobs().size());
  for (std::size_t i = 0; i < here.jobs().size(); ++i) {
    EXPECT_EQ(it.instance.jobs()[i].name, here.jobs()[i].name);
    EXPECT_EQ(it.instance.jobs()[i].job_class, here.jobs()[i].job_class);
    EXPECT_EQ(it.instance.jobs()[i].phase, here.jobs()[i].phase);
  }
}

TEST(Isolation, ACallTakesTheVariablesThereAndBack) {
  Isolated it;
  ASSERT_EQ(it.call("initialize", -1), 0);
  it.value<double>("k") = 3;
  it.value<double>("u") = 2;
  EXPECT_EQ(it.call("step"), 0);
  EXPECT_EQ(it.value<double>("y"), 6);
  it.value<double>("u") = -1;
  EXPECT_EQ(it.call("step", 6), 0);
  EXPECT_EQ(it.value<double>("y"), -3);
  EXPECT_FALSE(it.model.lost());
  EXPECT_GT(it.model.did(1).sum().answered.time_since_epoch(), 0ns);
}

/// The descriptor that wakes the watcher: both ends of a pipe in one. -1: there is none.
int find_wakes() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed_meanwhile;
    const std::string kind = std::filesystem::read_symlink(entry.path(), closed_meanwhile);
    const int number = std::stoi(entry.path().filename());
    if (kind.starts_with("pipe:") && (::fcntl(number, F_GETFL) & O_ACCMODE) == O_RDWR) return number;
  }
  return -1;
}

TEST(Isolation, AnotherFileUnderTheNumberOfTheOneThatWakesTheWatcherIsLeftAlone) {
  Isolated it;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);  // always readable, and the reading of it would be seen
  ASSERT_EQ(::write(ends[1], "theirs", 6), 6);
  const int wakes = find_wakes();
  ASSERT_GE(wakes, 0);
  ASSERT_EQ(::dup3(ends[0], wakes, O_CLOEXEC), wakes);
  it.kill();  // the watcher looks at its files
  while (find_wakes() < 0) std::this_thread::sleep_for(1ms);
  std::array<char, 8> kept{};
  EXPECT_EQ(::read(ends[0], kept.data(), kept.size()), 6);
  EXPECT_STREQ(kept.data(), "theirs");
  for (const int each : {wakes, ends[0], ends[1]}) (void)::close(each);
}

TEST(Isolation, AProcessThatIsKilledIsNamedWithItsJobAndItsFrame) {
  Isolated it(OnCrash::abort);
  it.kill();
  EXPECT_EQ(it.model.process().how(), it.who() + " was killed by SIGKILL");
  EXPECT_TRUE(it.model.process().crashed());
  EXPECT_FALSE(it.model.lost()) << "no call has found out";
  EXPECT_NE(it.call("step", 7), 0);
  EXPECT_EQ(it.instance.take_failure(), it.who() + " was killed by SIGKILL");
  EXPECT_TRUE(it.model.lost());
  EXPECT_TRUE(it.model.take_lost());
  EXPECT_FALSE(it.model.take_lost()) << "once";
  EXPECT_EQ(it.model.lost_job(), "step");
  EXPECT_EQ(it.model.lost_frame(), 7);
  EXPECT_THAT(it.model.take_log_lines(),
              ElementsAre("model 'a', job 'step', frame 7: " + it.who() +
                          " was killed by SIGKILL (on_crash: abort): the rig ends"));
  EXPECT_THAT(it.model.take_log_lines(), IsEmpty()) << "once";
  EXPECT_THAT(it.model.stays(), HasSubstr("it cannot go back to an earlier state"));
}

TEST(Isolation, WithReplaceItsVariablesKeepTheirLastValues) {
  Isolated it(OnCrash::replace);
  it.value<double>("k") = 3;
  it.value<double>("u") = 2;
  ASSERT_EQ(it.call("step"), 0);
  it.kill();
  it.value<double>("u") = 100;
  EXPECT_EQ(it.call("step", 6), 0);
  EXPECT_EQ(it.value<double>("y"), 6);
  EXPECT_THAT(
      it.model.take_log_lines(),
      ElementsAre(HasSubstr("its variables keep their last values, and its jobs are not called any more")));
  it.model.refuse_from_now();
  EXPECT_EQ(it.call("step", 7), 0) << "it goes on for good";
}

TEST(Isolation, WithFreezeTheRigEndsWhenItIsResumed) {
  for (const OnCrash policy : {OnCrash::freeze, OnCrash::safe_state}) {
    Isolated it(policy);
    it.kill();
    EXPECT_EQ(it.call("step", 6), 0) << "the rig freezes first";
    EXPECT_EQ(it.call("step", 7), 0);
    it.model.refuse_from_now();
    EXPECT_NE(it.call("step", 8), 0);
    EXPECT_THAT(it.instance.take_failure(), HasSubstr("was killed by SIGKILL"));
  }
}

TEST(Isolation, OutsideOfFramesALossEndsTheRigWhateverThePolicy) {
  Isolated it(OnCrash::replace);
  it.kill();
  EXPECT_NE(it.call("initialize", -1), 0) << "there are no last values yet";
  EXPECT_THAT(it.model.take_log_lines(),
              ElementsAre(AllOf(HasSubstr("job 'initialize': "), HasSubstr("the rig ends"))));
}

TEST(Isolation, BehindAFrameALossIsFoundOutToo) {
  Isolated it(OnCrash::abort);
  EXPECT_EQ(it.model.frame_ended(), nullptr);
  it.kill();
  EXPECT_STREQ(it.model.frame_ended(), (it.who() + " was killed by SIGKILL").c_str());
  EXPECT_EQ(it.model.lost_job(), "");
  Isolated goes_on(OnCrash::replace);
  goes_on.kill();
  EXPECT_EQ(goes_on.model.frame_ended(), nullptr);
  EXPECT_TRUE(goes_on.model.lost());
}

TEST(Isolation, AJobOfAnAsynchronousThreadAndTheEndOfAFrameDoNotDisturbEachOther) {
  Isolated it;
  ASSERT_EQ(it.call("initialize", -1), 0);
  it.value<double>("k") = 3;
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::thread frames([&] {
    while (!over.load())
      if (it.model.frame_ended() != nullptr) ++wrong;
  });
  for (int i = 0; i < 2000; ++i) {
    it.value<double>("u") = i;
    if (it.call("step", i) != 0 || it.value<double>("y") != 3 * i) ++wrong;
  }
  over.store(true);
  frames.join();
  EXPECT_EQ(wrong.load(), 0) << it.instance.take_failure();
  EXPECT_FALSE(it.model.lost());
}

TEST(Isolation, ACallThatLastsTooLongEndsTheProcess) {
  Isolated it(OnCrash::abort, 64ms);
  ASSERT_EQ(::kill(it.model.process().pid(), SIGSTOP), 0);  // it never comes back
  EXPECT_NE(it.call("step"), 0);
  EXPECT_EQ(it.instance.take_failure(),
            it.who() + " did not return in time (half of threads.stuck_after) and was killed");
}

TEST(Isolation, TheEndOfAProcessMayLastASecondWhateverAJobMayLast) {
  EXPECT_EQ(ModelProcess::most_looks(false, 1ms), 16);
  EXPECT_EQ(ModelProcess::most_looks(true, 1ms), 1000);
  EXPECT_EQ(ModelProcess::most_looks(true, 500ms), 16);
}

TEST(Isolation, WhatCannotBeMadeIsRefusedByName) {
  Isolation isolation(600s);
  const auto refusal = [&](const ModelOrigin& origin) -> std::optional<ModelRefused> {
    try {
      (void)isolation.add(origin, OnCrash::abort);
    } catch (const ModelRefused& refused) {
      return refused;
    }
    return std::nullopt;
  };
  const auto no_model = refusal({"a", kModels, "gian"});
  ASSERT_TRUE(no_model.has_value());
  EXPECT_EQ(no_model->kind, Letter::Kind::model_refused);
  EXPECT_THAT(no_model->what(), HasSubstr("library libmodels.so has no model 'gian'; did you mean 'gain'?"));
  const auto no_library = refusal({"a", TEST_LIBRARIES "/none.so", "gain"});
  ASSERT_TRUE(no_library.has_value());
  EXPECT_EQ(no_library->kind, Letter::Kind::library_refused);
  EXPECT_THAT(no_library->what(), HasSubstr("none.so"));
  const auto throws = refusal({"a", TEST_LIBRARIES "/libtrouble.so", "throws"});
  ASSERT_TRUE(throws.has_value());
  EXPECT_EQ(throws->kind, Letter::Kind::instance_refused);
  EXPECT_THAT(throws->what(), HasSubstr("the sensor is not calibrated"));
}

/// Finds programs and libraries in another folder first, as long as it lives.
class PluginsFirstIn {
 public:
  explicit PluginsFirstIn(const std::filesystem::path& folder) {
    const char* const now = std::getenv("TACTUS_PLUGIN_PATH");  // NOLINT(concurrency-mt-unsafe)
    if (now != nullptr) before_ = now;
    ::setenv("TACTUS_PLUGIN_PATH", (folder.string() + ":" + before_.value_or("")).c_str(), 1);
  }
  ~PluginsFirstIn() {
    before_ ? ::setenv("TACTUS_PLUGIN_PATH", before_->c_str(), 1) : ::unsetenv("TACTUS_PLUGIN_PATH");
  }
  PluginsFirstIn(const PluginsFirstIn&) = delete;
  PluginsFirstIn& operator=(const PluginsFirstIn&) = delete;

 private:
  std::optional<std::string> before_;
};

/// The head of a letter, for printf(1).
std::string head_of(Letter::Kind kind, std::size_t bytes) {
  const std::uint32_t head[2] = {static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(bytes)};
  std::string text;
  for (std::size_t i = 0; i < sizeof head; ++i) {
    char octal[8];
    (void)std::snprintf(octal, sizeof octal, "\\%03o", reinterpret_cast<const unsigned char*>(head)[i]);
    text += octal;
  }
  return text;
}

/// A tactus-model that is ready, whatever the rig's version of what they share, and says that its own is this one.
std::string model_of_version(const std::string& version) {
  const ModelLibrary library(kModels);
  const std::string declared = encode(ModelInstance(*library.find("gain"), "a"));
  rtsync::FakeRoot root;
  root.write("/declared", declared);
  root.write("/tactus-model", "#!/bin/sh\n{ printf '" + head_of(Letter::Kind::declared, declared.size()) +
                                  "'; cat '" + (root.path() / "declared").string() + "'; printf '" +
                                  head_of(Letter::Kind::ready, version.size()) + version +
                                  "'; } >&3\nexec sleep 1000\n");
  std::filesystem::permissions(root.path() / "tactus-model", std::filesystem::perms::owner_all);
  const PluginsFirstIn other(root.path());
  Isolation isolation(600s);
  try {
    (void)isolation.add({"a", kModels, "gain"}, OnCrash::abort);
  } catch (const ModelRefused& refused) {
    return refused.what();
  }
  return "";
}

TEST(Isolation, AProcessOfAnotherVersionIsRefused) {
  EXPECT_EQ(
      model_of_version("9 (640 bytes)"),
      "cannot be isolated: tactus calls it by way of a page of version " + call_page_version() +
          ", and tactus-model answers by way of one of version 9 (640 bytes); install both from the same "
          "package");
  EXPECT_THAT(model_of_version(""), HasSubstr("by way of one of version before 2; install"));
}

TEST(Isolation, ARigOfAnotherVersionIsRefusedByTheProcess) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const rtsync::Descriptor here(ends[0]);
  rtsync::Descriptor there(ends[1]);
  const rtsync::Descriptor memory(::memfd_create("test", MFD_CLOEXEC));
  std::filesystem::path program;
  for (const auto& folder : plugin_folders())
    if (program.empty() && std::filesystem::exists(folder / "tactus-model"))
      program = folder / "tactus-model";
  const pid_t process =
      rtsync::spawn({.program = program,
                     .words = {"tactus-model", "a", kModels, "gain", std::to_string(::getpid()), "model"},
                     .streams = true,
                     .descriptors = {{there.get(), kModelSocket}, {memory.get(), kModelMemory}},
                     .blocked = {},
                     .flags = 0},
                    [](const std::string& what, int) { throw std::runtime_error(what); });
  there = rtsync::Descriptor();
  std::optional<Letter> letter = receive_letter(here.get());
  while (letter && letter->kind == Letter::Kind::stage) letter = receive_letter(here.get());
  ASSERT_TRUE(letter && letter->kind == Letter::Kind::declared);
  ASSERT_TRUE(send_letter(here.get(), Letter::Kind::go, "1 (640 bytes)"));
  letter = receive_letter(here.get());
  ASSERT_TRUE(letter.has_value());
  EXPECT_EQ(letter->kind, Letter::Kind::instance_refused);
  EXPECT_THAT(letter->text, AllOf(HasSubstr("by way of a page of version 1 (640 bytes), and tactus-model "),
                                  HasSubstr("by way of one of version " + call_page_version())));
  int status = 0;
  EXPECT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

TEST(Isolation, AModelThatIsDestroyedEndsItsProcess) {
  pid_t pid = 0;
  {
    Isolated it;
    pid = it.model.process().pid();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_NE(::kill(pid, 0), 0) << "it was waited for";
}

}  // namespace
}  // namespace tactus::executive::isolation_threads_test
