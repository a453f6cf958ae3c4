// SPDX-License-Identifier: Apache-2.0
/// A job of every class, on every kind of thread, breaks a rule in every way: the end is the one that is
/// declared, the job is named, the outputs are safe, and what was recorded can be read.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <thread>

#include "drivers/tape.hpp"
#include "rig_command.hpp"

namespace tactus::test::fault_matrix_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr double kSafe = -42;

enum class On { main, scheduled, must_finish, periodic, free_running };

const char* name_of(On on) {
  switch (on) {
    case On::main:
      return "main";
    case On::scheduled:
      return "scheduled";
    case On::must_finish:
      return "must_finish";
    case On::periodic:
      return "periodic";
    case On::free_running:
      return "free_running";
  }
  return "";
}

void PrintTo(On on, std::ostream* out) { *out << name_of(on); }

const Arguments kIntegration{"pre_integration", "derivative", "integration", "post_integration"};
const Arguments kCyclic{
    "environment", "sensor",   "sensor_emitter",   "sensor_reflector",  "sensor_receiver", "scheduled",
    "controller",  "effector", "effector_emitter", "effector_receiver", "logging",         "data_record"};
const Arguments kEndsOfFrame{"top_of_frame", "end_of_frame"};
const Arguments kFreeze{"freeze_init", "freeze_scheduled", "freeze_automatic", "freeze", "unfreeze"};
const Arguments kCheckpoint{"checkpoint", "post_checkpoint"};
const Arguments kLoading{"preload_checkpoint", "restart"};
const Arguments kOutside{"default_data", "initialization", "shutdown"};

bool holds(const Arguments& list, const std::string& job_class) {
  return std::find(list.begin(), list.end(), job_class) != list.end();
}

/// The classes whose jobs run on such a thread.
Arguments classes_on(On on) {
  switch (on) {
    case On::main:
      return kCyclic + kIntegration + kEndsOfFrame + kFreeze + kCheckpoint + kLoading + kOutside;
    case On::scheduled:
      return kCyclic + kIntegration;
    case On::must_finish:
    case On::periodic:
      return kCyclic + kIntegration + kEndsOfFrame;
    case On::free_running:
      return kCyclic + kEndsOfFrame;
  }
  return {};
}

/// One row: its rig, running; and what became of it.
class Row {
 public:
  Row(On on, const std::string& job_class, const std::string& how, bool plain_user = false,
      const Arguments& more = {})
      : on_(on), class_(job_class), model_(job_class == "default_data" ? "default_data_" + how : "wrong") {
    dir_.write("rig.yaml", rig(how));
    Command command = tactus(
        Arguments{"run", "rig.yaml", "--no-realtime", "--drive-outputs", "--out", "out"} + more, dir_.path());
    command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
    if (plain_user) {
      std::string why;
      const std::optional<Command> dropped = without_privileges(command, dir_, why);
      if (!dropped) throw std::runtime_error(why);
      command = *dropped;
    }
    process_ = std::make_unique<Process>(command);
  }

  Process& process() { return *process_; }
  const Finished& wait() { return process_->wait(); }
  fs::path folder() const { return dir_ / "out"; }
  /// Its output stands at its safe value.
  bool has_tape() const {
    std::error_code error;
    return fs::file_size(dir_ / "tape", error) >= sizeof(Tape) && !error;
  }
  /// What comes before its job is over; `behind_frames`: the frames are, too.
  bool may_hang(bool behind_frames) const {
    if (!has_tape()) return false;
    const Output output = read_output();
    return !(behind_frames || class_ == "shutdown") || (output.writes > 0 && output.value == kSafe);
  }
  std::string job() const { return model_ + "." + class_; }
  std::string thread() const { return on_ == On::main ? "main" : "side"; }
  bool in_frames() const { return !holds(kOutside, class_); }

  /// A frame's records may be missing that was broken off, and a line torn by a crash; what is there is
  /// right.
  void expect_recordings_readable(bool whole) const {
    if (!fs::exists(folder() / "wrong.csv")) {
      EXPECT_FALSE(in_frames() && whole);
      return;
    }
    const Table table = read_table(folder() / "wrong.csv");
    if (whole) {
      EXPECT_EQ(table.torn, "");
      EXPECT_TRUE(!in_frames() || !table.rows.empty());
    }
    for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.header.size());
  }
  /// Driven safe at the end; `driven`: and by frames before.
  void expect_outputs_safe(bool driven = true) const {
    const Output output = read_output();
    EXPECT_EQ(output.value, kSafe);
    EXPECT_GE(output.times_safe, 1);
    if (in_frames() && driven) {
      EXPECT_GE(output.writes, 1) << "it never drove anything";
    }
  }
  void expect_outputs_stand_safe() const { EXPECT_EQ(read_output().value, kSafe); }
  /// outcome and reason of summary.json.
  void expect_end(const std::string& outcome, const Arguments& reasons) {
    const Finished& done = wait();
    EXPECT_EQ(done.status, outcome == "completed" ? 0 : 1) << done;
    const Json summary = summary_of(folder());
    EXPECT_EQ(summary.value("outcome", ""), outcome) << done;
    EXPECT_EQ(summary.value("exit_status", -1), outcome == "completed" ? 0 : 1);
    const std::string reason = summary.value("reason", "");
    for (const std::string& part : reasons) {
      EXPECT_NE(reason.find(part), std::string::npos) << "'" << part << "' in: " << reason;
      EXPECT_NE((done.out + done.err).find(part), std::string::npos) << done;  // a person reads it too
    }
  }

 private:
  struct Output {
    double value;
    std::int64_t times_safe;
    std::int64_t writes;
  };
  Output read_output() const {
    const int file = ::open((dir_ / "tape").c_str(), O_RDONLY | O_CLOEXEC);
    void* const memory = ::mmap(nullptr, sizeof(Tape), PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) {
      ADD_FAILURE() << "there is no tape";
      return {};
    }
    const Tape& tape = *static_cast<const Tape*>(memory);
    const Output output{tape.value, tape.times_safe, tape.writes};
    ::munmap(memory, sizeof(Tape));
    return output;
  }
  std::string rig(const std::string& how) const {
    const bool loop = holds(kIntegration, class_);
    const bool asynchronous = on_ != On::main && on_ != On::scheduled;
    // The first call of a derivative job is that of the initialization, and a pass has five.
    const char* at_call = class_ == "derivative" ? "12" : "5";
    if (holds(kFreeze + kCheckpoint + kLoading + kOutside, class_)) at_call = "0";
    if (asynchronous) at_call = class_ == "derivative" ? "1" : "0";  // who can say how often it is called
    const char* const kind = on_ == On::scheduled     ? "scheduled"
                             : on_ == On::must_finish ? "asynchronous_must_finish, period: 3 ms"
                             : on_ == On::periodic    ? "asynchronous, period: 3 ms"
                                                      : "asynchronous";
    const char* const kModel = loop                                      ? "fault_loop"
                               : on_ == On::main || on_ == On::scheduled ? "fault"
                                                                         : "fault_beside";
    std::string text =
        "rig: fault\n"
        "frame: { period: 1 ms }\n"
        "until: 60 ms\n"
        "realtime: { freeze_frame: 1 ms }\n"
        "memory: { lock: no, heap: 0 B }\n"
        "threads:\n"
        "  main: { policy: other }\n"
        "  stuck_after: " +
        std::string(how == "hang" ? "200 ms" : "30 s") + "\n";
    if (on_ != On::main) text += std::string("  workers: { side: { policy: other, kind: ") + kind + " } }\n";
    text += "models:\n  " + model_ + ":\n    model: " + kModel + "\n    library: test_load\n" +
            (on_ == On::main ? "" : "    thread: side\n") +
            (model_ == "wrong"
                 ? "    parameters: { in: " + class_ + ", how: " + how + ", at_call: " + at_call + " }\n"
                 : "") +
            "  drive: { driver: tape, file: tape, safe: -42, parameters: { value: 7 } }\n"
            "record: { wrong: { variables: [" +
            model_ + ".calls] } }\n";
    if (loop) text += "integrate: { plant: { models: [" + model_ + "], method: rk4 } }\n";
    if (holds(kFreeze, class_)) text += "commands: [{ at: 20 ms, do: pause, for: 10 ms }]\n";
    if (holds(kCheckpoint, class_)) text += "commands: [{ at: 20 ms, do: checkpoint }]\n";
    if (holds(kLoading, class_)) text += "commands: [{ at: 20 ms, do: reset }]\n";
    return text;
  }

  const On on_;
  const std::string class_;
  const std::string model_;
  TempDir dir_;
  std::unique_ptr<Process> process_;
};

/// Rows side by side: most of their time goes by waiting.
template <class Check>
void each_class(On on, const std::string& how, const Arguments& classes, Check check,
                bool plain_user = false) {
  constexpr std::size_t kAtOnce = 4;
  for (std::size_t first = 0; first < classes.size(); first += kAtOnce) {
    std::vector<std::pair<std::string, std::unique_ptr<Row>>> rows;
    for (std::size_t i = first; i < std::min(first + kAtOnce, classes.size()); ++i)
      rows.emplace_back(classes[i], std::make_unique<Row>(on, classes[i], how, plain_user));
    for (const auto& [job_class, row] : rows) {
      SCOPED_TRACE(how + " in " + job_class + " on " + name_of(on));
      check(*row, job_class);
    }
  }
}

Arguments without(Arguments classes, const Arguments& which) {
  std::erase_if(classes, [&](const std::string& each) { return holds(which, each); });
  return classes;
}

/// A sanitizer sees nothing new in what ends a rig in the same way as a throw, a NaN or a segmentation fault does.
bool is_left_to_the_night() { return kSanitized && !by_night(); }

/// The cyclic classes are called in one way, those of integration in another: two of each stand for all, and under a
/// sanitizer, by day, one of each.
Arguments one_of_each_path(On on) {
  const Arguments left =
      is_left_to_the_night()
          ? without(classes_on(on),
                    {"controller", "post_integration", "end_of_frame", "freeze_init", "freeze_scheduled",
                     "freeze_automatic", "unfreeze", "checkpoint", "preload_checkpoint", "default_data"})
          : classes_on(on);
  return without(left, {"environment", "sensor", "sensor_emitter", "sensor_reflector", "sensor_receiver",
                        "effector", "effector_emitter", "effector_receiver", "logging", "data_record",
                        "pre_integration", "integration"});
}

/// By night each class; by day those that are called in a way of their own.
Arguments tried_on(On on) { return by_night() && !kSanitized ? classes_on(on) : one_of_each_path(on); }

class FaultMatrix : public ::testing::TestWithParam<On> {};
std::string place_of(const ::testing::TestParamInfo<On>& one) { return name_of(one.param); }
INSTANTIATE_TEST_SUITE_P(On, FaultMatrix, ::testing::Values(On::scheduled, On::free_running), place_of);
INSTANTIATE_TEST_SUITE_P(OnNightly, FaultMatrix, ::testing::Values(On::main, On::must_finish, On::periodic),
                         place_of);

using FaultMatrixNightly = FaultMatrix;
INSTANTIATE_TEST_SUITE_P(On, FaultMatrixNightly,
                         ::testing::Values(On::main, On::scheduled, On::must_finish, On::periodic,
                                           On::free_running),
                         place_of);

void expect_failure(Row& row, const Arguments& reasons) {
  row.expect_end("failed", reasons);
  row.expect_recordings_readable(true);
  row.expect_outputs_safe();
}

void fail_in_words(On on, const char* how, const char* words, const Arguments& classes) {
  each_class(on, how, classes, [&](Row& row, const std::string& job_class) {
    expect_failure(row, {"job '" + row.job() + "' (" + job_class + ")", words});
  });
}

TEST_P(FaultMatrix, AThrowIsAFailureInItsOwnWords) {
  fail_in_words(GetParam(), "throw", "thrown on purpose", tried_on(GetParam()));
}

TEST_P(FaultMatrixNightly, ANonZeroReturnIsAFailureInItsOwnWords) {
  if (is_left_to_the_night()) GTEST_SKIP() << "ends as a throw does";
  fail_in_words(GetParam(), "fail", "failed on purpose", one_of_each_path(GetParam()));
}

void leave_a_bad_value(On on, const char* how, const char* words) {
  // What default_data leaves is looked at when the parameters are set and initialization has run.
  each_class(on, how, without(tried_on(on), kOutside), [&](Row& row, const std::string& job_class) {
    // The jobs of an integration loop are looked at together, at the end of its pass.
    const std::string job = holds(kIntegration, job_class) ? "integrate.plant" : row.job();
    expect_failure(row, {"job '" + job + "'", words});
  });
  if (on != On::main) return;
  each_class(on, how, {"initialization", "shutdown"}, [&](Row& row, const std::string&) {
    expect_failure(row, {"job '" + row.job() + "'", words});
  });
  each_class(on, how, {"default_data"}, [&](Row& row, const std::string&) {
    expect_failure(row, {std::string("default_data_") + how, std::string(words).substr(5)});
  });
}

TEST_P(FaultMatrixNightly, NotANumberIsAFailureThatNamesTheVariable) {
  leave_a_bad_value(GetParam(), "nan", "wrong.value is nan");
}

TEST_P(FaultMatrixNightly, AValueOutsideOfItsRangeIsAFailureThatNamesTheVariable) {
  if (is_left_to_the_night()) GTEST_SKIP() << "ends as a NaN does";
  leave_a_bad_value(GetParam(), "range", "wrong.share = 1.5 is outside 0 .. 1");
}

void crash(On on, const char* how, int signal, const Arguments& classes) {
  each_class(on, how, classes, [&](Row& row, const std::string&) {
    const Finished& done = row.wait();
    if (!kSanitized) {
      EXPECT_EQ(done.signal, signal) << done;
    }
    EXPECT_NE(done.status, 0);
    EXPECT_NE(done.err.find("while job '" + row.job() + "' ran; the outputs were driven safe"),
              std::string::npos)
        << done;
    row.expect_recordings_readable(false);
    row.expect_outputs_safe(on == On::main || on == On::scheduled);  // the others may be faster than a frame
  });
}

TEST_P(FaultMatrix, ASegmentationFaultNamesTheJob) {
  crash(GetParam(), "segv", SIGSEGV, tried_on(GetParam()));
}
TEST_P(FaultMatrixNightly, ADivisionByZeroNamesTheJob) {
  if (is_left_to_the_night()) GTEST_SKIP() << "ends as a segmentation fault does";
  crash(GetParam(), "fpe", SIGFPE, one_of_each_path(GetParam()));
}
TEST_P(FaultMatrixNightly, AnAbortNamesTheJob) {
  if (is_left_to_the_night()) GTEST_SKIP() << "ends as a segmentation fault does";
  crash(GetParam(), "abort", SIGABRT, one_of_each_path(GetParam()));
}

/// "is stuck", or on a machine where others have the CPU all the time "had no CPU".
void expect_stuck(Row& row) {
  row.expect_end("aborted", {"thread '" + row.thread() + "' ", " in job '" + row.job() + "'"});
}

TEST_P(FaultMatrix, AJobThatNeverReturnsIsFoundAndNamed) {
  const On on = GetParam();
  each_class(on, "hang", without(tried_on(on), kOutside), [&](Row& row, const std::string&) {
    expect_stuck(row);
    EXPECT_FALSE(row.wait().timed_out);
    row.expect_recordings_readable(true);
    row.expect_outputs_safe();
  });
}

TEST_P(FaultMatrixNightly, IsTheSameWithoutPrivileges) {
  if (!is_root()) GTEST_SKIP() << "that is how all the other tests run";
  const On on = GetParam();
  {
    const TempDir dir;
    std::string why;
    if (!without_privileges(tactus({"--version"}, dir.path()), dir, why)) GTEST_SKIP() << why;
  }
  each_class(
      on, "throw", {"scheduled"},
      [](Row& row, const std::string&) {
        expect_failure(row, {"job 'wrong.scheduled'", "thrown on purpose"});
      },
      true);
  each_class(
      on, "segv", {"scheduled"},
      [](Row& row, const std::string&) {
        if (!kSanitized) {
          EXPECT_EQ(row.wait().signal, SIGSEGV) << row.wait();
        }
        EXPECT_NE(row.wait().status, 0);
        row.expect_outputs_safe(false);
      },
      true);
  each_class(
      on, "hang", {"scheduled"},
      [](Row& row, const std::string&) {
        expect_stuck(row);
        row.expect_outputs_safe();
      },
      true);
}

// Before the first frame and after the last a job may take its time: who waits for it decides, with two
// Ctrl-C.
void for_a_person_to_end(const std::vector<std::unique_ptr<Row>>& rows, bool behind_frames = false) {
  for (const auto& row : rows) ASSERT_TRUE(wait_for_text(row->folder() / "rig.yaml", "rig: fault"));
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  for (const auto& row : rows)
    while (!row->may_hang(behind_frames) && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(10ms);
  // Five times stuck_after of CPU: a wait of one second is no sign that a slow machine came as far as the job.
  std::vector<std::chrono::milliseconds> used;
  for (const auto& row : rows) used.push_back(cpu_time_of(row->process()).value_or(0ms));
  for (std::size_t i = 0; i < rows.size(); ++i)
    ASSERT_TRUE(wait_for_cpu_time(rows[i]->process(), used[i] + 1s)) << rows[i]->job();
  for (const auto& row : rows) {
    SCOPED_TRACE(row->job());
    EXPECT_EQ(::kill(row->process().pid(), 0), 0) << "somebody has lost timeout";
    row->expect_outputs_stand_safe();
    row->process().signal(SIGINT);
  }
  for (const auto& row : rows) EXPECT_TRUE(wait_until_heard(row->process(), SIGINT)) << row->job();
  std::this_thread::sleep_for(200ms);
  for (const auto& row : rows) row->process().signal(SIGINT);
  for (const auto& row : rows) {
    SCOPED_TRACE(row->job());
    row->expect_end("aborted", {"job '" + row->job() + "' did not return"});
    EXPECT_FALSE(row->wait().timed_out);
    row->expect_recordings_readable(false);
    row->expect_outputs_safe(false);
  }
}

TEST(FaultMatrixNightly, BesideTheFramesAJobThatNeverReturnsIsForAPersonToEnd) {
  std::vector<std::unique_ptr<Row>> rows;
  for (const std::string& job_class : kOutside)
    rows.push_back(std::make_unique<Row>(On::main, job_class, "hang"));
  for_a_person_to_end(rows);
}

const Arguments kAtTheEnd{"--set", "commands=[]", "--set", "checkpoint.at_end=yes"};

TEST(FaultMatrixNightly, AJobOfTheLastCheckpointThatFailsFailsTheRun) {
  for (const std::string& job_class : kCheckpoint) {
    SCOPED_TRACE(job_class);
    Row row(On::main, job_class, "throw", false, kAtTheEnd);
    row.expect_end("failed", {"job '" + row.job() + "'", "thrown on purpose"});
    row.expect_recordings_readable(true);
    row.expect_outputs_safe();
  }
}

TEST(FaultMatrixNightly, AJobOfTheLastCheckpointThatNeverReturnsIsForAPersonToEnd) {
  std::vector<std::unique_ptr<Row>> rows;
  for (const std::string& job_class : kCheckpoint)
    rows.push_back(std::make_unique<Row>(On::main, job_class, "hang", false, kAtTheEnd));
  for_a_person_to_end(rows, true);
}

const Arguments kAfterAReset{"--set", "commands=[{ at: 20 ms, do: reset }]", "--set",
                             "models.wrong.parameters.at_call=1"};

TEST(FaultMatrixNightly, AnInitializationAfterAResetThatFailsIsNamed) {
  Row row(On::main, "initialization", "throw", false, kAfterAReset);
  const Finished& done = row.wait();
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(row.folder());
  EXPECT_EQ(summary["outcome"], "failed");
  EXPECT_EQ(summary["frames"]["run"], 20);
  EXPECT_NE(
      summary["reason"].get<std::string>().find("job '" + row.job() + "' (initialization) failed: thrown"),
      std::string::npos)
      << summary["reason"];
  row.expect_recordings_readable(true);
  row.expect_outputs_safe();
}

TEST(FaultMatrixNightly, AnInitializationAfterAResetThatNeverReturnsIsForAPersonToEnd) {
  std::vector<std::unique_ptr<Row>> rows;
  rows.push_back(std::make_unique<Row>(On::main, "initialization", "hang", false, kAfterAReset));
  for_a_person_to_end(rows, true);
}

/// A rig that goes on from a checkpoint in which a loading job does this: parameters are in it, too.
std::unique_ptr<Row> loading(const std::string& job_class, const std::string& how, const TempDir& dir) {
  const std::string file = (dir / (job_class + how + ".tck")).string();
  Row before(On::main, job_class, how, false,
             {"--set", "commands=[{ at: 20 ms, do: checkpoint, file: c.tck }]"});
  EXPECT_EQ(before.wait().status, 0) << before.wait();
  fs::copy_file(before.folder() / "checkpoints/c.tck", file);
  return std::make_unique<Row>(On::main, job_class, how, false,
                               Arguments{"--set", "commands=[]", "--from", file});
}

TEST(FaultMatrixNightly, WhatLoadsACheckpointAtTheStartFailsBeforeTheFirstFrame) {
  const TempDir dir;
  for (const std::string& job_class : kLoading) {
    for (const auto& [how, words] : {std::pair("throw", "failed: thrown on purpose"),
                                     std::pair("nan", "left a bad value: wrong.value is nan")}) {
      SCOPED_TRACE(how + std::string(" in ") + job_class);
      const std::unique_ptr<Row> row = loading(job_class, how, dir);
      row->expect_end("failed", {"job '" + row->job() + "' (" + job_class + ") " + words});
      EXPECT_EQ(summary_of(row->folder())["frames"]["run"], 0);
      row->expect_outputs_safe(false);
    }
    SCOPED_TRACE("segv in " + job_class);
    const std::unique_ptr<Row> row = loading(job_class, "segv", dir);
    EXPECT_NE(row->wait().status, 0);
    EXPECT_NE(row->wait().err.find("while job '" + row->job() + "' ran; the outputs were driven safe"),
              std::string::npos)
        << row->wait();
    row->expect_outputs_safe(false);
  }
}

TEST(FaultMatrixNightly, WhatLoadsACheckpointAtTheStartAndNeverReturnsIsForAPersonToEnd) {
  const TempDir dir;
  std::vector<std::unique_ptr<Row>> rows;
  for (const std::string& job_class : kLoading) rows.push_back(loading(job_class, "hang", dir));
  for_a_person_to_end(rows);
}

}  // namespace
}  // namespace tactus::test::fault_matrix_test
