// SPDX-License-Identifier: Apache-2.0
/// What a message names is what this program was installed with.
#include "rtsync/host/installed.hpp"

#include <gtest/gtest.h>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::installed_test {
namespace {

TEST(InstalledFile, BelongsToTheProgramOrTheLibrary) {
  FakeRoot root;
  root.write("/usr/share/doc/tactus/docs/units.md", "");
  const std::filesystem::path dir = root.path(), page = dir / "usr/share/doc/tactus/docs/units.md";
  const auto found = [&](const char* of) {
    return installed_file({dir / of}, "share/doc/tactus/docs/units.md");
  };
  for (const char* of :
       {"usr/bin/tactus", "usr/lib/libtactus.so.0", "usr/lib/tactus/libtactus-private.so.0.1.0",
        "usr/lib/x86_64-linux-gnu/tactus/libtactus-clock-gpio.so"})
    EXPECT_EQ(found(of), page) << of;
  for (const char* of : {"opt/bin/tactus", "home/user/build/release/bin/tactus"})
    EXPECT_EQ(found(of), "") << of;
  EXPECT_EQ(
      installed_file({dir / "opt/program", dir / "usr/lib/libtactus.so.0"}, "share/doc/tactus/docs/units.md"),
      page)
      << "a program of somebody else that runs a rig";
  EXPECT_EQ(installed_file({"/", "tactus", ""}, "share/doc/tactus/docs/none.md"), "");
}

TEST(InstalledFile, IsNamedAsInTheCheckoutWithoutAnInstallation) {
  EXPECT_EQ(documentation("no-such-page.md"), "docs/no-such-page.md");
  EXPECT_TRUE(setup_bench().ends_with("setup-bench"));
}

}  // namespace
}  // namespace tactus::rtsync::installed_test
