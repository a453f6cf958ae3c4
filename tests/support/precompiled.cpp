// SPDX-License-Identifier: Apache-2.0
/// Stands for the precompiled header that the tests share: see tests/CMakeLists.txt.
int main() {}
