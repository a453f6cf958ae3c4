// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/witness_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "tests/executive/support/recorded_voice.hpp"

namespace tactus::executive::witness_facts_test {
namespace {

using config::Json;
using test::RecordedVoice;
using ::testing::HasSubstr;

/// A page that no witness looks at, with a file in memory for its facts.
class WitnessFactsTest : public ::testing::Test {
 protected:
  WitnessFactsTest() { page.facts = ::memfd_create("facts", MFD_CLOEXEC); }
  ~WitnessFactsTest() override {
    if (page.facts >= 0) ::close(page.facts);
  }
  std::string facts() const {
    std::array<char, 4096> text{};
    const ssize_t length = ::pread(page.facts, text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
  }

  rtsync::WitnessPage page;
  RecordedVoice voice;
};

TEST_F(WitnessFactsTest, IsToldTheFactsAnewEachTime) {
  tell_witness([] { return Json{{"rig", "a rig with a long name"}, {"frames", 1}}; }, voice.run_log(), &page);
  EXPECT_EQ(Json::parse(facts()), (Json{{"rig", "a rig with a long name"}, {"frames", 1}}));
  tell_witness([] { return Json{{"rig", "r"}}; }, voice.run_log(), &page);
  EXPECT_EQ(facts(), R"({"rig":"r"})") << "nothing of the longer text is left";
  tell_witness([] { return Json{{"rig", "\xff"}}; }, voice.run_log(), &page);
  EXPECT_EQ(facts(), "{\"rig\":\"\ufffd\"}") << "what is no text does not stop it";
}

TEST_F(WitnessFactsTest, OneThatCannotBeToldIsInTheLog) {
  ::close(std::exchange(page.facts, -1));
  tell_witness([] { return Json::object(); }, voice.run_log(), &page);
  EXPECT_THAT(voice.log(), HasSubstr("the witness could not be informed of the rig: Bad file descriptor"));
}

TEST_F(WitnessFactsTest, WithoutAWitnessNothingIsAsked) {
  tell_witness(
      []() -> Json {
        ADD_FAILURE() << "nobody reads it";
        return {};
      },
      voice.run_log(), nullptr);
}

}  // namespace
}  // namespace tactus::executive::witness_facts_test
