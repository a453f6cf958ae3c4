// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/witness_page.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace tactus::rtsync::witness_page_test {
namespace {

TEST(WitnessPage, PassesSignalsOnInTheirOrderWithTheirNumbers) {
  const auto page = std::make_unique<WitnessPage>();
  EXPECT_FALSE(page->take_passed());
  EXPECT_TRUE(page->pass({2, 0}));
  EXPECT_TRUE(page->pass({34, -7}));
  const auto first = page->take_passed();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->number, 2);
  const auto second = page->take_passed();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->number, 34);
  EXPECT_EQ(second->value, -7);
  EXPECT_FALSE(page->take_passed());
}

TEST(WitnessPage, RefusesWhatARigThatTakesNothingHasNoRoomFor) {
  const auto page = std::make_unique<WitnessPage>();
  for (std::uint32_t i = 0; i < WitnessPage::kMostPassed; ++i) EXPECT_TRUE(page->pass({10, 0}));
  EXPECT_FALSE(page->pass({10, 0}));
  EXPECT_TRUE(page->take_passed());
  EXPECT_TRUE(page->pass({12, 0}));
}

TEST(WitnessPage, KeepsTheBeginningOfALongText) {
  const auto page = std::make_unique<WitnessPage>();
  page->set_doing(std::string(5000, 'x'));
  EXPECT_EQ(page->doing_text(), std::string(page->doing.size(), 'x'));
}

TEST(WitnessPage, KnowsTheInnermostOfWhatIsDone) {
  static WitnessPage page;
  {
    const Doing unseen("nobody has a page yet");
    EXPECT_EQ(witness_page(), nullptr);
  }
  show_to_witness(page);
  {
    const Doing outer("model 'a' was made");
    {
      const Doing inner("library 'b' was loaded");
      EXPECT_EQ(page.doing_text(), "library 'b' was loaded");
    }
    EXPECT_EQ(page.doing_text(), "model 'a' was made");
  }
  EXPECT_EQ(page.doing_text(), "");
}

TEST(WitnessPage, KeepsTheCallThatEndsTheProcess) {
  static WitnessPage page;
  show_to_witness(page);
  EXPECT_EQ(page.call_text(), "");
  tell_witness_of_call("quick_exit()");
  EXPECT_EQ(page.call_text(), "quick_exit()");
  tell_witness_of_call(std::string(100, 'x'));
  EXPECT_EQ(page.call_text(), std::string(page.call.size(), 'x'));
}

}  // namespace
}  // namespace tactus::rtsync::witness_page_test
