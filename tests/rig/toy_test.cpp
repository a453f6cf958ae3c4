// SPDX-License-Identifier: Apache-2.0
/// What the command knows of a capability that is a folder and a row of the list: the toy, in this process.
#include "tests/executive/capability/toy/toy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "executive/run/capabilities.hpp"
#include "in_process.hpp"
#include "rig_command.hpp"

namespace tactus::test::toy_test {
namespace {

using executive::AddedCapability;
using executive::toy_test::kToySection;
using executive::toy_test::Toy;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ToyCommandTest : public ::testing::Test {
 protected:
  Finished said(const Arguments& arguments) { return run_in_process(tactus(arguments, dir_.path())); }

  const TempDir dir_;
  const std::string rig_ = dir_.write("rig.yaml", "rig: bench\nframe: { period: 1 ms }\n").string();
};

TEST_F(ToyCommandTest, CheckSetReferenceSchemaAndCompletionKnowItsKeysByThemselves) {
  const auto set = [&](const std::string& change) { return said({"check", rig_, "--set", change}); };
  EXPECT_NE(set("toy.stride=2").status, 0) << "without its row there is no such key";
  const AddedCapability toy({&executive::make_capability<Toy<'a'>>, &kToySection});

  const Finished good = set("toy.stride=2");
  EXPECT_EQ(good.status, 0) << good.err;
  const Finished outside = set("toy.stride=101");
  EXPECT_NE(outside.status, 0);
  EXPECT_THAT(outside.err, AllOf(HasSubstr("toy.stride"), HasSubstr("1 .. 100")));
  EXPECT_THAT(set("toy.strde=2").err, HasSubstr("did you mean 'stride'?"));
  EXPECT_THAT(set("tooy.stride=2").err, HasSubstr("did you mean 'toy'?"));
  EXPECT_THAT(set("toy.watched=no.such").err, HasSubstr("toy.watched")) << "its hook of the plan";

  EXPECT_THAT(said({"check", "--reference"}).out, HasSubstr("frames from one count to the next"));
  EXPECT_THAT(said({"check", "--schema"}).out, HasSubstr("\"quiet_toys\""));
  EXPECT_THAT(said({"help", "--complete", "--", "check", rig_, "--set", "to"}).out,
              HasSubstr("toy.\ttoys\n"));
  EXPECT_THAT(said({"help", "--complete", "--", "check", rig_, "--set", "toy.s"}).out,
              AllOf(HasSubstr("toy.stride=\t"), Not(HasSubstr("watched"))));
}

TEST_F(ToyCommandTest, CompletionGoesOnBehindTheNameOfAModelAndNotBehindAValue) {
  const auto offers = [&](const std::string& begin) {
    return said({
                    "help",
                    "--complete",
                    "--",
                    "run",
                    "--set",
                    begin,
                })
        .out;
  };
  EXPECT_THAT(offers("realtime.sl"),
              AllOf(HasSubstr("realtime.sleeper=\t"), HasSubstr("realtime.sleep_timer=\t")));
  EXPECT_THAT(offers("models.motor.iso"), HasSubstr("models.motor.isolated=\t"));
  EXPECT_EQ(offers("models.mo"), "nothing\n") << "a name is the user's";
  EXPECT_EQ(offers("frame_log.x"), "nothing\n");
  EXPECT_EQ(offers("nothing_such.x"), "nothing\n");
}

}  // namespace
}  // namespace tactus::test::toy_test
