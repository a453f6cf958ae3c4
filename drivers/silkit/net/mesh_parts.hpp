#pragma once
/// The inside of a mesh: mesh.cpp writes and takes turns, join.cpp joins, handshake.cpp lets others in.
#include <asio/executor_work_guard.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <set>
#include <thread>
#include <unordered_map>

#include "drivers/silkit/core/seldom.hpp"
#include "drivers/silkit/net/connection_acceptor.hpp"
#include "drivers/silkit/net/mesh.hpp"
#include "drivers/silkit/net/nudge.hpp"
#include "drivers/silkit/net/stream.hpp"

namespace tactus::silkit {

inline std::string in_quotes(const std::string& name) { return "'" + name + "'"; }

class Mesh::Impl {
 public:
  Impl(MeshSettings settings, MeshOwner& owner, LogSink& journal);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { leave(); }

  void join();
  void leave();
  void send(PeerId peer, ByteView message);
  void flush();
  void wake();
  bool on_io_thread() const { return io_thread_id_.load() == std::this_thread::get_id(); }
  bool reaches_registry() const { return reaches_registry_; }
  std::vector<std::string> acceptors() const { return acceptors_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// A stream, and who is at its other end.
  class Link final : public Stream {
   public:
    enum class Phase {
      stranger,  ///< has come in and said nothing yet, or waits for its namesake to go
      greeted,   ///< this participant has announced itself, and waits for the reply
      up,
    };
    Link(Impl& parts, Descriptor socket, Phase the_phase)
        : Stream(parts.io_, std::move(socket)), phase(the_phase), parts_(parts) {}

    Phase phase;
    bool registry = false;
    std::optional<PeerId> peer;  ///< as the engine knows it
    std::string name;            ///< "": not known yet
    bool dirty = false;          ///< stands in dirty_
    bool full = false;           ///< the socket took not everything
    bool overflowed = false;
    std::optional<PeerInfo> waiting;  ///< announced while its namesake was still there

   private:
    void received(const Frame& frame) override { parts_.received(*this, frame); }
    void ended(const std::string& why) override { parts_.ended(*this, why); }
    void writable() override { parts_.writable(*this); }
    Impl& parts_;
  };
  using LinkPtr = std::shared_ptr<Link>;

  /// What the thread in join() waits for.
  struct Joining {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<KnownParticipants> known;
    bool introduced = false;           ///< the registry has replied
    std::set<std::string> unanswered;  ///< names of the participants whose reply is due
    bool joined = false;
    std::optional<std::string> failure;
  };

  // ---- join, on its caller's thread (join.cpp)
  void check_settings();
  void open_acceptors();
  SocketOptions options() const;
  void run_io();
  Descriptor reach_registry();
  void introduce();
  void meet(const std::vector<PeerInfo>& known);
  template <class Ready>
  bool wait_for_others(Clock::time_point until, Ready ready);
  void fail_join(const std::string& why);

  // ---- who is there, on the I/O thread (handshake.cpp)
  void greet(const LinkPtr& link, const PeerInfo* info);
  std::shared_ptr<Stream> enter(Descriptor socket);
  void received(Link& link, const Frame& frame);
  void handshake(Link& link, ByteView body);
  void announced(Link& link, Announcement announcement);
  void refuse(Link& link, const std::string& why);
  void admit(Link& link, const PeerInfo& info);
  Link* namesake(const Link& link, const std::string& name) const;
  void replied(Link& link, const AnnouncementReply& reply);
  void ended(Link& link, const std::string& why);
  void say_end(const Link& link, const std::string& why);
  void complain(const std::string& text);

  // ---- turns, on the I/O thread (mesh.cpp)
  void writable(Link& link);
  void end_read_cycle();
  void run_pending_work();
  void set_timer(std::optional<std::int64_t> at);
  void begin_leave();
  void go_when_written();

  // ---- under the owner's lock
  void mark_dirty(Link& link);
  void write(Link& link);
  void wait_for_the_full();  ///< on the I/O thread

  std::string who(const Link& link) const;

  const MeshSettings settings_;
  MeshOwner& owner_;
  LogSink& journal_;
  Uri registry_;
  std::vector<std::string> acceptors_;
  Joining joining_;

  CoalescedPost nudge_;  // keeps a post of the io_context, so it outlives it
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  asio::steady_timer timer_{io_};
  Clock::time_point timer_at_ = Clock::time_point::max();  ///< max: not set
  asio::steady_timer leave_timer_{io_};
  bool leaving_ = false;
  std::optional<ConnectionAcceptor> door_;
  std::set<LinkPtr> links_;
  LogThrottle complaints_;  ///< the I/O thread's

  // ---- under the owner's lock
  std::unordered_map<PeerId, Link*> peers_;
  std::vector<Link*> dirty_;
  std::vector<Link*> full_;        ///< to be waited for
  std::vector<Link*> overflowed_;  ///< to be dropped

  std::atomic<bool> reaches_registry_{false};
  std::atomic<std::thread::id> io_thread_id_{};
  std::optional<rtsync::PinnedThread> thread_;  ///< last: it uses everything above
};

}  // namespace tactus::silkit
