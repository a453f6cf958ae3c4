// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::test {}

/// What tests of this layer share; what all tests share is found under the same short name, in whatever order files are
/// compiled together.
namespace tactus::executive::test {
using namespace tactus::test;  // NOLINT(google-build-using-namespace): names of tests only
}
