// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <vector>

#include "tests/support/temp_dir.hpp"

namespace tactus::silkit::socket_test {
namespace {

using tactus::test::TempDir;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::chrono::seconds kTimeout{40};

Listener at_loopback() { return {parse_uri("tcp://127.0.0.1:0"), {}}; }

std::string closed_port() { return at_loopback().uri().text(); }

Address address_of(const std::string& uri) { return addresses_of(parse_uri(uri)).front(); }

struct Dialled {
  std::vector<std::size_t> connected;
  std::vector<std::string> vain;
};
Dialled dialled(const std::vector<std::vector<Address>>& places,
                std::chrono::nanoseconds timeout = kTimeout) {
  Dialled result;
  result.vain = dial(places, timeout, {}, [&](std::size_t place, const Descriptor& socket) {
    EXPECT_GE(socket.get(), 0);
    result.connected.push_back(place);
  });
  return result;
}

TEST(SocketOptions, HaveTheKernelNoticeAHostThatVanishes) {
  const auto of = [](int socket, int level, int option) {
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(socket, level, option, &value, &size), 0);
    return value;
  };
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  apply(socket.get(), {});
  EXPECT_EQ(of(socket.get(), SOL_SOCKET, SO_KEEPALIVE), 0) << "only where it is asked for";
  apply(socket.get(), {.host_timeout = std::chrono::seconds(10)});
  EXPECT_EQ(of(socket.get(), SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(of(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE), 3);
  EXPECT_EQ(of(socket.get(), IPPROTO_TCP, TCP_KEEPINTVL), 3);
  EXPECT_EQ(of(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT), 10'000) << "of bytes that nobody acknowledges";
  const Descriptor local(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  apply(local.get(), {.host_timeout = std::chrono::seconds(10)});  // refused, and left alone
}

TEST(Dial, TakesTheFirstAddressThatAnswers) {
  const Listener listener = at_loopback();
  const Dialled result = dialled(
      {{address_of("local:///nowhere/x"), address_of(closed_port()), address_of(listener.uri().text())}});
  EXPECT_THAT(result.connected, ElementsAre(0U));
  EXPECT_THAT(result.vain, ElementsAre(""));
}

TEST(Dial, TellsEverythingThatWasTriedInVain) {
  const std::string closed = closed_port();
  const Listener listener = at_loopback();
  const Dialled result = dialled(
      {{address_of("local:///nowhere/x"), address_of(closed)}, {}, {address_of(listener.uri().text())}});
  EXPECT_THAT(result.connected, ElementsAre(2U));
  EXPECT_THAT(result.vain, ElementsAre(AllOf(HasSubstr("local:///nowhere/x: No such file"),
                                             HasSubstr(closed + ": Connection refused")),
                                       "no address to try", ""));
}

TEST(Dial, WaitsUntilAFullBacklogHasRoom) {
  const TempDir folder;
  const std::string path = "local://" + (folder / "full").string();
  const Listener listener(parse_uri(path), {});
  // Nobody accepts: sooner or later the backlog is full, which for a domain socket is not "in progress".
  const Dialled result =
      dialled(std::vector<std::vector<Address>>(1100, {address_of(path)}), std::chrono::milliseconds(100));
  EXPECT_GT(result.connected.size(), 0U);
  EXPECT_LT(result.connected.size(), 1100U);
  EXPECT_THAT(result.vain, testing::Contains(path + ": no answer"));
}

TEST(Sockets, MayBecomeTheirOwnPeers) {
  const Descriptor itself(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const Address any = address_of("tcp://127.0.0.1:0");
  ASSERT_EQ(::bind(itself.get(), reinterpret_cast<const sockaddr*>(&any.storage), any.size), 0);
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  ASSERT_EQ(::getsockname(itself.get(), reinterpret_cast<sockaddr*>(&own), &size), 0);
  EXPECT_FALSE(is_its_own_peer(itself.get())) << "not connected yet";
  ASSERT_EQ(::connect(itself.get(), reinterpret_cast<const sockaddr*>(&own), size), 0);
  EXPECT_TRUE(is_its_own_peer(itself.get()));
  const Listener listener = at_loopback();
  (void)dial({{address_of(listener.uri().text())}}, kTimeout, {},
             [](std::size_t, const Descriptor& other) { EXPECT_FALSE(is_its_own_peer(other.get())); });
}

TEST(Listener, RemovesItsFileAndNobodyElses) {
  const TempDir folder;
  const std::filesystem::path path = folder / "a";
  const Uri uri = parse_uri("local://" + path.string());
  std::optional<Listener> first(std::in_place, uri, SocketOptions{});
  EXPECT_THROW(Listener(uri, {}), std::runtime_error) << "somebody listens there";
  std::filesystem::remove(path);
  const Listener second(uri, {});
  first.reset();
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(Listener, ReplacesTheSocketOfOneWhoIsDead) {
  const TempDir folder;
  const std::filesystem::path path = folder / "a";
  const std::filesystem::path link = folder / "kept";
  const Uri uri = parse_uri("local://" + path.string());
  {
    const Listener dead(uri, {});
    std::filesystem::create_hard_link(path, link);
  }
  std::filesystem::rename(link, path);
  const Listener alive(uri, {});
  EXPECT_THAT(dialled({{address_of(uri.text())}}).connected, ElementsAre(0U));
}

TEST(Listener, LeavesAFileAloneThatIsNoSocket) {
  const TempDir folder;
  const std::filesystem::path path = folder.write("precious", "text");
  EXPECT_THROW(Listener(parse_uri("local://" + path.string()), {}), std::runtime_error);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(Addresses, OfAPathThatIsTooLongAreRefused) {
  EXPECT_THROW((void)addresses_of(parse_uri("local:///tmp/" + std::string(200, 'x'))), std::runtime_error);
}

TEST(Addresses, OfLocalhostBeginWithIpv4) {
  EXPECT_EQ(addresses_of(parse_uri("tcp://localhost:12")).front().text, "tcp://127.0.0.1:12");
}

}  // namespace
}  // namespace tactus::silkit::socket_test
