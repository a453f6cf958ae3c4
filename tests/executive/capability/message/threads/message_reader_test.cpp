// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/message/message_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tactus::executive::message_reader_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A model whose calls may be held, and which notices two at once.
struct Model {
  explicit Model(int messages) : left(messages) {}

  std::optional<ModelMessage> take() {
    EXPECT_FALSE(in_call.exchange(true)) << "two calls at a time";
    if (holds.load()) {
      is_held.release();
      go_on.acquire();
    }
    in_call.store(false);
    if (left.load() == 0) return std::nullopt;
    return ModelMessage{false, std::to_string(left.fetch_sub(1))};
  }

  std::atomic<int> left;
  std::atomic<bool> holds{false}, in_call{false};
  std::binary_semaphore is_held{0}, go_on{0};
};

class MessageReaderTest : public ::testing::Test {
 protected:
  void begin(std::vector<std::pair<std::string, Model*>> models) {
    std::vector<MessageReader::Source> sources;
    for (const auto& each : models)
      sources.push_back(
          {each.first, "driver of " + each.first, [model = each.second] { return model->take(); }});
    reader = std::make_unique<MessageReader>(std::move(sources), rtsync::ThreadSettings{"messages"});
  }
  /// Takes until the reader has ended.
  void end() {
    reader->request_end();
    take_until_ended();
  }
  void take_until_ended() {
    while (!reader->ended()) {
      take();
      look();
    }
    take();
  }
  void take() {
    for (const auto& each : reader->take()) said[each.model].push_back(each.message.text);
  }
  /// Time passes while the model that is held is in its call, however busy this machine is.
  void look() {
    std::this_thread::sleep_for(1ms);
    const MessageReader::Source* const awaited = reader->awaited();
    if (awaited != nullptr && awaited->model == held) now += 200ms;
    for (const auto& [source, hangs, has_failed] : reader->look(now))
      changes.push_back(source.model + (hangs ? " hangs" : " is back"));
  }

  std::unique_ptr<MessageReader> reader;
  MessageReader::Clock::time_point now = MessageReader::Clock::now() + 1h;
  std::map<std::string, std::vector<std::string>> said;
  std::vector<std::string> changes;
  std::string held;
};

TEST_F(MessageReaderTest, TakesAllThatThereIsInItsOrder) {
  Model a(3), b(1);
  begin({{"a", &a}, {"b", &b}});
  end();
  EXPECT_THAT(said["a"], ElementsAre("3", "2", "1"));
  EXPECT_THAT(said["b"], ElementsAre("1"));
  EXPECT_THAT(changes, IsEmpty());
  EXPECT_THAT(reader->hanging(), IsEmpty());
}

TEST_F(MessageReaderTest, ACallThatHangsKeepsNoOtherModelBack) {
  Model a(3), b(2);
  a.holds = true;
  begin({{"a", &a}, {"b", &b}});
  a.is_held.acquire();
  held = "a";
  end();
  EXPECT_THAT(said["a"], IsEmpty());
  EXPECT_THAT(said["b"], ElementsAre("2", "1"));
  EXPECT_THAT(changes, ElementsAre("a hangs"));
  ASSERT_EQ(reader->hanging().size(), 1U);
  EXPECT_EQ(reader->hanging()[0]->code, "driver of a");
  reader.reset();  // it waits for no call that hangs
  a.holds = false;
  a.go_on.release();
  while (a.left.load() == 3) std::this_thread::sleep_for(1ms);
}

TEST_F(MessageReaderTest, ACallThatReturnsAfterAllIsReadAgain) {
  Model a(3), b(2);
  a.holds = true;
  begin({{"a", &a}, {"b", &b}});
  a.is_held.acquire();
  held = "a";
  while (changes.empty()) look();
  held.clear();
  a.holds = false;
  a.go_on.release();
  while (changes.size() < 2) look();
  end();
  EXPECT_THAT(changes, ElementsAre("a hangs", "a is back"));
  EXPECT_THAT(said["a"], ElementsAre("3", "2", "1"));
  EXPECT_THAT(reader->hanging(), IsEmpty());
}

TEST_F(MessageReaderTest, AProcessThatStoodStillGaveNoCallTheTimeToReturn) {
  Model a(1);
  a.holds = true;
  begin({{"a", &a}});
  a.is_held.acquire();
  for (int i = 0; i < 4; ++i) EXPECT_THAT(reader->look(now += 1h), IsEmpty()) << i;  // 250 ms each
  EXPECT_EQ(reader->awaited()->model, "a");
  EXPECT_LT(reader->waited(), 1s);
  a.holds = false;
  a.go_on.release();
  end();
  EXPECT_THAT(said["a"], ElementsAre("1"));
}

TEST_F(MessageReaderTest, AModelThatThrowsIsReadNoMore) {
  std::atomic<int> calls{0};
  std::vector<MessageReader::Source> sources{{"a", "driver of a", [&]() -> std::optional<ModelMessage> {
                                                ++calls;
                                                throw std::runtime_error("the wire is broken");
                                              }}};
  reader = std::make_unique<MessageReader>(std::move(sources), rtsync::ThreadSettings{"messages"});
  end();
  EXPECT_THAT(said["a"], ElementsAre("its messages are not read any more: the wire is broken"));
  EXPECT_EQ(calls, 1);
}

TEST_F(MessageReaderTest, AModelThatNeverStopsKeepsTheEndBackForSomeThousandsOnly) {
  Model a(1'000'000'000), b(1);
  begin({{"a", &a}, {"b", &b}});
  end();
  EXPECT_LE(said["a"].size(), 20'000U) << "of the last round 10,000, and what was read before";
  EXPECT_GT(said["a"].size(), 0U);
  EXPECT_THAT(said["b"], ElementsAre("1"));
}

TEST_F(MessageReaderTest, ManyMessagesOfOneModelKeepOutNoneOfTheOthersAtTheEnd) {
  Model a(10'000), b(10'000), c(5);
  begin({{"a", &a}, {"b", &b}, {"c", &c}});
  end();
  EXPECT_EQ(said["a"].size(), 10'000U);
  EXPECT_EQ(said["b"].size(), 10'000U);
  EXPECT_EQ(said["c"].size(), 5U);
}

TEST_F(MessageReaderTest, ACallThatReturnsDuringTheEndLeavesNothingUnread) {
  Model a(3), b(1);
  a.holds.store(true);
  held = "a";
  begin({{"a", &a}, {"b", &b}});
  a.is_held.acquire();
  while (changes.empty()) look();
  a.holds.store(false);
  reader->request_end();
  take_until_ended();  // but for the call that hangs
  EXPECT_EQ(reader->hanging().size(), 1U);
  a.go_on.release();
  while (!reader->hanging().empty() || !reader->ended()) look();
  take();
  EXPECT_THAT(said["a"], ElementsAre("3", "2", "1"));
  EXPECT_THAT(said["b"], ElementsAre("1"));
}

}  // namespace
}  // namespace tactus::executive::message_reader_test
