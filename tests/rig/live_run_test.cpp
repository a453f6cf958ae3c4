// SPDX-License-Identifier: Apache-2.0
// A rig whose control port is used while it runs: what the frames feel of it.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "rig_command.hpp"
#include "tests/drivers/live/http/support/http_client.hpp"

namespace tactus::test::live_run_test {
namespace {

using namespace std::chrono_literals;

Command live_rig(const Arguments& more, const TempDir& dir) {
  return run_rig("servo", Arguments{"--live", "unix:live.sock", "--out", "out"} + more, dir.path());
}

/// Clients that watch and write as fast as they are served, until they are told to end.
class Clients {
 public:
  explicit Clients(const TempDir& dir) {
    const std::string path = (dir / "out/live.sock").string();
    for (int i = 0; i < 3; ++i)
      threads_.emplace_back([this, path] {
        HttpClient client(path);
        client.send(client.request("GET", "/v1/watch?names=motor.angle,motor.speed,rt.work&every=1ms"));
        (void)client.receive_head();
        while (!over_ && !client.event(100ms).empty()) ++answers;
      });
    threads_.emplace_back([this, path] {
      HttpClient client(path);
      for (int i = 0; !over_; ++i) {
        const std::string body =
            i % 2 == 0 ? R"({"force": {"motor.load_torque": 0.001}})" : R"({"release": "all"})";
        answers += client.post("/v1/values", body).status == 200;
      }
    });
  }
  ~Clients() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  std::atomic<int> answers{0};

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(LiveRunNightly, ItsFramesOnlySleepWhileClientsLookInAndWrite) {
  const TempDir dir;
  Process rig(live_rig({"--set", "until=stopped"}, dir));
  ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0.1,")) << "no frame was recorded";
  SyscallCount count;
  {
    const Clients clients(dir);
    while (clients.answers < 20) std::this_thread::sleep_for(1ms);
    count = count_syscalls(threads_of(rig.pid()).at("main"),
                           {.until = CallsOf{SYS_clock_nanosleep, 2000}, .limit = kTimeout});
    EXPECT_TRUE(count.reached) << count;
    EXPECT_EQ(calls_in_frames(count, SYS_clock_nanosleep), count.of(SYS_clock_nanosleep)) << count;
  }
  rig.signal(SIGTERM);
  EXPECT_EQ(rig.wait().status, 0) << rig.wait();
  const Json summary = summary_of(dir / "out");
  expect_looks_of_late_frames_only(count, summary);
  if (!kSanitized) {
    EXPECT_EQ(summary["rt"]["heap_calls"], 0);
  }
  if (summary["rt"]["memory_locked"] == true) {
    EXPECT_EQ(summary["rt"]["page_faults"], 0);
  }
  EXPECT_GT(summary["live"]["changes"], 0);
  EXPECT_GT(summary["live"]["snapshots"], 0);
  EXPECT_FALSE(std::filesystem::exists(dir / "out/live.sock"));
}

TEST(LiveRun, WhoOnlyLooksInChangesNoNumber) {
  const TempDir dir;
  const Finished alone = run(run_rig("servo", {"--no-realtime", "--out", "alone"}, dir.path()));
  ASSERT_EQ(alone.status, 0) << alone;
  Process rig(live_rig({"--no-realtime", "--paused"}, dir));
  ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "listens on"));
  HttpClient client((dir / "out/live.sock").string());
  while (client.get("/v1/state").json()["paused"] != true) std::this_thread::sleep_for(1ms);
  client.send(client.request("GET", "/v1/watch?names=motor.angle,motor.current&every=1ms"));
  (void)client.receive_head();
  HttpClient other((dir / "out/live.sock").string());
  EXPECT_EQ(other.post("/v1/commands", R"({"command": "resume"})").status, 200);
  while (client.event().find("event: end") == std::string::npos) {
  }
  EXPECT_EQ(rig.wait().status, 0) << rig.wait();
  EXPECT_EQ(text_of(dir / "alone/motion.csv"), text_of(dir / "out/motion.csv"));
}

TEST(LiveRun, ClientsSeeWhatIsDrivenOutside) {
  for (const bool isolated : {false, true}) {
    if (isolated && kSanitized) continue;  // it sees nothing more in two processes than in one
    const TempDir dir;
    dir.write("rig.yaml",
              std::string("rig: torque\n"
                          "frame: { period: 2 ms }\n"
                          "threads: { main: { policy: other }, stuck_after: 30 s }\n"
                          "memory: { lock: no, heap: 0 B }\n"
                          "live: { http: {} }\n"
                          "models:\n"
                          "  drive: { driver: tape, file: tape, safe: -42, parameters: { value: 7 }") +
                  (isolated ? ", isolated: yes }\n" : " }\n"));
    Command command =
        tactus({"run", "rig.yaml", "--out", "out", "--no-realtime", "--drive-outputs"}, dir.path());
    command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
    Process rig(std::move(command));
    ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "listens on"));
    HttpClient client((dir / "out/live.sock").string());
    Json state = client.get("/v1/state").json();
    while (state["frame"] < 3) state = client.get("/v1/state").json();
    const Json outputs = state["outputs"];
    ASSERT_EQ(outputs.size(), 1U) << outputs;
    EXPECT_EQ(outputs[0]["variable"], "drive.value");
    EXPECT_EQ(outputs[0]["driver"], "tape");
    EXPECT_EQ(outputs[0]["value"], 7);
    EXPECT_EQ(outputs[0]["safe"], isolated ? Json() : Json(-42))
        << "one in a process of its own keeps it there";
    const Json variable = client.get("/v1/variables/drive.value").json();
    EXPECT_EQ(variable["drives"], Json::array({outputs[0]["name"]}));
    EXPECT_EQ(variable["written_by"]["what"], "parameter");
    rig.signal(SIGINT);
    EXPECT_EQ(rig.wait().status, 0) << rig.wait();
  }
}

TEST(LiveRun, NamesItsAddressAndWhatAFilterOfSystemCallsForbids) {
  struct Row {
    long call;
    const char* says;
  };
  for (const Row& row :
       {Row{SYS_eventfd2, "out/live.sock; see the limits"}, Row{SYS_socket, "forbids socket(2)"}}) {
    const TempDir dir;
    dir.write("rig.yaml", "rig: r\nframe: { period: 1 ms }\nrealtime: { enabled: no }\nlive: { http: {} }\n");
    Command command = tactus({"run", "rig.yaml", "--out", "out", "--frames", "3"}, dir.path());
    command.argv.insert(command.argv.begin(), {TACTUS_DENIED_CALL, std::to_string(row.call)});
    const Finished done = run(command);
    if (done.status == 77) GTEST_SKIP() << "no filter of system calls is allowed here";
    EXPECT_EQ(done.status, 3) << done;
    EXPECT_NE(done.err.find(row.says), std::string::npos) << done;
  }
}

TEST(LiveRunNightly, TwoRunsOneAfterTheOtherUseTheSameAddress) {
  const TempDir dir;
  for (int i = 0; i < 2; ++i) {
    Process rig(run_rig("servo",
                        {"--live", "unix:" + (dir / "same.sock").string(), "--no-realtime", "--paused",
                         "--out", "out" + std::to_string(i)},
                        dir.path()));
    ASSERT_TRUE(wait_for_text(dir / ("out" + std::to_string(i) + "/log.txt"), "listens on"));
    if (i == 0) {
      rig.signal(SIGKILL);
      (void)rig.wait();
      EXPECT_TRUE(std::filesystem::exists(dir / "same.sock")) << "nobody could take it away";
      continue;
    }
    HttpClient client((dir / "same.sock").string());
    EXPECT_EQ(client.post("/v1/commands", R"({"command": "stop"})").status, 200);
    EXPECT_EQ(rig.wait().status, 0) << rig.wait();
  }
}

TEST(LiveRunNightly, AnAddressThatIsTakenIsSaidBeforeAnythingStarts) {
  const TempDir dir;
  Process first(run_rig(
      "servo", {"--no-realtime", "--paused", "--out", "out", "--live", "unix:" + (dir / "s").string()},
      dir.path()));
  ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "listens on"));
  const Finished second =
      run(run_rig("servo", {"--live", "unix:" + (dir / "s").string(), "--out", "second"}, dir.path()));
  EXPECT_EQ(second.status, 3) << second;
  EXPECT_NE(second.err.find("nothing was started"), std::string::npos) << second;
  EXPECT_FALSE(std::filesystem::exists(dir / "second"));
  first.signal(SIGINT);
  EXPECT_EQ(first.wait().status, 0) << first.wait();
}

}  // namespace
}  // namespace tactus::test::live_run_test
