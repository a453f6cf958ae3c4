// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "config/document.hpp"
#include "drivers/live/trick/address.hpp"
#include "drivers/live/trick/client_lines.hpp"
#include "executive/driver/device_error.hpp"
#include "tests/drivers/live/support/fake_live_rig.hpp"

namespace tactus::drivers::trick::server_test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto kTimeout = 120s;

/// A client on a socket. Threads: one.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(port);
    connected = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { close(); }

  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  /// The next line without its end; what there is at the end of the connection, or when timeout ends.
  std::string line() {
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    for (;;) {
      if (const std::size_t end = held_.find('\n'); end != std::string::npos) {
        std::string found = held_.substr(0, end);
        held_.erase(0, end + 1);
        return found;
      }
      if (!receive(until)) return std::exchange(held_, {});
    }
  }
  /// Whether the server ends the connection, while what it says is thrown away.
  bool is_ended() {
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (receive(until)) held_.clear();
    return ended_;
  }
  void half_close() { ::shutdown(socket_, SHUT_WR); }
  void reset() {
    const linger hard{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
  }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  bool connected = false;

 private:
  bool receive(std::chrono::steady_clock::time_point until) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd event{socket_, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&event, 1, static_cast<int>(left.count())) <= 0) return false;
    char buffer[65536];
    const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
    ended_ = count <= 0;
    if (count > 0) held_.append(buffer, static_cast<std::size_t>(count));
    return count > 0;
  }

  int socket_;
  bool ended_ = false;
  std::string held_;
};

/// The port on which a server listens.
std::uint16_t port_of(const executive::LiveServer& server) {
  const std::string line = server.describe().front();
  return static_cast<std::uint16_t>(std::stoul(line.substr(line.rfind(':') + 1)));
}

/// A server on a free port, over a rig whose frames are ended by a thread.
class TrickServer : public testing::Test {
 protected:
  TrickServer() {
    rig_.add<std::int32_t>("tr.i1", TACTUS_INT32, {42});
    rig_.add<double>("tr.big", TACTUS_DOUBLE, std::vector<double>(20'000, 0.125), true);
  }
  ~TrickServer() override {
    if (server_) server_->close();
    stop_ = true;
    if (frames_.joinable()) frames_.join();
  }

  std::uint16_t open(TrickSettings settings = {}) {
    settings.listen = "127.0.0.1:0";
    server_ = make_server(settings);
    server_->open(rig_, {});
    frames_ = std::thread([this] {
      for (std::int64_t k = 0; !stop_; ++k) {
        std::this_thread::sleep_for(500us);
        for (auto& written : rig_.take_written()) written.then({true, k, ""});
        rig_.end_frame(k);
      }
    });
    return port_of(*server_);
  }
  /// Waits for a line of the log with this in it.
  bool told(const std::string& part) {
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (std::chrono::steady_clock::now() < until) {
      for (std::string& line : server_->take_log_lines()) log_.push_back(std::move(line));
      for (const std::string& line : log_)
        if (line.find(part) != std::string::npos) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

  test::FakeLiveRig rig_;
  std::unique_ptr<executive::LiveServer> server_;
  std::vector<std::string> log_;

 private:
  std::atomic<bool> stop_{false};
  std::thread frames_;
};

TEST_F(TrickServer, AnswersAndSaysWhereItListens) {
  const std::uint16_t port = open();
  Client client(port);
  ASSERT_TRUE(client.connected);
  client.send("trick.var_pause()\ntrick.var_add(\"tr.i1\")\ntrick.var_send()\ntrick.var_exists('tr.i2')\n");
  EXPECT_EQ(client.line(), "0\t42");
  EXPECT_EQ(client.line(), "1\t0");
  EXPECT_TRUE(told("listens on 127.0.0.1:" + std::to_string(port)));
}

TEST_F(TrickServer, SendsCyclicallyByItself) {
  Client client(open());
  client.send("trick.var_cycle(0.002); trick.var_add('tr.i1')\n");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.line(), "0\t42");
}

TEST_F(TrickServer, TakesBytesOneAtATime) {
  Client client(open());
  for (const char c : std::string("trick.var_pause()\ntrick.var_send_once('tr.i1')\nx=1\n"))
    ASSERT_TRUE(client.send({&c, 1}));
  EXPECT_EQ(client.line(), "5\t42");
  EXPECT_TRUE(told("'x=1' is refused"));
}

TEST_F(TrickServer, SetsThroughTheRig) {
  Client client(open());
  client.send("trick.var_set('tr.i1', 3); trick.var_exists('tr.i1')\n");
  EXPECT_EQ(client.line(), "1\t1");
  client.send("trick.exec_freeze(); trick.var_exists('tr.i1')\n");
  EXPECT_EQ(client.line(), "1\t1");
  const auto commands = rig_.take_commands();
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_THAT(commands[0].who, StartsWith("trick 127.0.0.1:"));
}

TEST_F(TrickServer, SixtyFourClientsAreServedAndNoMore) {
  const std::uint16_t port = open();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 64; ++i) {
    clients.push_back(std::make_unique<Client>(port));
    clients.back()->send("trick.var_pause(); trick.var_add('tr.i1'); trick.var_send()\n");
  }
  for (auto& client : clients) EXPECT_EQ(client->line(), "0\t42");
  Client late(port);
  EXPECT_TRUE(late.is_ended());
  EXPECT_TRUE(told("`max_clients`"));
  clients.pop_back();
  // It is gone when the server has seen its end; until then a new one may still be refused.
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  std::string heard;
  while (heard != "1\t1" && std::chrono::steady_clock::now() < until) {
    Client next(port);
    next.send("trick.var_exists('tr.i1')\n");
    heard = next.line();
  }
  EXPECT_EQ(heard, "1\t1") << "there is room again";
}

TEST_F(TrickServer, WhoIsNotAllowedIsClosedAndTold) {
  TrickSettings settings;
  settings.allow = {"10.1.0.0/16"};
  Client client(open(settings));
  client.send("trick.var_exists('tr.i1')\n");
  EXPECT_TRUE(client.is_ended());
  EXPECT_TRUE(told("is refused: it is not in `allow`"));
}

/// The lines about refused connections, and how many connections they are about.
struct Refused {
  std::int64_t lines = 0, connections = 0;
  explicit Refused(const std::vector<std::string>& log) {
    for (const std::string& line : log) {
      if (line.find("more lines left out") != std::string::npos) lines += 1'000'000;
      std::int64_t count = 0;
      if (line.find(" is refused: ") != std::string::npos) count = 1;
      if (line.starts_with("refused ")) count = std::stoll(line.substr(8));
      lines += count > 0 ? 1 : 0;
      connections += count;
    }
  }
};

TEST_F(TrickServer, ThoseWhoKnockAgainAndAgainDoNotFillTheLog) {
  TrickSettings settings;
  settings.allow = {"10.1.0.0/16"};
  const auto start = std::chrono::steady_clock::now();
  const std::uint16_t port = open(settings);
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(Client(port).is_ended());
  EXPECT_TRUE(told("connections that are not in `allow` of the rig file, the last from 127.0.0.1:"));
  server_->close();
  for (std::string& line : server_->take_log_lines()) log_.push_back(std::move(line));
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start).count();
  const Refused refused(log_);
  EXPECT_EQ(refused.connections, 300) << "none is forgotten";
  EXPECT_LE(refused.lines, seconds + 3) << "the first, one a second, and what is left at the end";
}

TEST_F(TrickServer, ThoseForWhomThereIsNoRoomDoNotFillTheLog) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint16_t port = open({.max_clients = 1});
  Client first(port);
  first.send("trick.var_pause(); trick.var_send_once('tr.i1')\n");
  EXPECT_EQ(first.line(), "5\t42");
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(Client(port).is_ended());
  EXPECT_TRUE(told("connections that are more than `max_clients` of the rig file, the last from 127.0.0.1:"));
  server_->close();
  for (std::string& line : server_->take_log_lines()) log_.push_back(std::move(line));
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start).count();
  const Refused refused(log_);
  EXPECT_EQ(refused.connections, 300);
  EXPECT_LE(refused.lines, seconds + 3);
}

TEST_F(TrickServer, AClientThatConnectsAgainAndAgainDoesNotFillTheLog) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint16_t port = open();
  std::size_t bytes = 0;
  for (int i = 0; i < 100; ++i) {
    Client client(port);
    for (int k = 0; k < 20; ++k) client.send("import os\n");
    client.send("trick.var_exists('tr.i1'); trick.var_exit()\n");
    EXPECT_TRUE(client.is_ended());
  }
  server_->close();
  for (std::string& line : server_->take_log_lines()) log_.push_back(std::move(line));
  for (const std::string& line : log_) bytes += line.size();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LE(static_cast<double>(log_.size()), 203 + seconds) << "whoever connects, they are counted together";
  EXPECT_LE(static_cast<double>(bytes), (203 + seconds) * ClientLines::kLongest);
  EXPECT_THAT(log_.back(), HasSubstr("more lines about clients were left out"));
}

TEST_F(TrickServer, APageInABrowserSetsNothing) {
  Client page(open());
  page.send(
      "POST / HTTP/1.1\r\nHost: 127.0.0.1:7000\r\nContent-Type: text/plain;charset=UTF-8\r\n"
      "Content-Length: 48\r\n\r\ntrick.var_set('tr.i1', 3)\ntrick.exec_shutdown()\n");
  EXPECT_TRUE(page.is_ended());
  EXPECT_TRUE(told("'POST / HTTP/1.1' is refused: this is Trick's variable server"));
  EXPECT_TRUE(rig_.take_commands().empty());
  EXPECT_TRUE(rig_.take_written().empty());
}

TEST_F(TrickServer, WhoIsAllowedIsServed) {
  TrickSettings settings;
  settings.allow = {"10.1.0.0/16", "127.0.0.0/8"};
  Client client(open(settings));
  client.send("trick.var_exists('tr.i1')\n");
  EXPECT_EQ(client.line(), "1\t1");
}

TEST_F(TrickServer, VarExitEndsTheConnection) {
  Client client(open());
  client.send("trick.var_exists('tr.i1'); trick.var_exit()\n");
  EXPECT_EQ(client.line(), "1\t1");
  EXPECT_TRUE(client.is_ended());
}

TEST_F(TrickServer, AClientThatStaysAfterVarExitIsDroppedInTheEnd) {
  const std::uint16_t port = open({.max_clients = 1});
  Client client(port);
  client.send("trick.var_exit()\n");
  EXPECT_TRUE(client.is_ended());
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  std::string heard;
  while (heard != "1\t1" && std::chrono::steady_clock::now() < until) {
    Client next(port);
    next.send("trick.var_exists('tr.i1')\n");
    heard = next.line();
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(heard, "1\t1");
}

TEST_F(TrickServer, AClientThatHasSaidItsLastWordIsAnsweredAndClosed) {
  Client client(open());
  client.send("trick.var_add('tr.i1'); trick.var_pause(); trick.var_send(); trick.var_exists('tr.i1')\n");
  client.half_close();
  EXPECT_EQ(client.line(), "0\t42");
  EXPECT_EQ(client.line(), "1\t1");
  EXPECT_TRUE(client.is_ended());
}

TEST_F(TrickServer, ABlockWithoutEndIsRefusedAndClosed) {
  Client client(open());
  client.send(std::string(500'000, 'x'));
  EXPECT_TRUE(client.is_ended());
  EXPECT_TRUE(told("more than 200000 bytes"));
}

TEST_F(TrickServer, AClientThatDoesNotReadMissesMessagesAndHarmsNobody) {
  const std::uint16_t port = open();
  Client slow(port);
  slow.send("trick.var_cycle(0.001); trick.var_add('tr.big')\n");
  EXPECT_TRUE(told("does not read what it asked for"));
  Client quick(port);
  quick.send("trick.var_pause(); trick.var_send_once('tr.i1')\n");
  EXPECT_EQ(quick.line(), "5\t42");
  const std::string first = slow.line();
  EXPECT_EQ(first.size(), 2 + 20'000 * 6 - 1);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(slow.line(), first) << "message " << i << " is not whole";
  slow.reset();
  EXPECT_TRUE(told("cyclic messages were left out because it did not read"));
}

TEST_F(TrickServer, PeersThatVanishAreForgotten) {
  const std::uint16_t port = open({.max_clients = 4});
  for (int i = 0; i < 40; ++i) {
    std::string heard;
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (!heard.starts_with("3\t") && std::chrono::steady_clock::now() < until) {
      Client client(port);
      client.send(
          "trick.var_pause(); trick.var_add('tr.big'); trick.var_send_list_size(); trick.var_send()\n");
      heard = client.line();
      if (i % 3 == 0) client.reset();
      if (i % 3 == 1) client.half_close();
    }
    EXPECT_EQ(heard, "3\t1") << "client " << i << ": those before hold their places";
  }
}

TEST_F(TrickServer, CommandsOfAPeerThatIsGoneAreDone) {
  const std::uint16_t port = open();
  {
    Client client(port);
    client.send("trick.exec_freeze()\n");
  }
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  std::size_t commands = 0;
  while (commands == 0 && std::chrono::steady_clock::now() < until) commands = rig_.take_commands().size();
  EXPECT_EQ(commands, 1U);
}

TEST_F(TrickServer, StopsWhileClientsAreConnected) {
  const std::uint16_t port = open();
  Client busy(port);
  busy.send("trick.var_cycle(0.001); trick.var_add('tr.big')\n");
  Client idle(port);
  EXPECT_FALSE(busy.line().empty());
  server_->close();
  EXPECT_TRUE(busy.is_ended());
  EXPECT_TRUE(idle.is_ended());
  server_->close();
  EXPECT_FALSE(Client(port).connected);
}

TEST_F(TrickServer, FuzzThroughASocketLeavesItAlive) {
  const std::uint16_t port = open();
  std::mt19937 random(3);
  static constexpr std::string_view kLikely = "trick.var_add(\"tr.i1\")\n;'\\#x=,0 ";
  for (int run = 0; run < 60; ++run) {
    Client client(port);
    std::string bytes(random() % 4000, '\0');
    for (char& c : bytes)
      c = random() % 4 == 0 ? static_cast<char>(random() % 256) : kLikely[random() % kLikely.size()];
    client.send(bytes);
    client.send("\ntrick.var_send()\n");
    if (run % 2 == 0) client.reset();
  }
  Client client(port);
  client.send("trick.var_exists('tr.i1')\n");
  EXPECT_EQ(client.line(), "1\t1");
}

TEST(TrickServerOpen, ATakenPortIsADeviceError) {
  test::FakeLiveRig rig;
  const auto first = make_server({.listen = "127.0.0.1:0"});
  first->open(rig, {});
  const auto second = make_server({.listen = "127.0.0.1:" + std::to_string(port_of(*first))});
  try {
    second->open(rig, {});
    FAIL() << "the port is taken";
  } catch (const executive::DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("choose another port"));
  }
  second->close();
  first->close();
}

TEST(TrickServerOpen, CloseWithoutOpenDoesNothing) {
  const auto server = make_server({});
  server->close();
  EXPECT_TRUE(server->take_log_lines().empty());
  EXPECT_THAT(server->describe(), testing::ElementsAre("Trick's variable server on 127.0.0.1:7000"));
}

TEST(TrickServerOpen, AnswersThatComeAfterwardsAreNobodys) {
  test::FakeLiveRig rig;
  rig.add<std::int32_t>("tr.i1", TACTUS_INT32, {42});
  auto server = make_server({.listen = "127.0.0.1:0"});
  server->open(rig, {});
  Client client(port_of(*server));
  client.send("trick.var_send_once('tr.i1')\n");
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (rig.waiting() == 0 && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(rig.waiting(), 1U);
  server->close();
  server.reset();
  rig.end_frame(1);
}

TEST(TrickServerOpen, AnotherAddressThanLoopbackSaysWhoCanReachIt) {
  test::FakeLiveRig rig;
  const auto told = [&](TrickSettings settings) {
    const auto server = make_server(std::move(settings));
    server->open(rig, {});
    const std::vector<std::string> lines = server->take_log_lines();
    server->close();
    return lines;
  };
  const std::string whom = "every client from 127.0.0.1, 127.7.0.0/16 ";
  EXPECT_THAT(told({.listen = "0.0.0.0:0", .allow = {"127.0.0.1", "127.7.0.0/16"}}),
              Contains(AllOf(HasSubstr("server on 0.0.0.0:"), HasSubstr("can be reached from other machines"),
                             HasSubstr("no password"), HasSubstr(whom + "sees and sets all variables"))));
  EXPECT_THAT(told({.listen = "0.0.0.0:0", .allow = {"127.0.0.1", "127.7.0.0/16"}, .writes = false}),
              Contains(EndsWith(whom + "sees all variables")));
  EXPECT_THAT(told({.listen = "127.0.0.1:0", .allow = {"127.0.0.1"}}),
              Not(Contains(HasSubstr("other machines"))));
}

/// The problems of a section.
std::string problems_of(const std::string& yaml) {
  config::Problems problems;
  const config::Document document = config::Document::from_text("rig.yaml", yaml);
  const TrickSettings settings = trick_fields().load(document, problems);
  check(settings, document.root().place(), "live.trick", problems);
  return problems.text();
}

TEST(TrickSettings, AreChecked) {
  EXPECT_EQ(problems_of("listen: 127.0.0.1:7000"), "");
  EXPECT_EQ(problems_of("listen: localhost:0"), "");
  EXPECT_EQ(problems_of("{listen: 0.0.0.0:7000, allow: [10.0.0.0/8, 192.168.1.2], writes: no}"), "");
  EXPECT_THAT(problems_of("listen: 0.0.0.0:7000"), HasSubstr("list the clients in `allow:"));
  EXPECT_THAT(problems_of("listen: 127.0.0.1"), HasSubstr("not an address and port"));
  EXPECT_THAT(problems_of("listen: 127.0.0.1:65536"), HasSubstr("not an address and port"));
  EXPECT_THAT(problems_of("allow: [10.0.0.0/33]"), HasSubstr("not an IPv4 address or a block"));
  EXPECT_THAT(problems_of("allow: [host]"), HasSubstr("live.trick.allow[0]"));
  EXPECT_THAT(problems_of("max_clients: 0"), HasSubstr("1 .. 1000"));
  EXPECT_THAT(problems_of("maxclients: 2"), HasSubstr("did you mean 'max_clients'"));
}

TEST(TrickAddress, IsParsedStrictly) {
  EXPECT_EQ(parse_ipv4("127.0.0.1"), 0x7f000001U);
  for (const char* const text : {"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-1", "1..2.3", " 1.2.3.4",
                                 "1.2.3.4 ", "+1.2.3.4", "a.b.c.d"})
    EXPECT_FALSE(parse_ipv4(text)) << text;
  EXPECT_EQ(Endpoint::parse("1.2.3.4:5")->text(), "1.2.3.4:5");
}

TEST(TrickAddress, BlocksHoldWhatBeginsLikeThem) {
  EXPECT_TRUE(Block::parse("10.1.0.0/16")->holds(*parse_ipv4("10.1.255.7")));
  EXPECT_FALSE(Block::parse("10.1.0.0/16")->holds(*parse_ipv4("10.2.0.0")));
  EXPECT_TRUE(Block::parse("10.1.2.3")->holds(*parse_ipv4("10.1.2.3")));
  EXPECT_FALSE(Block::parse("10.1.2.3")->holds(*parse_ipv4("10.1.2.2")));
  EXPECT_TRUE(Block::parse("0.0.0.0/0")->holds(*parse_ipv4("255.255.255.255")));
}

}  // namespace
}  // namespace tactus::drivers::trick::server_test
