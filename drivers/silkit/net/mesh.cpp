// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/mesh.hpp"

#include <asio/post.hpp>
#include <utility>

#include "drivers/silkit/net/mesh_parts.hpp"

namespace tactus::silkit {
namespace {

constexpr std::chrono::seconds kLeaveTimeout{1};
constexpr std::size_t kMuch = 256U << 10;  // bytes: as much as a ring or most sockets take

}  // namespace

Mesh::Impl::Impl(MeshSettings settings, MeshOwner& owner, LogSink& journal)
    : settings_(std::move(settings)),
      owner_(owner),
      journal_(journal),
      post_(io_, [this] { end_read_cycle(); }),
      backlog_watch_(io_, Backlog::pause(settings_.backlog), [this] { return judge_backlogs(); }) {}

// ---- writing

void Mesh::Impl::send(PeerId peer, const Pieces& message, bool is_step) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return;
  Link& link = *found->second;
  StreamLink& carrier = link.carrier();
  link.append(message);
  // On its way before the user's function returns, which may have a lot to say.
  if (!carrier.full && carrier.queued() > kMuch) write(carrier);
  if (is_step && link.stream() != nullptr)
    mark_dirty(carrier);
  else
    mark_urgent(carrier);
}

std::size_t Mesh::Impl::queued(PeerId peer) const {
  const auto found = peers_.find(peer);
  return found == peers_.end() ? 0 : found->second->carrier().queued();
}

void Mesh::Impl::mark_dirty(StreamLink& link) {
  if (std::exchange(link.dirty, true)) return;
  dirty_.push_back(&link);
}

void Mesh::Impl::mark_urgent(StreamLink& link) {
  link.set_urgent();
  mark_dirty(link);
}

void Mesh::Impl::flush() {
  for (StreamLink* link : dirty_) {
    link->dirty = false;
    if (!link->full) write(*link);
  }
  dirty_.clear();
  // What it takes for unimportant may matter now.
  if (asleep_for_ && owner_.engine().virtual_time().awaited_peer() != asleep_for_) {
    asleep_for_.reset();
    post_.post();
  }
}

void Mesh::Impl::write(StreamLink& link) {
  const bool was_full = std::exchange(link.full, link.write() == Stream::Written::waiting);
  if (!link.full || was_full) return;
  full_.push_back(&link);
  post_.post();
}

void Mesh::Impl::writable(StreamLink& link) {
  {
    const auto lock = owner_.lock();
    link.full = link.write() == Stream::Written::waiting;
    if (link.full) link.when_writable();
  }
  if (leaving_) go_when_written();
}

void Mesh::Impl::wake() { post_.post(); }

// ---- turns, on the I/O thread

void Mesh::Impl::end_read_cycle() {
  if (leaving_) return go_when_written();
  owner_.serve();
  run_pending_work();
}

/// Does the work that has come up for this thread while others, or the user's calls on it, used the mesh.
void Mesh::Impl::run_pending_work() {
  const auto lock = owner_.lock();
  wait_for_the_full();
  set_timer(owner_.engine().wake_at());
}

void Mesh::Impl::wait_for_the_full() {
  for (StreamLink* link : full_) link->when_writable();
  if (!full_.empty()) backlog_watch_.start();
  full_.clear();
}

/// Warns of peers that read too little, and drops those that hardly read. False: nothing waits for any.
bool Mesh::Impl::judge_backlogs() {
  if (leaving_) return false;
  std::vector<std::pair<std::shared_ptr<StreamLink>, std::string>> dropped;
  bool some = false;
  for (const LinkPtr& link : links_) {
    StreamLink* const stream = link->stream();
    if (stream == nullptr) continue;
    const auto lock = owner_.lock();
    const Backlog::Verdict verdict = stream->judge(settings_.backlog);
    some = some || stream->queued() > 0;
    if (verdict.is_news) journal_.say(LogSink::Level::warn, who(*link) + " " + verdict.words);
    if (verdict.is_stuck)
      dropped.emplace_back(std::static_pointer_cast<StreamLink>(link->self()), verdict.words);
  }
  for (const auto& [stream, why] : dropped) ended(*stream, "it " + why);
  return some;
}

void Mesh::Impl::set_timer(std::optional<std::int64_t> at) {
  if (!at) return;  // one that is set may expire in vain
  const Clock::time_point until{std::chrono::nanoseconds(*at)};
  if (until >= timer_at_) return;
  timer_at_ = until;
  timer_.expires_at(until);
  timer_.async_wait([this](const asio::error_code& replaced) {
    if (replaced || leaving_) return;
    timer_at_ = Clock::time_point::max();
    {
      const auto lock = owner_.lock();
      const std::optional<std::int64_t> due = owner_.engine().wake_at();
      if (due && *due <= Clock::now().time_since_epoch().count()) owner_.engine().tick();
    }
    end_read_cycle();
  });
}

// ---- leaving

void Mesh::Impl::leave() {
  if (!acceptor_) return;
  if (thread_) {
    asio::post(io_, [this] { begin_leave(); });
    try {
      thread_->join();
    } catch (const std::exception& failure) {
      journal_.say(LogSink::Level::error, std::string("the I/O thread ended: ") + failure.what());
    }
    thread_.reset();
  }
  leaving_ = true;
  if (const std::uint64_t more = complaints_.left_out(); more > 0)
    journal_.say(LogSink::Level::warn, std::to_string(more) + " streams more were refused or disconnected");
  const auto lock = owner_.lock();
  for (const LinkPtr& link : links_) {
    if (StreamLink* const stream = link->stream()) stream->finish();
    link->close();
  }
  ringed_.clear();
  links_.clear();
  relayed_.clear();
  peers_.clear();
  for (auto* list : {&dirty_, &full_}) list->clear();
  acceptor_.reset();
}

void Mesh::Impl::begin_leave() {
  leaving_ = true;
  acceptor_->close();
  {
    const auto lock = owner_.lock();
    for (const LinkPtr& link : links_)
      if (StreamLink* const stream = link->stream(); stream != nullptr && !stream->full) write(*stream);
  }
  asked_.clear();
  for (const auto& dial : dials_) dial->cancel();
  dials_.clear();
  leave_timer_.expires_after(kLeaveTimeout);
  leave_timer_.async_wait([this](const asio::error_code&) { io_.stop(); });
  go_when_written();
}

void Mesh::Impl::go_when_written() {
  const auto lock = owner_.lock();
  wait_for_the_full();
  for (const LinkPtr& link : links_)
    if (StreamLink* const stream = link->stream(); stream != nullptr && stream->queued() > 0) return;
  io_.stop();
}

std::unique_ptr<Mesh> make_mesh(MeshSettings settings, MeshOwner& owner, LogSink& journal) {
  return std::make_unique<Mesh::Impl>(std::move(settings), owner, journal);
}

}  // namespace tactus::silkit
