// SPDX-License-Identifier: Apache-2.0
/// Virtual buses in a replay, and beside a bus of sockets and threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/can.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <tactus/silkit_can.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/drivers/link/can/rig/can_rig.hpp"

namespace tactus::drivers::link::can_replay_test {
namespace {

namespace fs = std::filesystem;
using config::Json;
using test::CanPeer;
using test::CanRig;
using test::Pair;
using test::pair_name;
using test::read_file;
using ::testing::HasSubstr;

/// A replay needs no peers, no registry and no library: what peers gave the bus is given to it again in the same frames.
class CanRigReplay : public CanRig {
 protected:
  test::Finished replay(const std::string& of, const std::string& out) {
    return test::run({.argv = {LINK_TACTUS, "run", "rig.yaml", "--replay", of, "--no-realtime", "--out", out,
                               "--set", "link.record=yes"},
                      .cwd = dir_.path()});
  }
  void record(const char* until = "200 ms") {
    CanPeer peer(library, uri(), "CAN1");
    peer.also_send(0x0CF00421, SilKit_CanFrameFlag_ide, 8);
    const test::Finished run =
        test::run(command({"--out", "out", "--set", "link.record=yes", "--until", until}));
    ASSERT_EQ(run.status, 0) << run;
  }
};

TEST_P(CanRigReplay, GivesTheSameBytes) {
  ASSERT_NO_FATAL_FAILURE(record());
  const std::string bus = read_file(dir_ / "out/bus.csv");
  EXPECT_THAT(bus, HasSubstr("\n0.199,197,198,")) << "the peer was heard";
  const std::string frames = read_file(dir_ / "out/link-can.csv");
  EXPECT_TRUE(frames.starts_with("frame,network,can\n1,body,200#0000\n")) << frames.substr(0, 200);
  EXPECT_THAT(frames, HasSubstr("\n11,body,200#0A00\n"));
  EXPECT_THAT(frames, HasSubstr("\n11,body,0CF00421#0000000000000000\n"));
  std::string before = "out";
  for (const char* const out : {"again", "once_more"}) {
    const test::Finished run = replay(before, out);
    ASSERT_EQ(run.status, 0) << run;
    EXPECT_EQ(read_file(dir_ / (std::string(out) + "/bus.csv")), bus);
    EXPECT_EQ(read_file(dir_ / (std::string(out) + "/link.csv")), read_file(dir_ / "out/link.csv"));
    EXPECT_EQ(read_file(dir_ / (std::string(out) + "/link-can.csv")), frames);
    EXPECT_THAT(read_file(dir_ / (std::string(out) + "/log.txt")), HasSubstr(" frames of peers on CAN"));
    before = out;
  }
}

/// A replay runs faster than a disk writes, and keeps all that the buses are given.
TEST_P(CanRigReplay, KeepsFramesThatComeFasterThanTheyAreWritten) {
  ASSERT_NO_FATAL_FAILURE(record());
  std::string text = "frame,network,can\n";  // 720 kB
  for (int i = 0; i < 40'000; ++i) text += std::to_string(1 + i / 250) + ",body,200#0A00\n";
  text += "end,40000,0\n";
  (void)dir_.write("out/link-can.csv", text);
  const test::Finished run = replay("out", "again");
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_TRUE(read_file(dir_ / "again/link-can.csv") == text)
      << read_file(dir_ / "again/link-can.csv").substr(text.size() - 30);
  // A disk that takes no more of it.
  const test::Finished full =
      test::run({.argv = {"bash", "-c",
                          "ulimit -f 300 && exec \"$0\" run rig.yaml --replay out --no-realtime --out full "
                          "--set link.record=yes",
                          LINK_TACTUS},
                 .cwd = dir_.path()});
  EXPECT_THAT(full.out + full.err, HasSubstr(" CAN frames missing in the record: it cannot be replayed"))
      << full;
  const test::Finished next = replay("full", "next");
  EXPECT_EQ(next.status, 2) << next;
  EXPECT_THAT(next.err, HasSubstr("link-can.csv")) << next;
}

TEST_P(CanRigReplay, NeedsTheRunFolderAlone) {
  ASSERT_NO_FATAL_FAILURE(record());
  const test::Finished run =
      test::run({.argv = {LINK_TACTUS, "run", "--replay", "out", "--no-realtime", "--out", "again"},
                 .cwd = dir_.path()});
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_EQ(read_file(dir_ / "again/bus.csv"), read_file(dir_ / "out/bus.csv"));
}

TEST_P(CanRigReplay, RefusesARecordThatIsNotWhole) {
  ASSERT_NO_FATAL_FAILURE(record());
  const std::string whole = read_file(dir_ / "out/link-can.csv");
  const std::size_t end = whole.rfind("\nend,") + 1;
  const std::pair<std::string, const char*> damages[] = {
      {whole.substr(0, end), "the record has no end"},
      {whole.substr(0, end - 3), "the line is cut off"},
      {whole.substr(0, end) + "end,100000,0\n", "the record ends with 100000 frames"},
      {whole.substr(0, end) + "end,0,7\n", "7 frames are missing"},
      {"frame,network,can\n2,tail,200#00\nend,1,0\n", "the rig has no network 'tail'"},
      {"frame,network,can\n2,body,200#0\nend,1,0\n", "link-can.csv:2: '200#0' is not a frame of CAN"},
      {"frame,network,can\n3,body,200#\n2,body,200#\nend,2,0\n", "frame 2 comes after frame 3"},
      {"", "the record has no end"},
  };
  for (const auto& [text, says] : damages) {
    (void)dir_.write("out/link-can.csv", text);
    const test::Finished run = replay("out", "again");
    EXPECT_EQ(run.status, 2) << run;
    EXPECT_THAT(run.err, HasSubstr(says)) << run;
  }
  fs::remove(dir_ / "out/link-can.csv");
  const test::Finished run = replay("out", "again");
  EXPECT_EQ(run.status, 2) << run;
  EXPECT_THAT(run.err, HasSubstr("a run of a link with `can` has one with `record: yes`"));
}
INSTANTIATE_TEST_SUITE_P(Only, CanRigReplay, ::testing::Values(Pair::ours), pair_name);

/// A bus that another program carries, with threads and sockets as one of SocketCAN: all stations hear each other, none itself.
class Hub {
 public:
  explicit Hub(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    listener_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 8) != 0)
      throw std::runtime_error("cannot listen");
    thread_ = std::thread([this] { carry(); });
  }
  ~Hub() { stop(); }
  /// The frames that came from stations, in their order: id and data. Ends the bus.
  const std::vector<std::pair<std::uint32_t, std::string>>& carried() {
    stop();
    return carried_;
  }
  std::size_t stations() const { return most_stations_; }

 private:
  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
    for (const int each : stations_) (void)::close(each);
    stations_.clear();
    if (listener_ >= 0) (void)::close(std::exchange(listener_, -1));
  }
  void carry() {
    can_frame own{};  // of a real control unit
    own.can_id = 0x300;
    own.len = 2;
    own.data[0] = 1;
    own.data[1] = 2;
    int looks = 0;
    while (!stopped_) {
      std::vector<pollfd> waits{{listener_, POLLIN, 0}};
      for (const int each : stations_) waits.push_back({each, POLLIN, 0});
      (void)::poll(waits.data(), waits.size(), 1);
      if (++looks % 4 == 0)
        for (const int to : stations_) (void)!::send(to, &own, sizeof own, MSG_NOSIGNAL | MSG_DONTWAIT);
      for (std::size_t i = 1; i < waits.size(); ++i) {
        can_frame frame{};
        if ((waits[i].revents & POLLIN) == 0 || ::recv(waits[i].fd, &frame, sizeof frame, 0) != sizeof frame)
          continue;
        carried_.emplace_back(frame.can_id,
                              std::string(reinterpret_cast<const char*>(frame.data), frame.len));
        for (const int to : stations_)
          if (to != waits[i].fd) (void)!::send(to, &frame, sizeof frame, MSG_NOSIGNAL);
      }
      if ((waits[0].revents & POLLIN) == 0) continue;
      stations_.push_back(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
      most_stations_ = stations_.size();
    }
  }

  int listener_ = -1;
  std::vector<int> stations_;
  std::vector<std::pair<std::uint32_t, std::string>> carried_;
  std::atomic<bool> stopped_{false};
  std::atomic<std::size_t> most_stations_{0};
  std::thread thread_;
};

class CanRigOnARealBus : public CanRigReplay {
 protected:
  std::vector<std::string> on_the_bus() {
    return {"--drive-outputs", "--set", "models.car.interface=unix:" + (dir_ / "bus").string(), "--set",
            "frame.period=1 ms"};
  }
  static std::map<std::uint32_t, int> counts(
      const std::vector<std::pair<std::uint32_t, std::string>>& carried) {
    std::map<std::uint32_t, int> made;
    for (const auto& [id, data] : carried) ++made[id];
    return made;
  }
};

TEST_P(CanRigOnARealBus, GoesBothWaysWithoutLoops) {
  Hub hub((dir_ / "bus").string());
  CanPeer peer(library, uri(), "CAN1");
  std::vector<std::string> arguments = on_the_bus();
  arguments.insert(arguments.end(),
                   {"--out", "out", "--until", "2 s", "--set", "link.can.body.forward.to_real=[not 0x201]"});
  const test::Finished run = test::run(command(arguments));
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_EQ(hub.stations(), 2U) << "the model, and the link beside it";
  const auto carried = hub.carried();
  std::map<std::uint32_t, int> count = counts(carried);
  std::map<std::uint32_t, int> heard;
  for (const CanPeer::Heard& each : peer.heard()) ++heard[each.id];
  EXPECT_GT(count[0x200], 0) << "frames of the peer reach the bus";
  EXPECT_EQ(count[0x201], 0) << "the rules hold";
  EXPECT_GT(count[0x100], 0) << "those of the model, too";
  EXPECT_GT(heard[0x300], 0) << "frames of real control units reach the peer";
  EXPECT_GT(heard[0x100], 0) << "and those of the model";
  EXPECT_LE(heard[0x100], count[0x100]) << "each once";
  EXPECT_EQ(heard[0x200], 0) << "no frame comes back";
  EXPECT_EQ(count[0x300], 0) << "no frame comes back";
  EXPECT_LE(count[0x200], peer.sent()) << "each once";
  std::set<std::string> once;
  for (const auto& [id, data] : carried)
    if (id == 0x200) EXPECT_TRUE(once.insert(data).second) << "its number in it is another one each time";
  const Json can = summary("out")["can"]["body"];
  EXPECT_EQ(can["mismatched"], 0) << can;
}

TEST_P(CanRigOnARealBus, AReplayGivesItTheSameFrames) {
  ASSERT_NO_FATAL_FAILURE(record("1 s"));
  // The peer's frames of the first 100 ms: the end of the rig throws nothing of them away, which waits long since.
  std::vector<std::string> given, carried;
  std::string kept = "frame,network,can\n";
  int frames = 0;
  std::istringstream record(read_file(dir_ / "out/link-can.csv"));
  for (std::string line; std::getline(record, line);) {
    if (std::atoi(line.c_str()) >= 100 || std::isdigit(static_cast<unsigned char>(line.front())) == 0)
      continue;
    kept += line + "\n";
    ++frames;
    if (const std::size_t at = line.find(",200#"); at != std::string::npos)
      given.push_back(line.substr(at + 5));
  }
  (void)dir_.write("out/link-can.csv", kept + "end," + std::to_string(frames) + ",0\n");
  Hub hub((dir_ / "bus").string());
  std::vector<std::string> arguments{LINK_TACTUS, "run", "rig.yaml", "--replay", "out", "--out", "again"};
  for (const std::string& each : on_the_bus()) arguments.push_back(each);
  const test::Finished run = test::run({.argv = arguments, .cwd = dir_.path()});
  ASSERT_EQ(run.status, 0) << run;
  for (const auto& [id, data] : hub.carried()) {
    if (id != 0x200) continue;
    std::string hex;
    for (const char each : data) {
      char text[3];
      (void)std::snprintf(text, sizeof text, "%02X", static_cast<unsigned>(static_cast<unsigned char>(each)));
      hex += text;
    }
    carried.push_back(hex);
  }
  EXPECT_GT(given.size(), 50U);
  EXPECT_EQ(carried, given) << run;
}
INSTANTIATE_TEST_SUITE_P(Only, CanRigOnARealBus, ::testing::Values(Pair::ours), pair_name);

}  // namespace
}  // namespace tactus::drivers::link::can_replay_test
