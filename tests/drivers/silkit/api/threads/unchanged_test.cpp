// SPDX-License-Identifier: Apache-2.0
// Programs that were written for SIL Kit compile and run as they are.
#include "tests/drivers/silkit/api/support/simulation.hpp"

/// As unchanged.c has it.
struct Ears {
  void* self;
  void (*heard)(void* self, std::size_t bytes);
  void (*wait)(void* self);
};
extern "C" SilKit_ReturnCode unchanged_main(const char* uri, const Ears* test);

namespace tactus::test::silkit_unchanged_test {
namespace {

using Heard = Watched<std::size_t>;

TEST(SilkitUnchanged, ACProgramWrittenForSilKitCompilesAndRuns) {
  const RegistryHere registry;
  Heard heard;
  const Ears test{&heard,
                  [](void* self, std::size_t bytes) {
                    static_cast<Heard*>(self)->change([&](std::size_t& all) { all += bytes; });
                  },
                  [](void* self) {
                    EXPECT_TRUE(static_cast<Heard*>(self)->wait([](std::size_t all) { return all == 2; }));
                  }};
  EXPECT_EQ(unchanged_main(registry.uri().c_str(), &test), SilKit_ReturnCode_SUCCESS)
      << SilKit_GetLastErrorString();
}

}  // namespace
}  // namespace tactus::test::silkit_unchanged_test
