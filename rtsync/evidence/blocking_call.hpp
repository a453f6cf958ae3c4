// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace tactus::rtsync {

/// What a thread of this process sleeps in, by the address at which its own code goes on: the function of a
/// library that makes the system call ("fsync"), else the system call itself, by its number; empty where that
/// cannot be told. `number`: of the system call, where it is known; -1: the code says it.
///
/// Source: a system call is the instruction before that address, and its number is loaded right before it
/// (x86-64 System V ABI, A.2.1; on ARM64 `svc #0`, with the number in x8: syscall(2)).
///
/// Threads  any. Errors none. Not in a frame: it looks through the loaded libraries.               @when service
std::string blocking_call(std::uint64_t code, long number = -1);

}  // namespace tactus::rtsync
