// SPDX-License-Identifier: Apache-2.0
// A pipe by which another process wakes this one, and what is no such pipe.
#include "drivers/silkit/net/wake_pipe.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "tests/drivers/silkit/net/support/as_user.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::silkit::wake_pipe_test {
namespace {

using testing::HasSubstr;

class WakePipeTest : public testing::Test {
 protected:
  WakePipeTest() {
    woken_.process = static_cast<std::uint32_t>(::getpid());
    pipe_->name_in(woken_);
  }
  static ssize_t write_to(const Descriptor& pipe) { return ::write(pipe.get(), "", 1); }
  RingMessage with(int descriptor) const {
    RingMessage message = woken_;
    struct stat is {};
    if (::fstat(descriptor, &is) == 0) message.pipe.inode = is.st_ino;
    message.pipe.descriptor = static_cast<std::uint32_t>(descriptor);
    return message;
  }
  Descriptor open(const RingMessage& message) { return pipe_->open_other(message, why_); }

  asio::io_context io_;
  std::unique_ptr<WakePipe> pipe_ = WakePipe::make(io_);
  RingMessage woken_;
  std::string why_;
};

TEST_F(WakePipeTest, WakesOncePerSleepHoweverOftenItIsWrittenTo) {
  const Descriptor pipe = open(woken_);
  ASSERT_GE(pipe.get(), 0) << why_;
  EXPECT_EQ(why_, "");
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(write_to(pipe), 1);
    EXPECT_EQ(write_to(pipe), 1);
    io_.restart();
    EXPECT_EQ(io_.poll(), 0U) << "nobody sleeps";
    pipe_->fall_asleep();
    pipe_->fall_asleep();
    io_.restart();
    EXPECT_EQ(io_.poll(), 1U);
    pipe_->fall_asleep();
    io_.restart();
    EXPECT_EQ(io_.poll(), 0U) << "it is empty";
    EXPECT_EQ(write_to(pipe), 1);
    EXPECT_EQ(io_.poll_one(), 1U);
  }
}

TEST_F(WakePipeTest, ThatIsFullWakesAllTheSame) {
  const Descriptor pipe = open(woken_);
  pipe_->fall_asleep();
  while (write_to(pipe) == 1) {
  }
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(io_.poll(), 1U);
  pipe_->fall_asleep();
  io_.restart();
  EXPECT_EQ(io_.poll(), 1U);
}

TEST_F(WakePipeTest, IsNoneThatEndsWithItsOwner) {
  const Descriptor pipe = open(woken_);
  pipe_.reset();
  EXPECT_EQ(write_to(pipe), 1) << "there is neither a signal nor an error";
}

TEST_F(WakePipeTest, IsOpenedByAnotherProcessOfTheSameUserOnly) {
  const auto opens = [&] { return open(woken_).get() >= 0; };
  EXPECT_TRUE(works_as(::getuid(), opens));
  if (::getuid() != 0) GTEST_SKIP() << "becoming another user takes root";
  EXPECT_FALSE(works_as(65534, opens));
}

TEST_F(WakePipeTest, IsNothingElse) {
  const tactus::test::TempDir dir;
  const std::string path = (dir.path() / "fifo").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Descriptor fifo(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  const Descriptor file(::open((dir.path() / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const Descriptor device(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const Descriptor* other : {&fifo, &file, &device}) {
    EXPECT_LT(open(with(other->get())).get(), 0);
    EXPECT_THAT(why_, HasSubstr("not the pipe that was named"));
  }
  for (const int descriptor : {-1, 0x7fffffff}) EXPECT_LT(open(with(descriptor)).get(), 0) << descriptor;
}

/// As in a container, where the number of a process is that of another one.
TEST_F(WakePipeTest, IsNotThatOfAnotherProcessWithTheSameNumbers) {
  const auto another = WakePipe::make(io_);
  RingMessage message = woken_;
  another->name_in(message);
  message.pipe.descriptor = woken_.pipe.descriptor;
  EXPECT_LT(open(message).get(), 0);
  EXPECT_THAT(why_, HasSubstr("not the pipe that was named"));
  message = woken_;
  message.process = 0x7fffffff;
  EXPECT_LT(open(message).get(), 0);
  EXPECT_LT(open(RingMessage{}).get(), 0);
  EXPECT_EQ(why_, "it has none");
}

}  // namespace
}  // namespace tactus::silkit::wake_pipe_test
