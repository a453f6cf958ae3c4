// SPDX-License-Identifier: Apache-2.0
// Addresses: what is one, what is said of one that is none, and how others get to know them.
#include "drivers/silkit/wire/uri.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>

#include "tests/support/snapshot.hpp"

namespace tactus::silkit::uri_test {
namespace {

using Scheme = Uri::Scheme;
using testing::ElementsAre;
using testing::IsEmpty;

Uri uri(Scheme scheme, std::string host, std::uint16_t port, std::string simulation = "") {
  return {scheme, std::move(host), port, std::move(simulation), ""};
}

TEST(Hash64, HasTheseValues) {
  const struct {
    std::string_view text;
    std::uint64_t decimal, hex;
  } rows[] = {
      {"", 5381, 0x1505},
      {"A", 177638, 0x2b5e6},
      {"G", 177644, 0x2b5ec},
      {"P", 177653, 0x2b5f5},
      {"Participant1", 13993250481497815765U, 0xc232032c6abdbad5},
      {"SystemController", 13959005887627043214U, 0xc1b859e59598a18e},
      {"SystemMonitor", 6826869491227750514U, 0x5ebde9a1c894f072},
      {kRegistryName, 13716626440882053870U, 0xbe5b3f12fd8162ee},
      {"Ü", 5857796, 0x596204},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(hash64(row.text), row.decimal) << row.text;
    EXPECT_EQ(hash64(row.text), row.hex) << row.text;
  }
}

TEST(PathHash, HasTheseValues) {
  const std::pair<std::string_view, std::uint64_t> rows[] = {
      {"", 0x553e93901e462a6e},
      {"a", 0x454ddee488c1ed6b},
      {"abcdefg", 0xdeee6830a3af82af},
      {"abcdefgh", 0x783db3e38db898bb},
      {"SilKitRegistry0silkit://127.0.0.1:8500/home/user/sim", 0x37474c8dec539467},
      {"P177653silkit://localhost:8500/home/user/sim", 0x2819322403cb39f6},
  };
  for (const auto& [text, hash] : rows) EXPECT_EQ(path_hash(text), hash) << text;
}

#if defined(__GLIBCXX__)
TEST(PathHash, IsThatOfTheLibrary) {
  std::string text;
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(path_hash(text), std::hash<std::string>{}(text)) << text.size();
    text += static_cast<char>(k * 37);
  }
}
#endif

TEST(ParseUri, ReadsWhatUsersAndPeersWrite) {
  const std::pair<std::string_view, Uri> rows[] = {
      {"silkit://localhost", uri(Scheme::silkit, "localhost", 8500)},
      {"silkit://localhost/", uri(Scheme::silkit, "localhost", 8500)},
      {"silkit://localhost:1234", uri(Scheme::silkit, "localhost", 1234)},
      {"silkit://localhost:0", uri(Scheme::silkit, "localhost", 0)},
      {"silkit://localhost:65535/", uri(Scheme::silkit, "localhost", 65535)},
      {"silkit://127.0.0.1:8500/sim", uri(Scheme::silkit, "127.0.0.1", 8500, "sim")},
      {"silkit://rig-1.lab_a/Az09_-.~/b", uri(Scheme::silkit, "rig-1.lab_a", 8500, "Az09_-.~/b")},
      {"silkit://h/a/", uri(Scheme::silkit, "h", 8500, "a/")},
      {"silkit://[::1]", uri(Scheme::silkit, "::1", 8500)},
      {"silkit://[::1]/sim", uri(Scheme::silkit, "::1", 8500, "sim")},
      {"silkit://[fe80::a:1%eth0]:9/s", uri(Scheme::silkit, "fe80::a:1%eth0", 9, "s")},
      {"silkit://::1:8501", uri(Scheme::silkit, "::1", 8501)},  // the last colon
      {"tcp://0.0.0.0:45705", uri(Scheme::tcp, "0.0.0.0", 45705)},
      {"tcp://[::]:1", uri(Scheme::tcp, "::", 1)},
      {"tcp://[::1]:1234", uri(Scheme::tcp, "::1", 1234)},
      {"tcp://[::ffff:1.2.3.4]:1234", uri(Scheme::tcp, "::ffff:1.2.3.4", 1234)},
      {"tcp://fe80::1:1234", uri(Scheme::tcp, "fe80::1", 1234)},
      {"tcp://host", uri(Scheme::tcp, "host", 0)},
      {"local:///tmp/x.silkit", {Scheme::local, "", 0, "", "/tmp/x.silkit"}},
      {"local://a b:1//c?d", {Scheme::local, "", 0, "", "a b:1//c?d"}},
  };
  for (const auto& [text, expected] : rows) {
    const Uri read = parse_uri(text);
    EXPECT_EQ(read, expected) << text << " was read as " << read.text();
    EXPECT_EQ(parse_uri(read.text()), expected) << read.text();
  }
}

TEST(UriText, IsWhole) {
  EXPECT_EQ(parse_uri("silkit://localhost").text(), "silkit://localhost:8500");
  EXPECT_EQ(parse_uri("silkit://localhost/").text(), "silkit://localhost:8500");
  EXPECT_EQ(parse_uri("silkit://[::1]/a/").text(), "silkit://[::1]:8500/a/");
  EXPECT_EQ(parse_uri("tcp://[::1]:1234").text(), "tcp://[::1]:1234");
  EXPECT_EQ(parse_uri("tcp://1.2.3.4:5").text(), "tcp://1.2.3.4:5");
  EXPECT_EQ(parse_uri("local:///tmp/x").text(), "local:///tmp/x");
}

std::string complaint(const std::function<void()>& call) {
  try {
    call();
    return "none";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(ParseUri, SaysWhatIsWrongAndHowOneLooks) {
  tactus::test::Snapshot texts;
  const std::string rows[] = {"",
                              "localhost:8500",
                              "silkit:localhost",
                              "://localhost",
                              "http://localhost",
                              "SILKIT://localhost",
                              " silkit://localhost",
                              "silkit://",
                              "silkit:///sim",
                              "silkit://:8500",
                              "silkit://localhost:",
                              "silkit://localhost:/sim",
                              "silkit://localhost:65536",
                              "silkit://localhost:99999999999999999999",
                              "silkit://localhost:-1",
                              "silkit://localhost:+1",
                              "silkit://localhost: 1",
                              "silkit://localhost:8500x",
                              "silkit://localhost//",
                              "silkit://localhost//sim",
                              "silkit://localhost/a//b",
                              "silkit://localhost/a b",
                              "silkit://localhost/a:1",
                              "silkit://localhost/a?b",
                              "silkit://localhost/\xC3\x9C",
                              "silkit://me@host",
                              "silkit://host?q",
                              "silkit://a b",
                              "silkit://a%20b",
                              "silkit://a:b:1",
                              "silkit://::1",
                              "silkit://[::1",
                              "silkit://[::1]x",
                              "silkit://[::1]1234",
                              "silkit://[::1]:",
                              "silkit://[]:1",
                              "silkit://[localhost]:1",
                              "silkit://[127.0.0.1]:1",
                              "tcp://",
                              "tcp://:1",
                              "tcp://host:x",
                              "tcp://host:1/sim",
                              "local://"};
  for (const std::string& text : rows) texts.add(complaint([&] { (void)parse_uri(text); }));
  EXPECT_THROW(parse_uri(std::string_view("local:///tmp/\0x", 15)), std::invalid_argument);
  EXPECT_THROW(parse_uri(std::string_view("tcp://127.0.0.1\0:1", 18)), std::invalid_argument);
}

TEST(ParseRegistryUri, TakesOnlySilkit) {
  tactus::test::Snapshot texts;
  EXPECT_EQ(parse_registry_uri("silkit://[::1]:1/a"), uri(Scheme::silkit, "::1", 1, "a"));
  for (const std::string text : {"tcp://localhost:1", "local:///tmp/x", "http://localhost"}) {
    texts.add(complaint([&] { (void)parse_registry_uri(text); }));
  }
}

TEST(Uris, KnowLoopbackAndCatchAll) {
  const struct {
    std::string_view text;
    bool loopback, catch_all;
  } rows[] = {
      {"tcp://localhost:1", true, false},
      {"tcp://127.0.0.1:1", true, false},
      {"tcp://127.1.2.3:1", true, false},
      {"tcp://[::1]:1", true, false},
      {"local:///tmp/x", true, false},
      {"local://0.0.0.0", true, false},
      {"silkit://localhost", true, false},
      {"tcp://0.0.0.0:1", false, true},
      {"tcp://[::]:1", false, true},
      {"silkit://0.0.0.0:1", false, true},
      {"tcp://127.0.0.1.example.com:1", false, false},
      {"tcp://192.168.0.1:1", false, false},
      {"tcp://[fe80::1]:1", false, false},
      {"tcp://host:1", false, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(parse_uri(row.text).is_loopback(), row.loopback) << row.text;
    EXPECT_EQ(parse_uri(row.text).catches_all(), row.catch_all) << row.text;
  }
}

// ---- domain sockets

/// The variables that name the temporary folder, as they were, at the end.
class TemporaryFolder : public testing::Test {
 protected:
  // NOLINTBEGIN(concurrency-mt-unsafe): the test is alone in its process
  TemporaryFolder() {
    for (const char* const name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
      if (const char* const value = std::getenv(name)) before_[name] = value;
      ::unsetenv(name);
    }
  }
  ~TemporaryFolder() override {
    for (const char* const name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) ::unsetenv(name);
    for (const auto& [name, value] : before_) set(name, value);
  }
  static void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  // NOLINTEND(concurrency-mt-unsafe)

 private:
  std::map<std::string, std::string> before_;
};

TEST_F(TemporaryFolder, IsTheFirstThatIsNamed) {
  EXPECT_EQ(temporary_folder(), "/tmp");
  set("TEMPDIR", "/d");
  EXPECT_EQ(temporary_folder(), "/d");
  set("TEMP", "/c");
  EXPECT_EQ(temporary_folder(), "/c");
  set("TMP", "/b");
  EXPECT_EQ(temporary_folder(), "/b");
  set("TMPDIR", "");
  EXPECT_EQ(temporary_folder(), "/b");
  set("TMPDIR", "/a");
  EXPECT_EQ(temporary_folder(), "/a");
}

TEST_F(TemporaryFolder, HoldsTheSocketsOfRegistryAndParticipants) {
  EXPECT_EQ(socket_path(kRegistryName, 0, "silkit://127.0.0.1:8500", "/home/user/sim"),
            "/tmp/SilKitRegi37474c8dec539467.silkit");
  EXPECT_EQ(socket_path("P", hash64("P"), "silkit://localhost:8500", "/home/user/sim"),
            "/tmp/P2819322403cb39f6.silkit");
  set("TMPDIR", "/run/x");
  EXPECT_EQ(socket_path("P", hash64("P"), "silkit://localhost:8500", "/home/user/sim"),
            "/run/x/P2819322403cb39f6.silkit");
}

TEST_F(TemporaryFolder, HoldsSocketsWithTheBeginningOfAnyName) {
  const std::pair<std::string, std::string> rows[] = {
      {"", ""},
      {"aZ0_-.~", "aZ0_-.~"},
      {"0123456789abc", "0123456789"},
      {"a/b", "a2Fb"},
      {"../../x", "..2F..2Fx"},
      {"Ü", "C39C"},
      {"a b c d e", "a20b20c20d"},
      {"123456789/", "1234567892"},  // cut within
      {std::string("\0\n", 2), "000A"},
  };
  for (const auto& [name, begin] : rows) {
    const std::string file = socket_path(name, 1, "u", "/").filename();
    EXPECT_EQ(file.substr(0, begin.size()), begin);
    const std::string hash = file.substr(begin.size(), file.size() - begin.size() - 7);
    EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos) << file;
    EXPECT_LE(hash.size(), 16U) << file;
    EXPECT_EQ(file.substr(file.size() - 7), ".silkit");
  }
}

// ---- acceptors

std::vector<std::string> texts(const std::vector<Uri>& uris) {
  std::vector<std::string> result;
  for (const Uri& one : uris) result.push_back(one.text());
  return result;
}

TEST(ConnectOrder, IsSocketsThenIpv4ThenIpv6ThenOthers) {
  EXPECT_THAT(texts(in_connect_order({"tcp://host:1", "tcp://[::1]:2", "nonsense", "tcp://127.0.0.1:3",
                                      "local:///b", "tcp://[fe80::1]:4", "tcp://10.0.0.1:5", "", "local:///a",
                                      "tcp://another:6", "tcp://[x]:7"})),
              ElementsAre("local:///b", "local:///a", "tcp://127.0.0.1:3", "tcp://10.0.0.1:5",
                          "tcp://[::1]:2", "tcp://[fe80::1]:4", "tcp://host:1", "tcp://another:6"));
  EXPECT_THAT(in_connect_order({}), IsEmpty());
}

using Texts = std::vector<std::string>;
using Address = std::optional<std::string>;

TEST(RewrittenAcceptors, FollowTheTable) {
  const Texts all{"local:///x", "tcp://0.0.0.0:1", "tcp://[::]:2"};
  const Address socket;
  const struct {
    Address from, to;
    Texts expected;
    std::string_view why;
  } rows[] = {
      {socket, socket, {"local:///x", "tcp://127.0.0.1:1", "tcp://[::1]:2"}, "two domain sockets"},
      {socket, "127.0.0.1", {"local:///x", "tcp://127.0.0.1:1", "tcp://[::1]:2"}, "a socket, and loopback"},
      {"127.0.0.1", socket, {"local:///x", "tcp://127.0.0.1:1", "tcp://[::1]:2"}, "loopback, and a socket"},
      {"127.0.0.1",
       "127.0.0.1",
       {"local:///x", "tcp://127.0.0.1:1", "tcp://[::1]:2"},
       "added once, not thrice"},
      {"::1", "127.0.0.1", {"local:///x", "tcp://127.0.0.1:1", "tcp://[::1]:2"}, "loopback of either family"},
      {"127.0.0.5",
       "127.0.0.1",
       {"local:///x", "tcp://127.0.0.1:1", "tcp://127.0.0.5:1", "tcp://[::1]:2"},
       "another loopback address"},
      {"127.0.0.1",
       "192.168.0.1",
       {"local:///x", "tcp://192.168.0.1:1", "tcp://127.0.0.1:1"},
       "a local one for a remote audience: the address the audience knows, then what it is seen under"},
      {socket, "192.168.0.1", {"local:///x", "tcp://192.168.0.1:1"}, "a socket for a remote audience"},
      {socket, "fe80::1", {"local:///x", "tcp://[fe80::1]:2"}, "of the audience's family only"},
      {"192.168.0.7",
       "127.0.0.1",
       {"local:///x", "tcp://192.168.0.7:1"},
       "a remote one for a local audience"},
      {"192.168.0.7", socket, {"local:///x", "tcp://192.168.0.7:1"}, "the same over a socket"},
      {"192.168.0.7", "192.168.0.1", {"local:///x", "tcp://192.168.0.7:1"}, "both remote"},
      {"fd00::7", "192.168.0.1", {"local:///x", "tcp://[fd00::7]:2"}, "remote over IPv6"},
      {"::ffff:192.168.0.7",
       "127.0.0.1",
       {"local:///x", "tcp://192.168.0.7:1"},
       "IPv4 seen by an IPv6 socket"},
      {"::ffff:9.8.7.6", "127.0.0.1", {"local:///x", "tcp://9.8.7.6:1"}, "of which each digit counts"},
  };
  for (const auto& row : rows) EXPECT_EQ(rewritten_acceptors(all, row.from, row.to), row.expected) << row.why;
}

TEST(RewrittenAcceptors, PassOtherAddressesOn) {
  EXPECT_THAT(rewritten_acceptors({"tcp://10.0.0.1:1", "tcp://127.0.0.1:2", "what is this", "local:///b",
                                   "tcp://host:3", "local:///a", "tcp://10.0.0.1:1"},
                                  "10.0.0.1", "127.0.0.1"),
              ElementsAre("local:///a", "local:///b", "tcp://127.0.0.1:2", "tcp://10.0.0.1:1", "tcp://host:3",
                          "what is this"));
}

TEST(RewrittenAcceptors, HaveLoopbackFirstForThoseWhoAreLocalAndLastForOthers) {
  const Texts given{"tcp://10.0.0.1:1", "tcp://127.0.0.1:2", "local:///a", "tcp://[::1]:3"};
  EXPECT_THAT(rewritten_acceptors(given, "10.0.0.1", "127.0.0.1"),
              ElementsAre("local:///a", "tcp://127.0.0.1:2", "tcp://[::1]:3", "tcp://10.0.0.1:1"));
  EXPECT_THAT(rewritten_acceptors(given, "10.0.0.1", "10.0.0.9"),
              ElementsAre("local:///a", "tcp://10.0.0.1:1", "tcp://127.0.0.1:2", "tcp://[::1]:3"));
  EXPECT_THAT(rewritten_acceptors({}, std::nullopt, std::nullopt), IsEmpty());
}

// ---- capabilities

TEST(Capabilities, AreAListOfObjectsWithAName) {
  EXPECT_EQ(capabilities_text({}), "");
  EXPECT_EQ(capabilities_text({"autonomous-synchronous"}), R"([{"name":"autonomous-synchronous"}])");
  EXPECT_EQ(capabilities_text({"a", "b\""}), R"([{"name":"a"},{"name":"b\""}])");
  for (const std::string name : {"a", "b\""})
    EXPECT_TRUE(has_capability(capabilities_text({"a", "b\""}), name));
}

TEST(Capabilities, AreFoundHoweverTheyAreWritten) {
  for (const std::string_view text : {
           R"([{"name":"x"},{"name":"autonomous-synchronous"}])",
           "[ { \"name\" : \"autonomous-synchronous\" } ]\n",
           "[{\"version\": 2, name: autonomous-synchronous}]",
           "- name: x\n- name: autonomous-synchronous\n",
       })
    EXPECT_TRUE(has_capability(text, "autonomous-synchronous")) << text;
}

TEST(Capabilities, ThatCannotBeReadAreNone) {
  for (const std::string_view text : {
           "",
           "[]",
           "garbage",
           "autonomous-synchronous",
           R"(["autonomous-synchronous"])",
           R"({"name":"autonomous-synchronous"})",
           R"([{"name":"autonomous-synchronous"})",
           R"([{"name":"autonomous-synchronous"}]])",
           R"([{"name":"autonomous-synchronous-2"}])",
           R"([{"name":"Autonomous-Synchronous"}])",
           R"([{"title":"autonomous-synchronous"}])",
           "\xff\xfe[{",
       })
    EXPECT_FALSE(has_capability(text, "autonomous-synchronous")) << text;
}

}  // namespace
}  // namespace tactus::silkit::uri_test
