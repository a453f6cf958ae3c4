// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "executive/client/block_stream.hpp"
#include "executive/client/event_stream.hpp"
#include "executive/client/http_stream.hpp"
#include "executive/client/port_address.hpp"
#include "executive/client/samples.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::client::streams_test {
namespace {

using test::TempDir;
using ::testing::HasSubstr;

/// Gives the text in pieces of random sizes.
template <class Take>
void in_pieces(const std::string& text, std::uint64_t seed, Take take) {
  std::mt19937_64 random(seed);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = 1 + random() % (seed % 2 == 0 ? 3 : 40);
    take(std::string_view(text).substr(at, length));
    at += length;
  }
}

TEST(HttpAnswer, IsTheSameHoweverItIsCut) {
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Name:  value \r\n\r\n5\r\nhello\r\n10\r\n, world "
      "12345678\r\n0\r\n\r\n";
  const std::string length = "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nhello";
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    HttpAnswer answer;
    std::string body;
    const auto add = [&body](std::string_view bytes) { body += bytes; };
    in_pieces(chunked, seed, [&](std::string_view piece) { ASSERT_TRUE(answer.take(piece, add)); });
    EXPECT_TRUE(answer.complete());
    EXPECT_EQ(body, "hello, world 12345678");
    EXPECT_EQ(answer.status(), 200);
    EXPECT_EQ(answer.header("x-name"), "value");
    HttpAnswer other;
    body.clear();
    in_pieces(length, seed, [&](std::string_view piece) { ASSERT_TRUE(other.take(piece, add)); });
    EXPECT_TRUE(other.complete());
    EXPECT_EQ(body, "hello");
    EXPECT_EQ(other.status(), 404);
  }
}

TEST(HttpAnswer, RefusesWhatIsNoHttp) {
  const auto nothing = [](std::string_view) {};
  for (const std::string text :
       {"SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 xyz\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffff\r\n"}) {
    HttpAnswer answer;
    EXPECT_FALSE(answer.take(text, nothing)) << text;
    EXPECT_FALSE(answer.problem().empty());
  }
  HttpAnswer endless;
  EXPECT_FALSE(endless.take(std::string(100'000, 'x'), nothing));
}

TEST(EventStream, IsTheSameHoweverItIsCut) {
  const std::string text =
      ": it lives\n\nevent: state\ndata: {\"a\":1}\n\nevent: values\r\nid: 7\r\ndata: {\ndata: "
      "}\n\nevent:end\ndata:{}\n\nevent: torn";
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    EventStream events;
    std::string found;
    in_pieces(text, seed, [&](std::string_view piece) {
      events.take(piece,
                  [&](const EventStream::Event& event) { found += event.kind + "=" + event.data + ";"; });
    });
    EXPECT_EQ(found, "state={\"a\":1};values={\n};end={};");
  }
}

template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string block(std::uint32_t kind, std::uint32_t detail, std::int64_t frame, std::int64_t gap,
                  std::string content) {
  while (content.size() % 8 != 0) content += '\0';
  return "TSB1" + bytes_of(static_cast<std::uint32_t>(32 + content.size())) + bytes_of(kind) +
         bytes_of(detail) + bytes_of(frame) + bytes_of(gap) + content;
}

TEST(BlockStream, IsTheSameHoweverItIsCut) {
  const std::string head = R"({"columns":[{"name":"a"},{"name":"b"}]})";
  const std::string end = R"({"reason":"over"})";
  const std::string text =
      block(1, static_cast<std::uint32_t>(head.size()), 10, 0, head) +
      block(2, 3, 10, 0,
            bytes_of(1.0) + bytes_of(2.0) + bytes_of(3.0) + bytes_of(4.0) + bytes_of(5.0) + bytes_of(6.0)) +
      block(3, 1, 13, 7, "") + block(4, 1, 20, 0, "") +
      block(5, static_cast<std::uint32_t>(end.size()), 20, 0, end);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    BlockStream blocks;
    std::string found;
    in_pieces(text, seed, [&](std::string_view piece) {
      ASSERT_TRUE(blocks.take(piece, [&](const BlockStream::Block& each) {
        found += std::to_string(static_cast<int>(each.kind)) + "@" + std::to_string(each.frame) + " ";
        for (const auto& column : each.columns)
          for (const double value : column) found += std::to_string(static_cast<int>(value)) + ",";
        found += std::to_string(each.missing) + each.text + ";";
      }));
    });
    EXPECT_EQ(found, "1@10 0" + head + ";2@10 1,2,3,4,5,6,0;3@13 7;4@20 0;5@20 0" + end + ";");
  }
}

TEST(BlockStream, RefusesWhatIsNone) {
  const auto nothing = [](const BlockStream::Block&) {};
  const std::string head = R"({"columns":[{"name":"a"}]})";
  const std::string good = block(1, static_cast<std::uint32_t>(head.size()), 0, 0, head);
  for (const std::string& text :
       {std::string(40, 'x'), block(2, 3, 0, 0, bytes_of(1.0)), good + block(2, 3, 0, 0, bytes_of(1.0)),
        block(1, 999, 0, 0, head), block(1, 2, 0, 0, "{}"), "TSB1" + std::string(28, '\xff'),
        good + block(2, 0xffffffffU, 0, 0, bytes_of(1.0))}) {
    BlockStream blocks;
    EXPECT_FALSE(blocks.take(text, nothing));
    EXPECT_FALSE(blocks.problem().empty());
  }
}

TEST(PortAddress, IsFoundByWhatPeopleWrite) {
  EXPECT_EQ(find_port("127.0.0.1:8086").text(), "127.0.0.1:8086");
  EXPECT_EQ(find_port("http://localhost:8086/").text(), "localhost:8086");
  EXPECT_EQ(find_port("http://127.0.0.1:8086/v1").text(), "127.0.0.1:8086") << "as a rig says it";
  EXPECT_EQ(find_port("[::1]:80").host, "::1");
  EXPECT_EQ(find_port("unix:/x/y.sock").path, "/x/y.sock");
  const TempDir dir;
  dir.write("tcp.yaml", "rig: x\nlive: { http: { listen: 127.0.0.1:8600 } }\n");
  EXPECT_EQ(find_port((dir / "tcp.yaml").string()).text(), "127.0.0.1:8600");
  dir.write("run/rig.yaml", "rig: x\nlive: { http: { listen: \"127.0.0.1:8601\" } }\n");
  EXPECT_EQ(find_port((dir / "run").string()).text(), "127.0.0.1:8601");
  for (const char* const where : {"tcp.yaml", "run"}) EXPECT_EQ(find_port((dir / where).string()).rig, "x");
}

TEST(PortAddress, SaysWhatToDoWhereThereIsNone) {
  const TempDir dir;
  dir.write("run/rig.yaml", "rig: x\n");
  dir.write("over/rig.yaml", "rig: x\nlive: { http: {} }\n");
  dir.write("bad.yaml", "rig: [\n");
  dir.write("plain.yaml", "rig: x-none\n");
  dir.write("desk.yaml", "panels: {}\n");
  dir.write("folder/file", "");
  const std::pair<std::string, const char*> rows[] = {
      {(dir / "run").string(), "has no live section"},
      {(dir / "over").string(), "the run is over"},
      {(dir / "folder").string(), "is not a run folder"},
      {(dir / "bad.yaml").string(), "bad.yaml"},
      {(dir / "plain.yaml").string(), "has no live section"},
      {(dir / "desk.yaml").string(), "is not a rig file"},
      {"no-such-thing", "it is not an address"},
      {"1.2.3.4:port", "it is not an address"},
  };
  for (const auto& [where, part] : rows) {
    try {
      (void)find_port(where);
      ADD_FAILURE() << where;
    } catch (const NoRigError& error) {
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }
  EXPECT_THROW(HttpStream({(dir / "none.sock").string(), "", ""}, "/", ""), NoRigError);
  EXPECT_THROW(HttpStream({std::string(300, 'x'), "", ""}, "/", ""), NoRigError);
}

/// A process that looks like a rig: its program is called tactus-..., and it has the log of a run open.
class SeemingRig {
 public:
  explicit SeemingRig(const TempDir& dir) {
    const std::filesystem::path program = dir / "tactus-seems";
    std::filesystem::copy_file("/bin/sleep", program, std::filesystem::copy_options::overwrite_existing);
    process_ = ::fork();
    if (process_ == 0) {
      if (::open((dir / "run/log.txt").c_str(), O_RDONLY) >= 0)
        ::execl(program.c_str(), "tactus", "60", nullptr);
      ::_exit(1);
    }
    const auto is_there = [this] {
      std::error_code error;
      return std::filesystem::read_symlink("/proc/" + std::to_string(process_) + "/exe", error).filename() ==
             "tactus-seems";
    };
    while (!is_there() && ::waitpid(process_, nullptr, WNOHANG) == 0) std::this_thread::yield();
  }
  ~SeemingRig() {
    (void)::kill(process_, SIGKILL);
    (void)::waitpid(process_, nullptr, 0);
  }

 private:
  pid_t process_ = -1;
};

TEST(PortAddress, OfARigThatIsEndingSaysSo) {
  const TempDir dir;
  dir.write("run/rig.yaml", "rig: ends-just-now\nlive: { http: {} }\n");
  const auto said = [&dir](const char* log) -> std::string {
    dir.write("run/log.txt", log);
    const SeemingRig rig(dir);
    try {
      (void)find_port("ends-just-now");
      return "found";
    } catch (const NoRigError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(said("info http: listens on /x/live.sock\n"),
              ::testing::AllOf(HasSubstr("is ending"), HasSubstr((dir / "run/summary.json").string()),
                               ::testing::Not(HasSubstr("start it with"))));
  EXPECT_THAT(said("info nothing\n"), HasSubstr("without a control port; start it with"));
  dir.write("run/summary.json", R"({"outcome":"stopped","frames":{"run":7},"exit_status":0})");
  EXPECT_THAT(said("info http: listens on /x/live.sock\n"),
              HasSubstr("has ended: stopped after 7 frames, exit status 0"))
      << "its process is still there";
}

TEST(PortAddress, OfARigThatRunsIsNotHiddenByAFolderOfItsName) {
  const TempDir dir;
  dir.write("run/rig.yaml", "rig: has-a-folder\nlive: { http: { listen: \"127.0.0.1:1\" } }\n");
  dir.write("run/log.txt", "info http: listens on http://127.0.0.1:1/v1\n");
  dir.write("has-a-folder/has-a-folder.yaml", "rig: has-a-folder\n");
  const SeemingRig rig(dir);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  std::string found;
  try {
    found = find_port("has-a-folder").text();
  } catch (const NoRigError& error) {
    found = error.what();
  }
  std::filesystem::current_path(before);
  EXPECT_EQ(found, "127.0.0.1:1");
}

TEST(PortAddress, OfARunAtAnyFreePortIsTheOneThatItTold) {
  const TempDir dir;
  dir.write("run/rig.yaml", "rig: anywhere\nlive: { http: { listen: \"127.0.0.1:0\" } }\n");
  EXPECT_FALSE(port_of_run(dir / "run")) << "it has told none";
  dir.write("run/log.txt", "info x\ninfo http: listens on http://127.0.0.1:40123/v1\n");
  const auto address = port_of_run(dir / "run");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->text(), "127.0.0.1:40123");
}

TEST(HttpStream, SaysWhenANetworkCannotBeReached) {
  try {
    HttpStream({"", "255.255.255.255", "8080"}, "/", "");  // no peer has it
    FAIL();
  } catch (const NoRigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unreachable"));
  }
}

TEST(PortAddress, OfARigThatHasEndedSaysHowWhereverItsFolderIs) {
  const TempDir dir;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  dir.write("elsewhere/rig.yaml", "rig: ended-long-ago\nlive: { http: { listen: \"127.0.0.1:1\" } }\n");
  dir.write("elsewhere/summary.json", R"({"outcome":"stopped","frames":{"run":7},"exit_status":0})");
  std::string by_name;
  std::string by_port;
  try {
    (void)find_port("ended-long-ago");
  } catch (const NoRigError& error) {
    by_name = error.what();
  }
  const auto address = port_of_run("elsewhere");
  EXPECT_TRUE(address);
  try {
    HttpStream({address.value_or(PortAddress{})}, "/", "");
  } catch (const NoRigError& error) {
    by_port = error.what();
  }
  std::filesystem::current_path(before);
  EXPECT_THAT(by_name, HasSubstr("newest run, elsewhere, has ended: stopped after 7 frames, exit status 0"));
  EXPECT_THAT(by_port, HasSubstr("its run has ended: stopped after 7 frames, exit status 0"));
}

TEST(HttpStream, FindsARigThatListensAtLocalhostOfIPv6Alone) {
  const int listener = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 at{};
  at.sin6_family = AF_INET6;
  at.sin6_addr = in6addr_loopback;
  socklen_t size = sizeof at;
  if (listener < 0 || ::bind(listener, reinterpret_cast<const sockaddr*>(&at), size) != 0 ||
      ::listen(listener, 1) != 0 || ::getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
    (void)::close(listener);
    GTEST_SKIP() << "this machine has no ::1";
  }
  EXPECT_NO_THROW(HttpStream({"", "localhost", std::to_string(ntohs(at.sin6_port))}, "/", ""));
  (void)::close(listener);
}

/// Answers requests on a unix socket, one after the other, as it is told; then it is gone.
class FakePort {
 public:
  FakePort(const std::filesystem::path& path, std::vector<std::pair<std::string, std::string>> answers)
      : listening_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), answers_(std::move(answers)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
    EXPECT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    EXPECT_EQ(::listen(listening_, 8), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakePort() {
    thread_.join();
    (void)::close(listening_);
  }

 private:
  void serve() {
    for (const auto& [target, answer] : answers_) {
      const int client = ::accept(listening_, nullptr, nullptr);
      std::string request;
      std::array<char, 4096> part{};
      ssize_t got = 1;
      while (got > 0 && request.find("\r\n\r\n") == std::string::npos)
        if ((got = ::recv(client, part.data(), part.size(), 0)) > 0)
          request.append(part.data(), static_cast<std::size_t>(got));
      EXPECT_THAT(request, HasSubstr("GET " + target));
      EXPECT_THAT(request, HasSubstr("Bearer secret"));
      (void)::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
      (void)::close(client);
    }
  }

  int listening_;
  std::vector<std::pair<std::string, std::string>> answers_;
  std::thread thread_;
};

std::string answer_of(const std::string& status, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Taken {
  std::string text;
  SampleSink sink() {
    return {[this](std::int64_t frame, const std::vector<double>& values) {
              text += std::to_string(frame) + ":";
              for (const double value : values) text += std::to_string(static_cast<int>(value)) + ",";
            },
            [this](std::int64_t missing, bool anew) {
              text += "gap" + std::to_string(missing) + (anew ? "!" : "");
            },
            [this](const std::string& reason) { text += "end " + reason; }};
  }
};

TEST(Samples, TakeEveryFrameWhereTheRigStreamsThem) {
  const TempDir dir;
  const std::string head = R"({"columns":[{"name":"a.x"},{"name":"a.y[1]"}]})";
  const std::string end = R"({"state":"Stop","reason":"over"})";
  const std::string body = block(1, static_cast<std::uint32_t>(head.size()), 0, 0, head) +
                           block(2, 2, 5, 0, bytes_of(1.0) + bytes_of(2.0) + bytes_of(3.0) + bytes_of(4.0)) +
                           block(3, 1, 7, 3, "") + block(2, 1, 10, 0, bytes_of(7.0) + bytes_of(8.0)) +
                           block(3, 3, 0, 0, "") +
                           block(5, static_cast<std::uint32_t>(end.size()), 10, 0, end);
  const FakePort port(dir / "s", {{"/v1/stream?names=a.x,a.y%5B1%5D", answer_of("200 OK", body)}});
  Samples samples({{(dir / "s").string(), "", ""}, "secret", "rig", 1'000'000}, {"a.x", "a.y[1]"});
  EXPECT_TRUE(samples.every_frame());
  Taken taken;
  while (samples.wait(1000, taken.sink())) {
  }
  EXPECT_EQ(taken.text, "5:1,3,6:2,4,gap310:7,8,gap0!end over");
}

TEST(Samples, TakeWhatAWatchHandsOutElsewhere) {
  const TempDir dir;
  const std::string body =
      "event: state\ndata: {\"state\":\"StepEnd\"}\n\nevent: values\ndata: "
      "{\"frame\":3,\"values\":{\"a.x\":2,\"a.b\":true}}\n\n"
      "event: values\ndata: {\"frame\":3,\"values\":{\"a.x\":2,\"a.b\":true}}\n\n"
      "event: values\ndata: {\"frame\":9,\"values\":{\"a.x\":5,\"a.b\":false}}\n\n"
      "event: values\ndata: {\"frame\":1,\"values\":{\"a.x\":6}}\n\nevent: end\ndata: "
      "{\"reason\":\"stopped\"}\n\n";
  const FakePort port(dir / "s", {{"/v1/stream?", answer_of("404 Not Found", "{}")},
                                  {"/v1/watch?", answer_of("200 OK", body)}});
  Samples samples({{(dir / "s").string(), "", ""}, "secret", "rig", 1'000'000}, {"a.x", "a.b"});
  EXPECT_FALSE(samples.every_frame());
  std::string text;
  const SampleSink sink{[&](std::int64_t frame, const std::vector<double>& values) {
                          text +=
                              std::to_string(frame) + ":" + std::to_string(static_cast<int>(values[0])) + " ";
                        },
                        [&](std::int64_t, bool anew) { text += anew ? "anew " : "gap "; },
                        [&](const std::string& reason) { text += "end " + reason; }};
  while (samples.wait(1000, sink)) {
  }
  EXPECT_EQ(text, "3:2 9:5 anew 1:6 end stopped");
}

TEST(PortAddress, AWordWithoutAPointIsARigAndNoVariable) {
  for (const char* rig : {"servo", "servo-2", "127.0.0.1:80", "runs/x", "rig.yaml", "unix:x"})
    EXPECT_TRUE(looks_like_address(rig)) << rig;
  for (const char* variable : {"motor.speed", "*", "motor.*", "rt.late", ""})
    EXPECT_FALSE(looks_like_address(variable)) << variable;
}

/// The part of an answer of /v1/variables about one.
std::string row_of(const std::string& name, const std::string& more) {
  return R"({"name":")" + name + R"(",)" + more + "}";
}

TEST(Variables, OfTenThousandNamesAreFoundByAFewRequests) {
  const TempDir dir;
  std::vector<std::string> names, lists(1);
  std::vector<std::pair<std::string, std::string>> answers;
  std::string rows;
  const auto answer = [&] {
    answers.emplace_back("/v1/variables?names=" + lists.back() + " ",
                         answer_of("200 OK", R"({"variables":[)" + rows + R"(],"total":1,"next":null})"));
    rows.clear();
  };
  for (int i = 0; i < 10'000; ++i) {
    names.push_back("model.v" + std::to_string(i));
    if (lists.back().size() >= 12'000) {
      answer();
      lists.emplace_back();
    }
    lists.back() += (lists.back().empty() ? "" : ",") + names.back();
    rows += (rows.empty() ? "" : ",") + row_of(names.back(), R"("unit":"rad/s","role":"state","count":0)");
  }
  answer();
  EXPECT_EQ(answers.size(), 10U) << "it was a request per name";
  const FakePort port(dir / "s", answers);
  std::size_t left_out = 0;
  const auto found = find_variables({{(dir / "s").string(), "", ""}, "secret"}, names, 9'000, left_out);
  ASSERT_EQ(found.size(), 9'000U);
  EXPECT_EQ(left_out, 1'000U);
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].name, names[i]);
}

TEST(Variables, ComeInTheOrderAskedForHoweverTheyAreFound) {
  const TempDir dir;
  const std::string end = R"(],"total":1,"next":null})", list = R"({"variables":[)";
  const FakePort port(
      dir / "s",
      {{"/v1/variables?names=a.x,a.y ",
        answer_of("200 OK", list + row_of("a.x", R"("unit":"m")") + "," +
                                row_of("a.y", R"("unit":"1","count":3)") + end)},
       {"/v1/variables?match=b.*&first=0 ", answer_of("200 OK", list + row_of("b.z", R"("count":3)") + "," +
                                                                    row_of("a.x", R"("unit":"m")") + end)},
       {"/v1/variables/c.w ", answer_of("200 OK", row_of("c.w", R"("role":"input")"))}});
  std::size_t left_out = 0;
  std::string text;
  for (const VariableFacts& each : find_variables({{(dir / "s").string(), "", ""}, "secret"},
                                                  {"a.x", "a.y[2]", "b.*", "c.w"}, 10, left_out))
    text += each.name + "/" + each.unit + (each.number ? "/number " : "/array ");
  EXPECT_EQ(text, "a.x/m/number a.y[2]//number b.z//array c.w//number ");
}

TEST(Variables, ThatAreNotThereAreNamedAsTheRigDoes) {
  const TempDir dir;
  const std::string body = R"({"error":"there is no 'a.z'","problems":["there is no 'a.z'"]})";
  const FakePort port(dir / "s", {{"/v1/variables?names=a.x,a.z ", answer_of("404 Not Found", body)}});
  std::size_t left_out = 0;
  try {
    (void)find_variables({{(dir / "s").string(), "", ""}, "secret"}, {"a.x", "a.z"}, 10, left_out);
    ADD_FAILURE();
  } catch (const NoRigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no 'a.z'"));
  }
}

TEST(Variables, AreAskedForOneByOneOfARigThatTakesNoList) {
  const TempDir dir;
  const std::string body =
      R"({"error":"1 problem","problems":["'names': /v1/variables has no such parameter"]})";
  const auto one = [](const std::string& name) {
    return answer_of("200 OK", R"({"name":")" + name + R"("})");
  };
  const FakePort port(dir / "s", {{"/v1/variables?names=a.x,a.z ", answer_of("400 Bad Request", body)},
                                  {"/v1/variables/a.x ", one("a.x")},
                                  {"/v1/variables/a.z ", one("a.z")}});
  std::size_t left_out = 0;
  const std::vector<VariableFacts> found =
      find_variables({{(dir / "s").string(), "", ""}, "secret"}, {"a.x", "a.z"}, 10, left_out);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].name, "a.z");
}

TEST(Samples, SayWhatTheRigRefuses) {
  const TempDir dir;
  {
    const FakePort port(dir / "s", {{"/v1/stream?", answer_of("401 Unauthorized", "{}")}});
    try {
      Samples samples({{(dir / "s").string(), "", ""}, "secret", "rig", 1'000'000}, {"a.x"});
      ADD_FAILURE();
    } catch (const NoRigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("TACTUS_TOKEN"));
    }
  }
  const FakePort port(
      dir / "t", {{"/v1/stream?", answer_of("400 Bad Request",
                                            R"({"error":"1 problem","problems":["there is no 'a.x'"]})")}});
  try {
    Samples samples({{(dir / "t").string(), "", ""}, "secret", "rig", 1'000'000}, {"a.x"});
    ADD_FAILURE();
  } catch (const NoRigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no 'a.x'"));
  }
}

}  // namespace
}  // namespace tactus::client::streams_test
