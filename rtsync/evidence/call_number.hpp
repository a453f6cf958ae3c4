// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace tactus::rtsync {

/// The registers by which a system call in progress is known. Source: on x86-64 the kernel keeps -ENOSYS in
/// AX until the call returns, and the instruction `syscall` copies the address after it to CX; with FRED it
/// does not (arch/x86/entry). So a thread that is stopped on its way out of a call is in none any more.
struct CallRegisters {
  bool no_system_call = false;    ///< AX
  bool next_instruction = false;  ///< CX
  bool any() const { return no_system_call || next_instruction; }
};

/// Place of the number of a system call, in a C library that makes most calls that may sleep at one place.
///
/// Source: glibc makes them in a function of its own from 2.41 on (its news of that version). The number is
/// the seventh argument there, and those are on the stack (x86-64 System V ABI, 3.2.3).
struct CallNumber {
  std::uint64_t code = 0;    ///< the address after that place; 0: there is none
  std::uint32_t offset = 0;  ///< bytes from the stack pointer there to the number
  CallRegisters by{};        ///< registers by which a thread in a system call is known
};

/// Number of bytes of the stack that the kernel has to copy for it; a multiple of 8, as the kernel requires.
constexpr std::uint32_t stack_bytes(const CallNumber& number) {
  return number.code == 0 ? 0 : number.offset + static_cast<std::uint32_t>(sizeof(std::uint64_t));
}

/// Returns the registers by which a thread that slept in a call is known to be in one, from what the kernel wrote of them
/// and of the address of the next instruction.                                                      @when any
CallRegisters call_registers_by(std::uint64_t ax, std::uint64_t cx, std::uint64_t code);

/// Looks for it: a thread of its own sleeps some microseconds, in three calls. No place where the address of a call
/// tells it already, and where the kernel does not copy the stack.  @when setup
CallNumber find_call_number();

}  // namespace tactus::rtsync
