// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::test {}

namespace tactus::executive::test {
/// What is in tactus::test is found as test::NAME, also in sources that are compiled together with users of this one.
using namespace tactus::test;
}  // namespace tactus::executive::test
