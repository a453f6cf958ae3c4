// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/drivers/live/http/support/mutations.hpp"
#include "tests/drivers/live/http/support/served_rig.hpp"

namespace tactus::test::server_random_test {
namespace {

using namespace std::chrono_literals;

TEST(HttpServerRandom, BytesThatWereRequestsOnceHurtNobody) {
  ServedRig served("request_timeout: 30 s\nmax_rate: 1000000");
  served.running.start();
  std::vector<std::string> good;
  {
    const HttpClient shape = served.client();
    for (const auto& target : good_targets()) good.push_back(shape.request("GET", target));
    for (const auto& [target, body] : good_posts()) good.push_back(shape.request("POST", target, body));
  }
  std::mt19937 random(1108425600);
  for (int k = 0; k < 5000; ++k) {
    HttpClient client = served.client();
    ASSERT_TRUE(client.is_connected()) << k;
    (void)client.send(mutated(good[random() % good.size()], good, random));
    if (random() % 4 == 0) (void)client.is_closed(2ms);  // half of them do not wait for what comes
    if (k % 250 == 0) {
      HttpClient one = served.client();
      EXPECT_EQ(one.get("/v1/values?names=motor.speed").status, 200) << k;
    }
    (void)served.rig.take_commands();
  }
  HttpClient last = served.client();
  EXPECT_EQ(last.get("/v1/values?names=motor.speed").status, 200);
  EXPECT_EQ(last.post("/v1/values", R"({"set": {"motor.speed": 1}})").status, 200);
}

}  // namespace
}  // namespace tactus::test::server_random_test
