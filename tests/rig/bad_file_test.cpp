// SPDX-License-Identifier: Apache-2.0
/// Rig files with mistakes: each gets `file:line:column: path: message` for every mistake, status 2, and at
/// once.
#include <regex>

#include "in_process.hpp"
#include "rig_command.hpp"

namespace tactus::test::bad_file_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Far more than it takes (a hundredth of a second): what is tested is that it ends.
constexpr auto kLimit = 20s;

const std::string kHead = "rig: bad\nframe: { period: 1 ms }\nuntil: 10 ms\n";  // 3 lines

/// Every line but the last is a problem in the format of the house.
void expect_problems(const Finished& done, const std::string& file, std::size_t problems) {
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_EQ(done.signal, 0) << done;
  EXPECT_EQ(done.out, "") << done;
  const std::regex format(file + R"(:[1-9]\d*:[1-9]\d*: .+)");
  std::vector<std::string> lines;
  for (std::size_t from = 0, end = 0; (end = done.err.find('\n', from)) != std::string::npos; from = end + 1)
    if (std::string line = done.err.substr(from, end - from); !line.starts_with("tactus: waiting for "))
      lines.push_back(std::move(line));  // a slow machine names what takes long
  ASSERT_EQ(lines.size(), problems + 1) << done;
  for (std::size_t i = 0; i < problems; ++i) {
    EXPECT_TRUE(std::regex_match(lines[i], format)) << lines[i];
    EXPECT_LT(lines[i].size(), 1000U);
  }
  EXPECT_EQ(lines.back(), problems == 1 ? "1 problem; nothing was started."
                                        : std::to_string(problems) + " problems; nothing was started.");
}

struct Bad {
  const char* name;
  std::string text;
  const char* says;  ///< with its place, where that matters
  std::size_t fill =
      0;            ///< so many bytes more behind the text, made when they are needed: each test's process
  char with = 'x';  ///< begins by making these rows
};
void PrintTo(const Bad& row, std::ostream* out) { *out << row.name; }

class BadFile : public ::testing::TestWithParam<Bad> {};

TEST_P(BadFile, GetsOneCleanMessageFromRunAndFromCheck) {
  const TempDir dir;
  (void)dir.write("bad.yaml", GetParam().text + std::string(GetParam().fill, GetParam().with));
  for (const Arguments& arguments :
       {Arguments{"run", "bad.yaml", "--no-realtime"}, Arguments{"check", "bad.yaml"}}) {
    const Finished done = run_in_process(tactus(arguments, dir.path()));
    expect_problems(done, "bad\\.yaml", 1);
    EXPECT_NE(done.err.find(GetParam().says), std::string::npos) << done;
    EXPECT_FALSE(fs::exists(dir / "runs"));
  }
}

std::string load(const std::string& rest) {
  return kHead + "models:\n  load: { model: late, library: test_load" + rest + " }\n";
}

std::string two_threads() {
  return kHead +
         "models:\n  a: { model: dc_servo, library: servo }\n"
         "  b: { model: cascaded_pi, library: controller, thread: io }\n"
         "threads: { workers: { io: {} } }\n";
}

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadFile,
    ::testing::Values(
        Bad{"empty", "", "bad.yaml:1:1: is empty"}, Bad{"only_blanks", "  \n\n", "is empty"},
        Bad{"a_list", "- rig\n", "map"}, Bad{"no_name", "frame: { period: 1 ms }\n", "'rig'"},
        Bad{"duplicate_key", kHead + "until: 1 s\n",
            "bad.yaml:4:1: until: the same key twice: 'until'; first at 3:1"},
        Bad{"unknown_key", kHead + "realtme: { enabled: yes }\n",
            "bad.yaml:4:1: realtme: unknown key; did you mean 'realtime'?"},
        Bad{"two_models_of_one_name", load("") + "  load: { model: misbehave, library: test_load }\n",
            "bad.yaml:6:3: models.load: two models named 'load'; first at 5:3"},
        Bad{"missing_library", kHead + "models:\n  m: { model: late, library: nowhere }\n",
            "bad.yaml:5:30: models.m.library: no library 'nowhere'; looked for "},
        Bad{"missing_library_file", kHead + "models:\n  m: { model: late, library: ./nowhere.so }\n",
            "models.m.library: no file '"},
        Bad{"no_library_at_all", kHead + "models:\n  m: { model: late, library: ./bad.yaml }\n",
            "models.m.library: cannot load the library"},
        Bad{"unknown_model", kHead + "models:\n  m: { model: lat, library: test_load }\n",
            "did you mean 'late'?"},
        Bad{"unknown_job", load(", jobs: { stp: { cycle: 1 ms } }"), "did you mean 'step'?"},
        Bad{"unknown_parameter", load(", parameters: { bussy: 1 ms }"), "did you mean 'busy'?"},
        Bad{"an_output_is_set", load(", parameters: { burnt: 1 ms }"), "is an output"},
        Bad{"bare_number", "rig: bad\nframe: { period: 1 }\n",
            "bad.yaml:2:18: frame.period: '1' has no unit; write for example '1 ms'"},
        Bad{"frame_too_short", "rig: bad\nframe: { period: 1 ns }\n", "bad.yaml:2:18: frame.period"},
        Bad{"loop_without_delay",
            kHead +
                "models:\n  a: { model: dc_servo, library: servo }\n"
                "  b: { model: cascaded_pi, library: controller }\n"
                "connect:\n  - { from: a.current, to: b.current }\n  - { from: b.voltage, to: a.voltage }\n",
            "closes a loop without delay: a -> b -> a"},
        Bad{"a_model_feeds_itself",
            kHead + "models:\n  a: { model: dc_servo, library: servo }\n"
                    "connect:\n  - { from: a.angle, to: a.load_torque }\n",
            "connect[0]"},
        Bad{"cycle_too_short", load(", jobs: { step: { cycle: 1/9223372036854775807 ms } }"),
            "models.load.jobs.step.cycle"},
        Bad{"cycle_not_representable", load(", jobs: { step: { cycle: 1000000000 h } }"), "292 years"},
        Bad{"cycles_without_common_time",
            kHead + "models:\n  a: { model: late, library: test_load, jobs: { step: { cycle: "
                    "1000000007/1000000009 ms } } }\n"
                    "  b: { model: late, library: test_load, jobs: { step: { cycle: 998244353/1000000021 ms "
                    "} } }\n",
            "common"},
        Bad{"invalid_utf8", "rig: \xff\xfe\nframe: { period: 1 ms }\n",
            "bad.yaml:1:6: the byte 0xff is not UTF-8"},
        Bad{"utf16", std::string("\xff\xfer\0i\0g\0", 8), "bad.yaml:1:1"},
        Bad{"zero_bytes", std::string("rig: a\0b\n", 9), "bad.yaml:1:7"},
        Bad{"nested_500_deep_in_lists", "rig: " + times(500, "[") + times(500, "]") + "\n", "nested deeper"},
        Bad{"nested_500_deep_in_maps", kHead + "models: " + times(500, "{a: ") + "1" + times(500, "}") + "\n",
            "nested deeper"},
        Bad{"a_million_brackets", "rig: ", "bad.yaml:1:", 1'000'000, '['},
        Bad{"fifty_megabytes", "rig: bad\n#", "bytes; at most", 50'000'000, 'x'},
        Bad{"aliases_that_multiply",
            [] {
              std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
              for (int i = 1; i < 12; ++i) {
                const std::string before = "*a" + std::to_string(i - 1);
                text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before +
                        times(9, "," + before) + "]\n";
              }
              return text + "rig: *a11\n";
            }(),
            "aliases"},
        Bad{"unknown_anchor", "rig: *name\n", "anchor is not defined"}, Bad{"unclosed", "{{{", "bad.yaml:1:"},
        Bad{"tab", "rig: bad\n\tframe: 1\n", "tab"},
        Bad{"two_documents", kHead + "---\n" + kHead, "second document"},
        Bad{"a_name_that_is_a_path", "rig: ../../etc\nframe: { period: 1 ms }\n", "bad.yaml:1:6: rig:"},
        Bad{"a_recording_that_is_a_path", load("") + "record: { ../x: { variables: [load.burnt] } }\n",
            "../x"},
        Bad{"a_recording_of_nothing", load("") + "record: { r: { variables: [load.burned] } }\n",
            "load.burned"},
        Bad{"the_frame_logs_own_name",
            load("") + "realtime: { enabled: yes }\nrecord: { frames: { variables: [load.burnt] } }\n",
            "'frames' is the name of the frame log"},
        Bad{"an_unknown_driver", load("") + "record: { r: { driver: cvs, variables: [load.burnt] } }\n",
            "cvs"},
        Bad{"priority_out_of_range", kHead + "threads: { main: { priority: 120 } }\n",
            "120 is outside 1 .. 98"},
        Bad{"an_unknown_thread", load(", thread: elsewhere"),
            "bad.yaml:5:52: models.load.thread: there is no thread 'elsewhere'"},
        Bad{"a_thread_without_a_job", load("") + "threads: { workers: { idle: {} } }\n",
            "bad.yaml:6:29: threads.workers.idle: thread 'idle' has no job; put a model on it"},
        Bad{"a_thread_that_must_finish_without_a_period",
            load(", thread: io") + "threads: { workers: { io: { kind: asynchronous_must_finish } } }\n",
            "bad.yaml:6:27: threads.workers.io: missing key 'period'"},
        Bad{"a_period_of_half_a_frame",
            load(", thread: io") + "threads: { workers: { io: { kind: asynchronous, period: 500 us } } }\n",
            "threads.workers.io: period 500 us is not a whole number of frames of 1 ms; write for example 1 "
            "ms"},
        Bad{"a_wire_between_threads_that_says_nothing",
            two_threads() + "connect:\n  - { from: a.current, to: b.current }\n",
            "bad.yaml:9:5: connect[0]: 'a.step' (thread main) and 'b.outer' (thread 'io') run at the same "
            "time; add "
            "'direct: yes'"},
        Bad{"a_wire_that_is_direct_and_delayed",
            two_threads() + "connect:\n  - { from: a.current, to: b.current, direct: yes, delayed: yes }\n",
            "connect[0]: 'direct' and 'delayed' exclude each other"},
        Bad{"a_job_that_waits_for_a_later_one",
            kHead + "models:\n  a: { model: dc_servo, library: servo, jobs: { step: { depends_on: [b.outer] "
                    "} } }\n"
                    "  b: { model: cascaded_pi, library: controller }\n",
            "bad.yaml:5:70: models.a.jobs.step.depends_on[0]: 'b.outer' (class controller"},
        Bad{"a_loop_of_nothing_to_integrate", load("") + "integrate: { l: { models: [load] } }\n",
            "bad.yaml:6:28: integrate.l.models[0]: model 'load' has neither continuous states nor jobs"},
        Bad{"a_command_with_anothers_key", kHead + "commands: [{ at: 1 s, do: stop, frames: 3 }]\n",
            "bad.yaml:4:41: commands[0].frames: 'frames' has no place here: it belongs to 'do: step'"},
        Bad{"a_command_to_no_job", load("") + "commands: [{ at: 1 s, do: enable, job: load.stp }]\n",
            "there is no job 'load.stp'; did you mean 'load.step'?"},
        Bad{"a_checkpoint_that_is_a_path", kHead + "commands: [{ at: 1 s, do: checkpoint, file: ../x }]\n",
            "bad.yaml:4:45: commands[0].file: "}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(BadFiles, AllProblemsInOneGo) {
  const TempDir dir;
  (void)dir.write("bad.yaml",
                  "rig: b b\nframe: { period: 1 }\nuntil: never\n"
                  "realtime: { sleeper: nanoslep, max_overrun: -1 s }\nthreads: { main: { priority: 120 } }\n"
                  "models:\n  a: { model: x }\n");
  const Finished done = run(tactus({"run", "bad.yaml", "--no-realtime"}, dir.path()), kLimit);
  expect_problems(done, "bad\\.yaml", 7);
  for (const char* place :
       {":1:6: rig:", ":2:18: frame.period:", ":3:8: until:", ":4:22: realtime.sleeper:",
        ":4:45: realtime.max_overrun:", ":5:30: threads.main.priority:", ": models.a: missing key"})
    EXPECT_NE(done.err.find(place), std::string::npos) << place << done;
}

TEST(BadFiles, ProblemsOfModelsWiresAndRecordingsComeTogether) {
  const TempDir dir;
  (void)dir.write("bad.yaml",
                  kHead +
                      "models:\n  a: { model: dc_servo, library: servo, parameters: { supply: 24 A } }\n"
                      "  b: { model: encodr, library: servo }\n"
                      "connect:\n  - { from: a.angel, to: a.voltage }\n"
                      "record:\n  r: { variables: [a.angl] }\n");
  const Finished done = run(tactus({"check", "bad.yaml"}, dir.path()), kLimit);
  expect_problems(done, "bad\\.yaml", 4);
  for (const char* place : {":5:", ":6:", ":8:", ":10:"})
    EXPECT_NE(done.err.find(std::string("bad.yaml") + place), std::string::npos) << place << done;
}

TEST(BadFiles, DegreesAreNotRadians) {
  const TempDir dir;
  (void)dir.write("bad.yaml", kHead +
                                  "models:\n  a: { model: dc_servo, library: servo }\n"
                                  "  b: { model: encoder, library: servo }\n"
                                  "connect:\n  - { from: a.current, to: b.shaft_angle }\n");
  const Finished done = run(tactus({"check", "bad.yaml"}, dir.path()), kLimit);
  expect_problems(done, "bad\\.yaml", 1);
  EXPECT_NE(done.err.find("'A'"), std::string::npos) << done;
  EXPECT_NE(done.err.find("'rad'"), std::string::npos) << done;
}

}  // namespace
}  // namespace tactus::test::bad_file_test
