// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The inside of a mesh: mesh.cpp writes and takes turns, join.cpp joins, handshake.cpp lets others in, detour.cpp
/// and relayed.cpp reach those to whom no stream can be opened, ring_talk.cpp turns streams into rings.
#include <asio/executor_work_guard.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <unordered_map>

#include "drivers/silkit/core/seldom.hpp"
#include "drivers/silkit/net/background_dial.hpp"
#include "drivers/silkit/net/coalesced_post.hpp"
#include "drivers/silkit/net/connection_acceptor.hpp"
#include "drivers/silkit/net/io_loop.hpp"
#include "drivers/silkit/net/mesh.hpp"
#include "drivers/silkit/net/relay_pairs.hpp"
#include "drivers/silkit/net/repeated.hpp"
#include "drivers/silkit/net/shared_rings.hpp"
#include "drivers/silkit/net/stream.hpp"
#include "drivers/silkit/net/wake_pipe.hpp"
#include "drivers/silkit/wire/proxy_message.hpp"

namespace tactus::silkit {

constexpr std::size_t kMostLinks = 4096;

inline std::string in_quotes(const std::string& name) { return "'" + name + "'"; }

class Mesh::Impl final : public Mesh, private IoSource {
 public:
  Impl(MeshSettings settings, MeshOwner& owner, LogSink& journal);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() override { leave(); }

  void join() override;
  void leave() override;
  void send(PeerId peer, const Pieces& message, bool is_step) override;
  std::size_t queued(PeerId peer) const override;
  void flush() override;
  void wake() override;
  bool on_io_thread() const override { return io_thread_id_.load() == std::this_thread::get_id(); }
  bool reaches_registry() const override { return reaches_registry_; }
  std::vector<std::string> acceptors() const override { return acceptors_; }

 private:
  using Clock = std::chrono::steady_clock;

  class StreamLink;
  /// Another participant, or the registry, and how far the handshake with it is.
  class Link {
   public:
    enum class Phase {
      stranger,  ///< has come in and said nothing yet, or waits for its namesake to go
      greeted,   ///< this participant has announced itself, and waits for the reply
      up,
    };
    explicit Link(Phase the_phase) : phase(the_phase) {}
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    virtual ~Link() = default;

    Phase phase;
    bool registry = false;
    std::optional<PeerId> peer;       ///< id as the engine knows it
    std::string name;                 ///< "": not known yet
    std::optional<PeerInfo> waiting;  ///< announced while its namesake was still there

    virtual std::shared_ptr<Link> self() = 0;
    /// Its own stream; null: it is relayed.
    virtual StreamLink* stream() = 0;
    /// The stream that its messages go by.
    virtual StreamLink& carrier() = 0;
    /// Adds a whole message to what goes out.
    virtual void append(const Pieces& message) = 0;
    virtual bool is_open() const = 0;
    virtual bool is_broken() const = 0;
    /// Its end may be among what has not been read yet.
    virtual bool may_have_left() const = 0;
    virtual void close() = 0;
  };
  using LinkPtr = std::shared_ptr<Link>;

  class StreamLink final : public Stream, public Link {
   public:
    StreamLink(Impl& parts, Descriptor socket, Phase the_phase)
        : Stream(parts.io_, std::move(socket)), Link(the_phase), parts_(parts) {}

    bool dirty = false;                                        ///< is in dirty_
    bool full = false;                                         ///< the socket took not everything
    std::unique_ptr<SharedRings> rings;                        ///< offered, or in use; the I/O thread's
    RingMessage::Step ring_step = RingMessage::Step::invalid;  ///< said last from here

    LinkPtr self() override { return std::static_pointer_cast<StreamLink>(shared_from_this()); }
    StreamLink* stream() override { return this; }
    StreamLink& carrier() override { return *this; }
    void append(const Pieces& message) override { Stream::append(message, full); }
    bool is_open() const override { return Stream::is_open(); }
    bool is_broken() const override { return Stream::is_broken(); }
    bool may_have_left() const override { return has_hung_up(); }
    void close() override { Stream::close(); }

   private:
    void received(const Frame& frame) override { parts_.received(*this, frame); }
    void ended(const std::string& why) override { parts_.ended(*this, why); }
    void writable() override { parts_.writable(*this); }
    Impl& parts_;
  };

  /// Participant whose messages come and go by the stream of another, mostly the registry's.
  class RelayedLink final : public Link, public std::enable_shared_from_this<RelayedLink> {
   public:
    RelayedLink(Impl& parts, StreamLink& carrier, Phase the_phase);

    bool broken = false;

    LinkPtr self() override { return shared_from_this(); }
    StreamLink* stream() override { return nullptr; }
    StreamLink& carrier() override { return *carrier_; }
    void append(const Pieces& message) override;
    bool is_open() const override { return open_; }
    bool is_broken() const override { return broken; }
    bool may_have_left() const override { return true; }  // nothing here shows it
    void close() override { open_ = false; }

   private:
    Impl& parts_;
    const std::shared_ptr<StreamLink> carrier_;
    bool open_ = true;
  };

  /// A known participant that could not be connected to, and is asked to connect to this one.
  struct Asked {
    const PeerInfo info;
    const std::string tried;
    asio::steady_timer timer;
  };

  /// Condition for which the thread in join() waits.
  struct Joining {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<KnownParticipants> known;
    bool introduced = false;           ///< the registry has replied
    std::set<std::string> unreached;   ///< names of the participants to which there is no way yet
    std::set<std::string> unanswered;  ///< participants whose reply is due
    std::map<std::string, std::string> unreachable;  ///< participants to whom there is no way: what was tried
    bool joined = false;
    std::optional<std::string> failure;
  };

  // ---- join, on its caller's thread (join.cpp)
  void check_settings();
  void open_acceptors();
  std::vector<Listener> default_listeners();
  std::vector<Listener> listeners_of_settings();
  void run_io();
  Descriptor reach_registry();
  void introduce();
  std::vector<Uri> ways_to(const PeerInfo& info) const;
  void meet(const std::vector<PeerInfo>& known);
  template <class Ready>
  bool wait_for_others(Clock::time_point until, Ready ready);
  void fail_join(const std::string& why);

  // ---- who is there, on the I/O thread (handshake.cpp)
  PeerInfo own_info() const;
  void greet(const std::shared_ptr<StreamLink>& link, const PeerInfo* info);
  void announce_to(Link& link, const PeerInfo* info);
  std::shared_ptr<Stream> enter(Descriptor socket);
  void received(StreamLink& link, const Frame& frame);
  void take(Link& link, const Frame& frame);
  void handshake(Link& link, ByteView body);
  void announced(Link& link, Announcement announcement);
  void refuse(Link& link, const std::string& why);
  void admit(Link& link, const PeerInfo& info);
  Link* namesake(const Link& link, const std::string& name) const;
  void replied(Link& link, const AnnouncementReply& reply);
  void ended(Link& link, const std::string& why);
  void say_relayed(Link& link);
  void say_end(const Link& link, const std::string& why);
  void complain(const std::string& text);

  // ---- other ways than a stream of one's own, on the I/O thread (detour.cpp)
  void find_another_way(const PeerInfo& info, const std::string& tried);
  void ask_to_connect(const PeerInfo& info, const std::string& tried);
  void give_up_asking(const std::string& name);
  void relay_through_registry(const PeerInfo& info, const std::string& tried);
  void reach(const std::string& name);
  void remote_connect(Link& link, const RemoteConnect& message);
  void connect_back(const RemoteConnect& request);
  void connected_back(Descriptor socket, const RemoteConnect& request);

  // ---- relayed messages, on the I/O thread (relayed.cpp)
  RelayedLink& add_relayed(StreamLink& carrier, const std::string& name, Link::Phase phase);
  void relayed(StreamLink& carrier, ByteView body);
  void pass_on(StreamLink& from, const ProxyMessage& message);
  void drop(RelayedLink& link, const std::string& why);
  void forget_relayed(const Link& link);
  void end_relayed_over(const StreamLink& carrier);
  void tell_partners_of(const Link& link);

  // ---- rings, on the I/O thread (ring_talk.cpp)
  void offer_rings(StreamLink& link, const PeerInfo& info);
  void ring_talk(StreamLink& link, const RingMessage& message);
  void say_of_rings(StreamLink& link, RingMessage::Step step);
  RingMessage about_rings(const StreamLink& link, RingMessage::Step step);
  WakePipe* pipe();
  void wake_by_pipe(StreamLink& link, const RingMessage& of_other);
  void forget_rings(StreamLink& link);
  bool look() override;
  bool is_likely() const override { return !ringed_.empty(); }
  bool fall_asleep() override;
  void wake_up() override;

  // ---- turns, on the I/O thread (mesh.cpp)
  void writable(StreamLink& link);
  void end_read_cycle();
  void run_pending_work();
  bool judge_backlogs();
  void set_timer(std::optional<std::int64_t> at);
  void begin_leave();
  void go_when_written();

  // ---- under the owner's lock
  template <class Message>
  void post(Link& link, const Message& message) {
    Bytes bytes;
    encode(bytes, message);
    link.append(bytes);
    mark_urgent(link.carrier());
  }
  /// The same, at once. @when owner's lock not held
  template <class Message>
  void say(Link& link, const Message& message) {
    const auto lock = owner_.lock();
    post(link, message);
    flush();
  }
  void mark_dirty(StreamLink& link);
  void mark_urgent(StreamLink& link);
  void write(StreamLink& link);
  void wait_for_the_full();  ///< waits on the I/O thread

  std::string who(const Link& link) const;

  const MeshSettings settings_;
  MeshOwner& owner_;
  LogSink& journal_;
  Uri registry_;
  std::vector<std::string> acceptors_;
  Joining joining_;

  CoalescedPost post_;  // keeps a post of the io_context, so it outlives it
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  asio::steady_timer timer_{io_};
  Clock::time_point timer_at_ = Clock::time_point::max();  ///< max: not set
  asio::steady_timer leave_timer_{io_};
  Repeated backlog_watch_;
  bool leaving_ = false;
  std::optional<ConnectionAcceptor> acceptor_;
  // ---- the I/O thread's
  std::set<LinkPtr> links_;
  StreamLink* registry_link_ = nullptr;  ///< once it has let this participant in
  std::map<std::string, RelayedLink*, std::less<>> relayed_;
  RelayPairs pairs_;  ///< pairs for which this participant relays
  std::map<std::string, Asked> asked_;
  std::set<std::shared_ptr<BackgroundDial>> dials_;
  std::vector<StreamLink*> ringed_;  ///< links that read or write rings, or are about to
  std::unique_ptr<WakePipe> pipe_;   ///< pipe by which all of these wake this participant
  LogThrottle complaints_;

  // ---- under the owner's lock
  std::unordered_map<PeerId, Link*> peers_;
  std::vector<StreamLink*> dirty_;
  std::vector<StreamLink*> full_;     ///< links to be waited for
  std::optional<PeerId> asleep_for_;  ///< peer for whose step it sleeps, not for those of the others

  std::atomic<bool> reaches_registry_{false};
  std::atomic<std::thread::id> io_thread_id_{};
  std::optional<rtsync::PinnedThread> thread_;  ///< last: it uses everything above
};

}  // namespace tactus::silkit
