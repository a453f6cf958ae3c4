// SPDX-License-Identifier: Apache-2.0
// Memory that two processes share, and what is no such memory.
#include "drivers/silkit/net/shared_rings.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/drivers/silkit/net/support/as_user.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::silkit::shared_rings_test {
namespace {

using testing::HasSubstr;
using Step = RingMessage::Step;

class SharedRingsTest : public testing::Test {
 protected:
  std::unique_ptr<SharedRings> made_ = SharedRings::make();
  std::string why_;

  /// An offer of this file of the test's.
  RingMessage with(int descriptor) const {
    RingMessage offer = made_->offer(Step::offer);
    offer.descriptor = static_cast<std::uint32_t>(descriptor);
    return offer;
  }
  off_t size() const { return ::lseek(static_cast<int>(made_->offer(Step::offer).descriptor), 0, SEEK_END); }
};

TEST_F(SharedRingsTest, LeadBothWays) {
  const auto opened = SharedRings::open(made_->offer(Step::offer), why_);
  ASSERT_NE(opened, nullptr) << why_;
  made_->forget_file();
  Bytes got(10);
  EXPECT_EQ(made_->out().write(Bytes(3)), 3U);
  EXPECT_EQ(opened->in().read(got), 3U);
  EXPECT_EQ(opened->out().write(Bytes(4)), 4U);
  EXPECT_EQ(made_->in().read(got), 4U);
  EXPECT_FALSE(made_->in().has_bytes());
  EXPECT_FALSE(opened->in().has_bytes());
}

TEST_F(SharedRingsTest, CannotBeCutShort) {
  const int file = static_cast<int>(made_->offer(Step::offer).descriptor);
  EXPECT_NE(::ftruncate(file, 0), 0);
  EXPECT_NE(::ftruncate(file, size() + 1), 0);
}

TEST_F(SharedRingsTest, AreOpenedByAnotherProcessOfTheSameUserOnly) {
  const RingMessage offer = made_->offer(Step::offer);
  const auto opens = [&] {
    std::string why;
    return SharedRings::open(offer, why) != nullptr;
  };
  EXPECT_TRUE(works_as(::getuid(), opens));
  if (::getuid() != 0) GTEST_SKIP() << "becoming another user takes root";
  EXPECT_FALSE(works_as(65534, opens));
}

TEST_F(SharedRingsTest, WithAnotherNumberInThemAreOthers) {
  RingMessage offer = made_->offer(Step::offer);
  ++offer.nonce[1];
  EXPECT_EQ(SharedRings::open(offer, why_), nullptr);
  EXPECT_THAT(why_, HasSubstr("other rings"));
}

TEST_F(SharedRingsTest, AreNothingElse) {
  const tactus::test::TempDir dir;
  const Descriptor file(::open((dir.path() / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::ftruncate(file.get(), size()), 0);
  EXPECT_EQ(SharedRings::open(with(file.get()), why_), nullptr);
  EXPECT_THAT(why_, HasSubstr("not sealed"));

  const Descriptor open_ended(::memfd_create("open-ended", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(open_ended.get(), size()), 0);
  EXPECT_EQ(SharedRings::open(with(open_ended.get()), why_), nullptr);
  EXPECT_THAT(why_, HasSubstr("not sealed"));

  const Descriptor device(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int descriptor : {device.get(), -1, 0x7fffffff})
    EXPECT_EQ(SharedRings::open(with(descriptor), why_), nullptr) << descriptor;
  RingMessage nobody = made_->offer(Step::offer);
  nobody.process = 0x7fffffff;
  EXPECT_EQ(SharedRings::open(nobody, why_), nullptr);
}

}  // namespace
}  // namespace tactus::silkit::shared_rings_test
