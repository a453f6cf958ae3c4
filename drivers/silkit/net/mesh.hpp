// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The streams of one participant: to the registry, and to every other participant.
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "drivers/silkit/core/engine.hpp"
#include "drivers/silkit/net/backlog.hpp"
#include "drivers/silkit/net/socket.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::silkit {

struct MeshSettings {
  std::string registry_uri = "silkit://localhost:8500";  ///< URI as the user wrote it
  int connect_attempts = 1;                              ///< attempts for the registry; 1 or more
  std::chrono::nanoseconds connect_timeout =
      std::chrono::seconds(5);  ///< each connect, and each handshake; 100 ms or more
  bool domain_sockets = true;
  /// tcp://, silkit:// (the same) and local://; empty: loopback (IPv4 and IPv6), and a domain socket
  std::vector<std::string> acceptors;
  /// A participant that cannot be connected to is asked to connect to this one, and this one does as much for
  /// others.
  bool remote_connect = true;
  /// Failing that, the registry relays what the two say.
  bool registry_relays = true;
  /// True: messages to participants of this library on this host, of the same user, go through shared memory.
  bool shared_memory = true;
  SocketOptions sockets;
  BacklogLimits backlog;             ///< limits of what waits for a peer
  rtsync::ThreadSettings io_thread;  ///< name, CPUs, scheduling class
};

/// Receiver of the events of a mesh, on the I/O thread, without any lock held. The functions that return
/// something are called under MeshOwner::lock(), see Mesh.
class MeshOwner {
 public:
  virtual ~MeshOwner() = default;
  /// Lock of all streams' queues and of the engine.
  virtual std::unique_lock<std::mutex> lock() = 0;
  virtual Engine& engine() = 0;
  /// A turn is over: what was readable has been given to the engine up to one message. Makes the user's calls
  /// that are due, then flushes the mesh. Called after every message. @when lock not held
  virtual void serve() = 0;
};

/// Joins a simulation and keeps its streams: connects, accepts, shakes hands, frames, queues, drops.
///
/// One I/O thread, on which all of MeshOwner is called. Reading and accepting are its alone; a message may be
/// queued and written by any thread that holds the owner's lock: it is then written at flush(), from that
/// thread, and what the socket does not take goes out later on the I/O thread. No send waits for a peer, and what waits
/// for one has no limit but the memory: a peer is dropped as Backlog has it.
///
/// Threads  join, leave: the thread that owns the mesh, not the I/O thread. send, flush, wake: any, under the
///          owner's lock. on_io_thread: any.
class Mesh : public Outbox {
 public:
  class Impl;

  /// Opens the acceptors, starts the I/O thread, joins the simulation, and calls Engine::joined(). Throws
  /// Refusal: Code::unspecified when the registry cannot be reached (naming the URI, and what was tried),
  /// Code::protocol when it refuses the name, a participant does not answer in time or cannot be reached in
  /// any way, Code::configuration for a bad URI.
  virtual void join() = 0;
  /// Closes everything and ends the I/O thread. What is queued is written first, as far as that takes less
  /// than a second.
  virtual void leave() = 0;

  /// Writes what is queued, as far as the sockets take it.
  virtual void flush() = 0;
  /// Has MeshOwner::serve() called on the I/O thread, soon; and when Engine::wake_at() says so.
  virtual void wake() = 0;
  virtual bool on_io_thread() const = 0;
  /// False once its stream has ended: no participant can join any more. Threads: any.
  virtual bool reaches_registry() const = 0;
  /// Addresses where others can reach this participant, as announced.
  virtual std::vector<std::string> acceptors() const = 0;
};

/// Leaves when it is destroyed.
std::unique_ptr<Mesh> make_mesh(MeshSettings settings, MeshOwner& owner, LogSink& journal);

}  // namespace tactus::silkit
