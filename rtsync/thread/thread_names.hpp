// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Names of threads: the role, which reports show, and what the kernel has, which also says of which rig.
///
///     kernel_thread_name("main", "servo")   // "main@servo": as ps, top and other rigs see it
///
/// Threads  every function is re-entrant. RT: nothing here. @when setup or service.
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tactus::rtsync {

inline constexpr std::size_t kLongestThreadName = 15;  ///< bytes that Linux keeps

/// Joins role and owner in 15 bytes: "main@servo". The role is whole; the owner loses its end, and is left out where not
/// even three bytes of it have room.
std::string kernel_thread_name(std::string_view role, std::string_view owner);

/// Role and owner in the name of a thread of another process: "main", "servo".
struct OwnedThreadName {
  std::string role;
  std::string owner;  ///< its first bytes, if the name has 15
};
/// Returns nothing if the name has no owner.
std::optional<OwnedThreadName> split_thread_name(std::string_view name);

/// Names a thread of this process, of which the role is noted, too: one that was made before its rig was known, or by a
/// library. One that has ended is left alone.
void name_thread(pid_t thread, const std::string& role, std::string_view owner);

/// Notes the role of a thread of this process until it ends, and the kernel's name of it for good.
void note_thread_role(pid_t thread, std::string role, const std::string& kernel_name);
void forget_thread_role(pid_t thread);
/// Returns the role of a thread of this process; empty: it has none.
std::string role_of_thread(pid_t thread);
/// Returns the role whose threads have that name in the kernel; else the name. A thread inherits the name of its maker,
/// not the role.
std::string role_of_name(const std::string& kernel_name);

}  // namespace tactus::rtsync
