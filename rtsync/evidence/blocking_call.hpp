// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace tactus::rtsync {

/// Returns the name of the call in which a thread of this process sleeps, by the address at which its own
/// code continues: the function of a library that makes the system call ("fsync"), else the system call
/// itself, by its number; empty if unknown. `number`: of the system call, if it is known; -1: the code
/// contains it.
///
/// Source: a system call is the instruction before that address, and its number is loaded right before it
/// (x86-64 System V ABI, A.2.1; on ARM64 `svc #0`, with the number in x8: syscall(2)).
///
/// Threads any. Errors none. Not in a frame: it looks through the loaded libraries. @when service
std::string blocking_call(std::uint64_t code, long number = -1);

}  // namespace tactus::rtsync
