// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::rtsync {

/// A child that a model makes by fork() must not keep a device: there, `fd` is closed at once. For at most 64
/// descriptors; more are ignored. fork() as the kernel's bare system call is not noticed.
///
/// Threads  any. @when setup, service
void close_on_fork(int fd);
void keep_on_fork(int fd);  ///< exempts a descriptor, before it is closed here

}  // namespace tactus::rtsync
