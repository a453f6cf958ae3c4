// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/witness_facts.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "tests/executive/support/recorded_voice.hpp"

namespace tactus::executive::witness_facts_test {
namespace {

using config::Json;
using test::RecordedVoice;
using ::testing::HasSubstr;

/// A page that no witness looks at, with files in memory for its facts.
class WitnessFactsTest : public ::testing::Test {
 protected:
  WitnessFactsTest() {
    for (int& file : page.facts) file = ::memfd_create("facts", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  }
  ~WitnessFactsTest() override {
    for (const int file : page.facts)
      if (file >= 0) ::close(file);
  }
  void tell(const Json& facts) {
    tell_witness([&] { return facts; }, voice.run_log(), &page);
  }

  rtsync::WitnessPage page;
  RecordedVoice voice;
};

TEST_F(WitnessFactsTest, IsToldTheFactsAnewEachTime) {
  EXPECT_EQ(told_facts(page), Json::object());
  const Json all[] = {{{"rig", "a rig with a long name"}, {"frames", 1}},
                      {{"rig", "another one"}, {"frames", 2}},
                      {{"rig", "r"}},
                      {{"rig", "s"}}};
  for (const Json& each : all) {
    tell(each);
    EXPECT_EQ(told_facts(page), each) << "nothing of a longer text is left";
  }
  tell({{"rig", "\xff"}});
  EXPECT_EQ(told_facts(page), (Json{{"rig", "\ufffd"}})) << "what is no text does not stop it";
}

TEST_F(WitnessFactsTest, AWriteThatIsCutOffLeavesTheFactsBefore) {
  const Json whole{{"rig", "r"}};
  tell(whole);
  const int next = page.facts.at(page.told == 0 ? 1 : 0);
  // As after a kill, one page of it is written.
  ASSERT_EQ(::ftruncate(next, 4096), 0);
  ASSERT_EQ(::fcntl(next, F_ADD_SEALS, F_SEAL_GROW), 0);
  tell({{"rig", std::string(10'000, 'x')}});
  char first = '\0';
  ASSERT_EQ(::pread(next, &first, 1, 0), 1);
  EXPECT_EQ(first, '{');
  EXPECT_EQ(told_facts(page), whole);
  EXPECT_THAT(voice.log(), HasSubstr("the witness could not be informed of the rig"));
}

TEST_F(WitnessFactsTest, OneThatCannotBeToldIsInTheLog) {
  ::close(std::exchange(page.facts[0], -1));
  tell(Json::object());
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
