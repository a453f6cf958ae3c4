// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

namespace tactus::app {

/// The process that `tactus run` was started as, and that outlives the rig, its child: it passes signals and
/// messages to systemd on, waits, drives the rig's outputs safe when it has ended, and writes down how a rig
/// ended that could not do so itself. It loads no model, locks no memory, and sleeps; a second thread of it
/// sleeps until the thread of the frames is dead. If it is killed the rig stops in order.
///
///     Witness::part_from();   // the caller continues in the child; the parent never returns
class Witness {
 public:
  /// Splits the witness off before anything was started: no thread, no model, no device. If no process can be
  /// made the caller continues without a witness, and stderr reports it. @when setup
  static void part_from();
  /// This process had a witness, which has ended. @when any
  static bool is_gone();
  /// Notes who sent a SIGTERM. If it was the witness, which sends none, the kernel tells of its end: is_gone() from then
  /// on, though a thread of the witness may live for a moment longer. @when any
  static void note_sender(pid_t sender);
  /// Sends this process SIGTERM once its witness has ended, where the kernel is not allowed to. Called again and again.
  /// Threads: one.
  static void look();
  /// Lets it continue if it was stopped, so that it hears signals and the end of this process. @when any
  static void wake();
};

}  // namespace tactus::app
