// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::rtsync {

/// The name of the environment variable with the id of the process that started this one, and with which it ends.
inline constexpr const char* kEndsWithVariable = "TACTUS_ENDS_WITH";

/// Has this process get SIGTERM once the process that kEndsWithVariable names has ended, however that ended: at once if
/// it is gone already. Without the variable, or where its process is alive and not the parent, nothing is done. Takes the
/// variable out of the environment, since it is not meant for children of this process.
///
/// Threads  the first one, before others are started. The parent's thread that started this process must live as long as
///          the parent: the kernel sends the signal when that thread ends.               @when setup
void end_with_starter();

}  // namespace tactus::rtsync
