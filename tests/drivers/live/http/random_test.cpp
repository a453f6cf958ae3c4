// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "drivers/live/http/api.hpp"
#include "tests/drivers/live/http/support/mutations.hpp"
#include "tests/drivers/live/http/support/sample_rig.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::test::random_test {
namespace {

using namespace drivers::live_http;

TEST(HttpApiRandom, RequestsThatWereGoodOnceAreAnsweredOrRefused) {
  FakeLiveRig rig;
  declare_sample(rig);
  Api api(rig, {});
  std::mt19937 random(20050215);
  std::vector<std::string> bodies;
  for (const auto& [target, body] : good_posts()) bodies.push_back(body);
  int good = 0, refused = 0;
  for (int k = 0; k < ::tactus::test::trials(20'000); ++k) {
    Request request{"GET", good_targets()[random() % good_targets().size()], {}, {}, "a test"};
    if (k % 2 == 0) {
      const auto& [target, body] = good_posts()[random() % good_posts().size()];
      request = {
          "POST", target, {{"Content-Type", "application/json"}}, mutated(body, bodies, random), "a test"};
    } else {
      request.target = mutated(request.target, good_targets(), random);
    }
    int replies = 0;
    (void)api.handle(
        request, Respond([&](const Respond::Make& make) {
          ++replies;
          const Reply reply = make();
          (reply.status == 200 ? good : refused) += 1;
          EXPECT_NE(reply.status, 500) << request.target << "\n" << request.body << "\n" << reply.body;
          if (reply.status != 200) {
            EXPECT_FALSE(reply.body["problems"].empty()) << reply.body;
          }
          EXPECT_FALSE(text_of(reply.body).empty());
        }));
    rig.end_frame(k);
    for (const auto& written : rig.take_written()) written.then({true, k, ""});
    for (const auto& asked : rig.take_episodes()) asked.then({});
    EXPECT_EQ(replies, 1) << request.target << "\n" << request.body;
    (void)rig.take_commands();
  }
  EXPECT_GT(good, ::tactus::test::trials(500) / 2) << "some mutations are harmless";
  EXPECT_GT(refused, ::tactus::test::trials(5000) / 2);
}

}  // namespace
}  // namespace tactus::test::random_test
