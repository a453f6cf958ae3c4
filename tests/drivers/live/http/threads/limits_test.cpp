// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "executive/driver/device_error.hpp"
#include "tests/drivers/live/http/support/served_rig.hpp"

namespace tactus::test::limits_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

/// A rig with a token, and the clients' header for it.
struct Guarded {
  explicit Guarded(const std::string& settings = {}) {
    dir.write("token", std::string(kToken) + "\n");
    ::chmod((dir / "token").c_str(), 0600);
    rig.change_facts().folder = dir.path();
    declare_sample(rig);
    server = server_of("listen: 127.0.0.1:0\ntoken_file: token\n" + settings, dir.path());
    server->open(rig, {});
    const std::string line = server->take_log_lines().at(0);
    port = static_cast<std::uint16_t>(std::stoul(line.substr(line.rfind(':') + 1)));
  }
  ~Guarded() { server->close(); }
  TempDir dir;
  FakeLiveRig rig;
  std::unique_ptr<executive::LiveServer> server;
  std::uint16_t port = 0;
};

TEST(HttpLimits, WithoutTheTokenNothingIsServed) {
  const Guarded guarded;
  HttpClient client(guarded.port);
  const HttpReply none = client.get("/v1/state");
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.headers.at("www-authenticate"), "Bearer");
  EXPECT_THAT(none.body, HasSubstr("Authorization: Bearer TOKEN"));
  for (const std::string wrong :
       {"Bearer 0123456789abcdef0123456789abcdeX", "Bearer 0123456789abcdef", "Bearer ",
        "Basic 0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"}) {
    EXPECT_EQ(client.get("/v1", "Authorization: " + wrong + "\r\n").status, 401) << wrong;
  }
  EXPECT_EQ(client.get("/v1", std::string("Authorization: Bearer ") + kToken + "\r\n").status, 200);
  EXPECT_EQ(client.get("/v1/openapi.json").status, 401);
  EXPECT_EQ(client.get("/no/such").status, 401) << "who may not ask learns nothing";
  const auto lines = guarded.server->take_log_lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], HasSubstr("refused 8 requests without the right token (the last from 127.0.0.1:"));
}

TEST(HttpLimits, PagesOfOtherOriginsAreRefused) {
  ServedRig served;
  HttpClient client = served.client();
  const std::string own = "http://127.0.0.1:" + std::to_string(served.port);
  EXPECT_EQ(client.get("/v1", "Origin: " + own + "\r\n").status, 200);
  for (const std::string origin :
       {"http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1", ""})
    EXPECT_EQ(client.get("/v1", "Origin: " + origin + "\r\n").status, 403) << origin;
  EXPECT_EQ(client.get("/v1", "Sec-Fetch-Site: cross-site\r\n").status, 403);
  EXPECT_EQ(client.get("/v1", "Sec-Fetch-Site: none\r\n").status, 200);
  EXPECT_EQ(client.post("/v1/commands", R"({"command": "stop"})", "Origin: http://evil.example\r\n").status,
            403);
  EXPECT_TRUE(served.rig.take_commands().empty());
}

TEST(HttpLimits, ANameThatIsNotItsOwnIsRefused) {
  ServedRig served;
  HttpClient client = served.client();
  for (const std::string host : {"localhost", "127.0.0.1:1234", "[::1]:80", "LOCALHOST:99"})
    EXPECT_EQ(client.get("/v1", "Host: " + host + "\r\n").status, 200) << host;
  for (const std::string host : {"evil.example", "127.0.0.1.evil.example", "10.0.0.1", "localhost.evil", ""})
    EXPECT_EQ(client.get("/v1", "Host: " + host + "\r\n").status, 403) << host;
}

TEST(HttpLimits, OnlyJsonIsTakenIn) {
  ServedRig served;
  HttpClient client = served.client();
  const char* const body = R"({"command": "pause"})";
  for (const std::string type : {"text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""})
    EXPECT_EQ(client.post("/v1/commands", body, "Content-Type: " + type + "\r\n").status, 415) << type;
  EXPECT_TRUE(served.rig.take_commands().empty());
  EXPECT_EQ(client.post("/v1/commands", body, "Content-Type: application/json; charset=utf-8\r\n").status,
            200);
}

TEST(HttpLimits, ABodyThatIsTooLongIsRefusedAndTheConnectionGoesOn) {
  ServedRig served("max_body: 1 KiB");
  HttpClient client = served.client();
  const HttpReply reply = client.post("/v1/values", std::string(2000, ' '));
  EXPECT_EQ(reply.status, 413);
  EXPECT_THAT(reply.body, HasSubstr("2000 bytes; at most 1024"));
  EXPECT_EQ(client.get("/v1").status, 200);
}

TEST(HttpLimits, ABodyThatIsMuchTooLongIsNotEvenRead) {
  ServedRig served("max_body: 1 KiB");
  HttpClient client = served.client();
  ASSERT_TRUE(
      client.send("POST /v1/values HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\n"));
  EXPECT_EQ(client.receive().status, 413);
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(served.client().get("/v1").status, 200);
}

TEST(HttpLimits, ABodyWithoutALengthIsRefused) {
  ServedRig served;
  HttpClient client = served.client();
  ASSERT_TRUE(
      client.send("POST /v1/values HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"));
  EXPECT_EQ(client.receive().status, 411);
}

TEST(HttpLimits, LongTargetsAndHeadersAreRefused) {
  ServedRig served;
  EXPECT_EQ(served.client().get("/v1/values?names=" + std::string(17000, 'a')).status, 414);
  EXPECT_EQ(served.client().get("/v1", "X-Much: " + std::string(17000, 'a') + "\r\n").status, 431);
  const int huge = served.client().get("/v1/" + std::string(1 << 20, 'a')).status;
  EXPECT_TRUE(huge == 414 || huge == 0) << huge;
  EXPECT_EQ(served.client().get("/v1").status, 200);
}

TEST(HttpLimits, WhoAsksTooOftenWaits) {
  ServedRig served("max_rate: 5");
  HttpClient client = served.client();
  HttpReply reply;
  int good = 0;
  do {
    reply = client.get("/v1");
    good += reply.status == 200;
  } while (reply.status == 200 && good < 1000);
  EXPECT_GE(good, 5);
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.headers.at("retry-after"), "1");
  std::this_thread::sleep_for(1100ms);
  EXPECT_EQ(client.get("/v1").status, 200);
}

/// Asks until the answer is 429: what the client may ask is used up.
template <class Ask>
int ask_too_often(Ask ask) {
  int before = 0;
  for (; before < 100'000 && ask() != 429; ++before) {
  }
  return before;
}

TEST(HttpLimits, APageOfAnotherOriginDoesNotUseUpWhatTheOperatorMayAsk) {
  ServedRig served("max_rate: 5");
  const auto page = [&] {
    HttpClient client = served.client();
    return client.post("/v1/commands", R"({"command": "stop"})", "Origin: http://evil.example\r\n").status;
  };
  EXPECT_GE(ask_too_often(page), 5) << "each is refused, and they are bounded";
  HttpClient operator_of_the_rig = served.client();
  for (int k = 0; k < 5; ++k)
    EXPECT_EQ(operator_of_the_rig.post("/v1/commands", R"({"command": "resume"})").status, 200) << k;
  EXPECT_EQ(served.rig.take_commands().size(), 5U);
}

TEST(HttpLimits, APageThatIsRefusedTooOftenLosesItsConnection) {
  ServedRig served("max_rate: 5");
  HttpClient page = served.client();
  ask_too_often([&] { return page.get("/v1", "Origin: http://evil.example\r\n").status; });
  EXPECT_TRUE(page.is_closed());
}

TEST(HttpLimits, SafetyCommandsAreTakenAboveTheRate) {
  ServedRig served("max_rate: 1\nanswer_timeout: 10 ms");
  HttpClient client = served.client();
  ask_too_often([&] { return client.post("/v1/commands", R"({"command": "resume"})").status; });
  (void)served.rig.take_commands();
  EXPECT_EQ(client.post("/v1/commands", R"({"command": "pause"})").status, 200);
  ask_too_often([&] { return client.post("/v1/commands", R"({"command": "pause"})").status; });
  EXPECT_EQ(client.post("/v1/commands", R"({"command": "stop"})").status, 200) << "pauses have another lane";
  EXPECT_EQ(client.post("/v1/values", R"({"release": ["motor.speed"]})").status, 202) << "no frame runs";
  const auto commands = served.rig.take_commands();
  ASSERT_GE(commands.size(), 2U);
  EXPECT_EQ(commands.front().command, executive::Command::pause);
  EXPECT_EQ(commands.back().command, executive::Command::stop);
  ask_too_often([&] { return client.post("/v1/values", R"({"set": {"motor.speed": 1}})").status; });
}

TEST(HttpLimits, SafetyCommandsAreTakenAboveMaxClients) {
  ServedRig served("max_clients: 1");
  HttpClient watcher = served.client();
  ASSERT_TRUE(watcher.send(watcher.request("GET", "/v1/watch?names=motor.speed")));
  ASSERT_EQ(watcher.receive_head().status, 200);
  EXPECT_EQ(served.client().get("/v1").status, 503);
  EXPECT_EQ(served.client().post("/v1/commands", R"({"command": "resume"})").status, 503);
  EXPECT_EQ(served.client().post("/v1/commands", R"({"command": "stop"})").status, 200);
}

TEST(HttpLimits, WrongTokensAreLimitedApart) {
  const Guarded guarded("max_rate: 5");
  HttpClient guesser(guarded.port);
  ask_too_often([&] {
    return guesser.get("/v1", "Authorization: Bearer 0123456789abcdef0123456789abcdeX\r\n").status;
  });
  HttpClient client(guarded.port);
  for (int k = 0; k < 5; ++k)
    EXPECT_EQ(client.get("/v1", std::string("Authorization: Bearer ") + kToken + "\r\n").status, 200) << k;
}

TEST(HttpLimits, WrongTokensCountForTheRateToo) {
  const Guarded guarded("max_rate: 5");
  HttpClient client(guarded.port);
  int refused = 0, status = 401;
  for (; status == 401 && refused < 1000; ++refused)
    status = client.get("/v1", "Authorization: Bearer 0123456789abcdef0123456789abcdeX\r\n").status;
  EXPECT_EQ(status, 429);
  EXPECT_GT(refused, 5);
}

TEST(HttpLimits, WithoutTheTokenABodyIsNotJudged) {
  const Guarded guarded;
  for (const char* const header : {"Transfer-Encoding: chunked", "Content-Length: 999999999999"}) {
    HttpClient client(guarded.port);
    ASSERT_TRUE(
        client.send(std::string("POST /v1/values HTTP/1.1\r\nHost: localhost\r\n") + header + "\r\n\r\n"));
    EXPECT_EQ(client.receive().status, 401) << header;
    EXPECT_TRUE(client.is_closed()) << header;
  }
}

TEST(HttpLimits, ClientsThatHaveGoneGiveUpTheirPlaces) {
  ServedRig served("max_clients: 8\nanswer_timeout: 1 h");
  for (int k = 0; k < 8; ++k) {
    HttpClient gone = served.client();
    ASSERT_TRUE(gone.send(
        k == 0 ? gone.request("POST", "/v1/episodes", R"({"stop": "2005-02-15T00:00:02Z"})")
               : gone.request("POST", "/v1/values", R"({"frame": 5000000, "set": {"motor.speed": 1}})")));
  }
  std::vector<FakeLiveRig::Written> written;
  std::vector<FakeLiveRig::Asked> episodes;
  const auto until = std::chrono::steady_clock::now() + kHttpTimeout;
  while (written.size() + episodes.size() < 8 && std::chrono::steady_clock::now() < until) {
    for (auto& one : served.rig.take_written()) written.push_back(std::move(one));
    for (auto& one : served.rig.take_episodes()) episodes.push_back(std::move(one));
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(written.size(), 7U) << "what they asked for stays";
  EXPECT_EQ(episodes.size(), 1U);
  std::vector<HttpClient> next;  // all places are free, not one
  while (next.size() < 8 && std::chrono::steady_clock::now() < until) {
    HttpClient one = served.client();
    (void)one.send(one.request("GET", "/v1/watch?names=motor.speed"));
    if (one.receive_head().status == 200) next.push_back(std::move(one));
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(next.size(), 8U);
  for (const auto& one : written) one.then({true, 5000000, ""});  // for nobody
  for (const auto& one : episodes) one.then({});
}

TEST(HttpLimits, WhoClosesOnlyTheOwnSideIsToldToWait) {
  ServedRig served("answer_timeout: 1 h");
  HttpClient client = served.client();
  ASSERT_TRUE(client.send(client.request("GET", "/v1/values?names=motor.speed")));
  client.close_own_side();
  const HttpReply reply = client.receive();
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("Keep the connection open until the reply has come"));
  EXPECT_TRUE(client.is_closed());
}

/// All that comes for a command with this Content-Length, until the connection ends.
std::string answer_to_length(const ServedRig& served, const std::string& length) {
  HttpClient client = served.client();
  EXPECT_TRUE(
      client.send("POST /v1/commands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  "Content-Length: " +
                  length + "\r\n\r\n{\"command\": \"stop\"}"));
  std::string all = client.rest();
  EXPECT_TRUE(client.is_closed()) << length;
  return all;
}

TEST(HttpLimits, TwoLengthsHaveOneAnswer) {
  ServedRig served;
  for (const std::string lengths : {"5\r\nContent-Length: 6", "17\r\nContent-Length: 17",
                                    "2\r\ncontent-length: 20", "17\r\nContent-Length: -5"}) {
    const std::string all = answer_to_length(served, lengths);
    EXPECT_TRUE(all.starts_with("HTTP/1.1 400 ")) << lengths << "\n" << all;
    EXPECT_EQ(all.find("HTTP/1.1", 1), std::string::npos) << lengths << "\n" << all;
    EXPECT_THAT(all, HasSubstr("the header 'Content-Length' is there twice")) << lengths;
  }
  EXPECT_TRUE(served.rig.take_commands().empty());
  EXPECT_EQ(served.client().get("/v1").status, 200);
}

TEST(HttpLimits, ALengthThatIsNoneIsRefusedAndTheConnectionEnds) {
  ServedRig served;
  for (const std::string length :
       {"-5", "99999999999999999999", "9223372036854775808", "+5", "5x", "5, 5", "0x10"}) {
    const std::string all = answer_to_length(served, length);
    EXPECT_TRUE(all.starts_with("HTTP/1.1 400 ") || all.starts_with("HTTP/1.1 413 ")) << length << "\n"
                                                                                      << all;
    EXPECT_THAT(all, HasSubstr("Content-Length")) << length;
  }
  EXPECT_TRUE(served.rig.take_commands().empty());
  EXPECT_EQ(served.client().get("/v1").status, 200);
}

TEST(HttpLimits, ClientsAboveTheLimitAreToldSo) {
  ServedRig served("max_clients: 2");
  HttpClient one = served.client(), two = served.client();
  for (HttpClient* const client : {&one, &two}) {
    ASSERT_TRUE(client->send(client->request("GET", "/v1/watch?names=motor.speed")));
    ASSERT_EQ(client->receive_head().status, 200);
  }
  HttpClient three = served.client();
  const HttpReply reply = three.get("/v1");
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr("live.http.max_clients"));
  EXPECT_TRUE(three.is_closed());
  EXPECT_THAT(served.server->take_log_lines().at(0), HasSubstr("above live.http.max_clients"));
}

TEST(HttpLimits, RequestsThatTrickleAreDropped) {
  ServedRig served("request_timeout: 300 ms");
  std::vector<HttpClient> trickling;
  for (int k = 0; k < 3; ++k) trickling.push_back(served.client());
  const std::string texts[] = {
      "GET /v1 HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "POST /v1/commands HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{"
      "                                   ",
      "GET "
      "/v1/"
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      "a"};
  std::vector<bool> open(3, true);
  const auto began = std::chrono::steady_clock::now();
  const auto any_is_open = [&] { return std::find(open.begin(), open.end(), true) != open.end(); };
  for (std::size_t at = 0; any_is_open() && std::chrono::steady_clock::now() - began < kHttpTimeout; ++at) {
    for (std::size_t k = 0; k < 3; ++k) {
      const bool head_is_due = k == 1 && at == 0;  // so that it is the body that trickles
      const std::string part = head_is_due ? texts[k].substr(0, texts[k].find("\r\n\r\n") + 4)
                                           : texts[k].substr(std::min(at, texts[k].size() - 1), 1);
      if (open[k]) open[k] = trickling[k].send(part) && !trickling[k].is_closed(1ms);
    }
    std::this_thread::sleep_for(15ms);
  }
  EXPECT_THAT(open, testing::Each(false));
  EXPECT_THAT(told_by(*served.server).at(0), HasSubstr("not complete within live.http.request_timeout"));
}

TEST(HttpLimits, ManyThatTrickleDoNotKeepAGoodClientOut) {
  ServedRig served("max_clients: 20\nrequest_timeout: 30 s");
  std::vector<HttpClient> trickling;
  for (int k = 0; k < 200; ++k) {
    trickling.push_back(served.client());
    (void)trickling.back().send("GET /v1 HTTP/1.1\r\nHo");
    if (k % 20 == 19) {
      EXPECT_EQ(served.client().get("/v1").status, 200) << "after " << k;
    }
  }
  EXPECT_EQ(served.client().get("/v1").status, 200);
}

TEST(HttpLimits, AReplyIsNotHeldUpByRequestsThatTrickle) {
  ServedRig served("max_clients: 250\nrequest_timeout: 5 s");
  std::vector<HttpClient> trickling;
  for (int k = 0; k < 200; ++k) {
    trickling.push_back(served.client());
    (void)trickling.back().send("GET /v1 HTTP/1.1\r\nHo");
  }
  HttpClient good = served.client();
  for (int k = 0; k < 50; ++k) EXPECT_EQ(good.get("/v1").status, 200);
  for (HttpClient& one : trickling) EXPECT_TRUE(one.is_closed());
  EXPECT_EQ(good.get("/v1").status, 200);
}

}  // namespace
}  // namespace tactus::test::limits_test
