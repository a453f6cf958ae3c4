// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_access.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "executive/capability/live/live_value.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
using config::Json;

LiveAccess::LiveAccess(const Rig& rig, Executive& executive, LiveFacts facts, LiveServices services)
    : facts_(std::move(facts)),
      dates_{facts_.epoch_ns, facts_.frame},
      executive_(executive),
      commands_(facts_, executive, std::move(services)),
      variables_(rig, executive.plan()),
      port_(std::make_unique<LivePort>(variables_.sources())),
      journal_(facts_.folder, facts_.max_journal, history(LiveList::journal)) {
  executive_.add(*port_);
  variables_.place(*port_);  // it is laid out by then
  if (facts_.realtime && port_->cost() > facts_.frame.floor() / 4)
    lines_.push_back("a snapshot copies " + std::to_string(port_->bytes() / 1'000'000) +
                     " MB, which takes about " + rtsync::duration_text(port_->cost().count()) +
                     " here, in frames of " + rtsync::duration_text(facts_.frame.floor().count()) +
                     ": clients get values after frames with so much slack, and while the rig is paused");
}

LiveAccess::~LiveAccess() {
  RunEnd end;
  end.outcome = Outcome::aborted;
  end.reason = "the rig was not started";
  this->end(end);
}

bool LiveAccess::is_forced(const LiveRef& ref) const {
  return std::any_of(forced_.begin(), forced_.end(),
                     [&](const Forced& force) { return overlap(force.ref, ref); });
}

std::vector<LiveForce> LiveAccess::forces() const {
  const std::lock_guard lock(mutex_);
  std::vector<LiveForce> all;
  for (const Forced& force : forced_) all.push_back(force.known);
  return all;
}

std::string LiveAccess::command_problem(Command command) const {
  const std::lock_guard lock(mutex_);
  if (ended_) return "the run has ended";
  if (std::string why = move_problem(command); !why.empty()) return why;
  return commands_.command_problem(command);
}

LiveWriter LiveAccess::writer_of(std::size_t variable) const {
  using What = LiveWriter::What;
  const std::lock_guard lock(mutex_);
  for (const Forced& force : forced_)
    if (force.ref.variable == variable) return {What::force, force.known.who, force.known.frame};
  const LiveWriter& writer = variables_.writer_of(variable);
  const auto set = set_.find(variable);
  const bool written = set != set_.end() && (writer.what == What::parameter || writer.what == What::model);
  return written ? LiveWriter{What::set, set->second.who, set->second.frame} : writer;
}

// ---- what is asked for

void LiveAccess::await_snapshot(std::int64_t every, std::function<void(LiveSnapshotPtr)> then) {
  const std::lock_guard lock(mutex_);
  if (ended_)
    answers_.push_back([then = std::move(then)] { then(nullptr); });
  else
    waiters_.push_back({every == 0 ? port_->want() : port_->want_multiple(every), every, std::move(then)});
  wake_live_thread();
}

/// Why a write cannot be made at that frame; empty: it can.
std::string LiveAccess::validate(const LiveWrite& write, std::optional<std::int64_t> frame) const {
  using Kind = LiveWrite::Kind;
  if (write.kind == Kind::release_all) return "";
  const LiveVariable& live = variables_.of(write.ref);
  const std::string name = variables_.name_of(write.ref);
  if (live.rights == LiveRights::read_only) return "'" + name + "' " + live.reason;
  if (write.kind == Kind::release) return "";
  if (write.kind == Kind::set && !variables_.feeder_of(write.ref).empty())
    return "'" + name + "' " + live.reason;
  if (write.bytes.size() != variables_.bytes_of(write.ref))
    return "'" + name + "': the value has the wrong size";
  const std::string wrong = value_problem(*live.variable, write.bytes.data(), write.ref.elements);
  if (!wrong.empty()) return "'" + name + "' " + wrong;
  if (!frame) return "";
  const AsyncWorker* const worker = executive_.program().async_worker_of(live.model);
  if (worker == nullptr) return "";
  const std::string thread = "'" + name + "' belongs to thread '" +
                             executive_.plan().threads[worker->thread - 1].name +
                             "', which meets the frames ";
  if (worker->kind != ThreadKind::asynchronous_must_finish)
    return thread + "when it is free: leave the frame or date away";
  if (worker->frames > 1 && *frame % worker->frames != 0)
    return thread + "only at multiples of " + std::to_string(worker->frames) + "; choose frame " +
           std::to_string((*frame / worker->frames + 1) * worker->frames);
  return "";
}

/// Why nothing can be done at that frame any more.
std::string LiveAccess::validate(std::int64_t frame) const {
  const std::int64_t next = port_->frame() + 1;
  if (frame < next)
    return "frame " + std::to_string(frame) + " is past; the next one is " + std::to_string(next);
  if (frame >= facts_.frames)
    return "frame " + std::to_string(frame) + " is never run: the run ends after frame " +
           std::to_string(facts_.frames - 1);
  return "";
}

/// Why a command cannot be given in the frame of its batch.
std::string LiveAccess::command_problem(const CommandCall& call, const LiveBatch& batch) const {
  if (!batch.writes.empty()) return "a command and changes do not go together";
  if (std::string why = move_problem(call.command); !why.empty()) return why;
  const bool of_frames = row_of(call.command).taken == CommandTaken::at_end_of_frame &&
                         !(call.command == Command::pause && call.value != 0);
  if (!of_frames) return "'" + std::string(name_of(call.command)) + "' is not given in a frame";
  return commands_.check(call, batch.frame.value_or(std::max(batch.not_before, port_->frame() + 1)));
}

std::string LiveAccess::move_problem(Command command) const {
  const bool moves = (row_of(command).refused & kRefusedInEpisode) != 0;
  return moves && running_ != nullptr ? "an episode is under way; wait for its end, or stop the rig" : "";
}

std::vector<std::string> LiveAccess::write(LiveBatch batch, std::function<void(const LiveDone&)> then) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> problems;
  if (ended_) return {"the run has ended"};
  if (batch.command) {
    if (std::string wrong = command_problem(*batch.command, batch); !wrong.empty())
      problems.push_back(std::move(wrong));
  } else if (batch.writes.empty()) {
    problems.push_back("there is nothing to set, force or release");
  }
  if (batch.frame)
    if (std::string wrong = validate(*batch.frame); !wrong.empty()) problems.push_back(std::move(wrong));
  std::unordered_map<std::size_t, std::vector<const LiveWrite*>> seen;
  for (const LiveWrite& write : batch.writes) {
    std::string wrong = validate(write, batch.frame);
    if (wrong.empty() && write.kind == LiveWrite::Kind::set && is_forced(write.ref)) {
      const bool released =
          std::any_of(batch.writes.begin(), batch.writes.end(), [&](const LiveWrite& other) {
            return other.kind == LiveWrite::Kind::release_all ||
                   (other.kind == LiveWrite::Kind::release && overlap(other.ref, write.ref));
          });
      if (!released) wrong = "'" + variables_.name_of(write.ref) + "' is forced; release it first";
    }
    if (!wrong.empty()) problems.push_back(std::move(wrong));
    if (write.kind == LiveWrite::Kind::release || write.kind == LiveWrite::Kind::release_all) continue;
    auto& others = seen[write.ref.variable];
    for (const LiveWrite* const other : others)
      if (overlap(other->ref, write.ref))
        problems.push_back("'" + variables_.name_of(write.ref) + "' is written twice; one value is expected");
    others.push_back(&write);
  }
  if (std::string wrong = load_problem(batch); !wrong.empty()) problems.push_back(std::move(wrong));
  if (!problems.empty()) {
    ++refused_;
    return problems;
  }
  port_->send(make_packet(std::move(batch), std::move(then)));
  wake_live_thread();
  return {};
}

/// What clients may ask of one frame, and of all that is to come. There is always room for a release.
std::string LiveAccess::load_problem(const LiveBatch& batch) const {
  const bool releases = std::all_of(batch.writes.begin(), batch.writes.end(), [](const LiveWrite& write) {
    return write.kind == LiveWrite::Kind::release || write.kind == LiveWrite::Kind::release_all;
  });
  if (releases)
    return sent_.size() < LivePort::kMostPackets ? ""
                                                 : "too many releases are under way; try again in a moment";
  if (journal_.failed())
    return "the journal (journal.jsonl in the run folder) cannot be written, so nothing but a release is "
           "taken";
  if (sent_.size() >= kMostBatches)
    return std::to_string(sent_.size()) +
           " requests wait or hold a force already; wait, or release \"all\", which drops what waits, too";
  std::size_t changes = batch.writes.size(), bytes = 0;
  for (const LiveWrite& write : batch.writes) bytes += write.bytes.size();
  for (const auto& [packet, sent] : sent_) {
    if (sent->ended || sent->batch.frame != batch.frame) continue;
    changes += sent->batch.writes.size();
    bytes += packet->data.size();
  }
  const std::size_t most_bytes = std::max<std::size_t>(port_->bytes(), 1 << 16);
  if (changes > kMostChanges || bytes > most_bytes)
    return "one frame takes " + std::to_string(kMostChanges) + " changes and " + std::to_string(most_bytes) +
           " bytes; spread them over several";
  return "";
}

/// A packet of a batch that has been checked.
LivePacket* LiveAccess::make_packet(LiveBatch batch, std::function<void(const LiveDone&)> then) {
  using Kind = LiveWrite::Kind;
  std::stable_partition(batch.writes.begin(), batch.writes.end(), [](const LiveWrite& write) {
    return write.kind == Kind::release || write.kind == Kind::release_all;
  });
  auto sent = std::make_unique<Sent>();
  LivePacket& packet = sent->packet;
  packet.number = ++packets_made_;
  packet.dated = batch.frame.has_value();
  packet.frame = batch.frame.value_or(batch.not_before);
  packet.command = batch.command;
  for (const LiveWrite& write : batch.writes) {
    LivePacket::Change& change = packet.changes.emplace_back();
    change.kind = write.kind;
    packet.releases_all = packet.releases_all || write.kind == Kind::release_all;
    if (write.kind == Kind::release_all) continue;
    const ModelInstance* const model = variables_.of(write.ref).model;
    change.to = variables_.memory(write.ref);
    change.forces = executive_.program().forces_of(model);
    change.offset = packet.data.size();
    change.bytes = variables_.bytes_of(write.ref);
    packet.data.insert(packet.data.end(), write.bytes.begin(), write.bytes.end());
    packet.threads |= executive_.program().async_worker_bit(model);
  }
  sent->batch = std::move(batch);
  sent->then = std::move(then);
  sent_.emplace(&packet, std::move(sent));
  ++sent_count_;
  return &packet;
}

std::string LiveAccess::give(const CommandCall& call, const std::string& who) {
  const std::lock_guard lock(mutex_);
  return give_now(call, who);
}

std::string LiveAccess::give_until_done(const CommandCall& call, const std::string& who,
                                        std::function<void(const std::string&)> then) {
  const std::lock_guard lock(mutex_);
  const bool load = call.command == Command::load;
  const std::int64_t loads = executive_.restart().loaded();
  if (std::string why = give_now(call, who); !why.empty()) return why;
  if (row_of(call.command).effect == CommandEffect::restored)
    returning_.push_back({load, load ? loads + 1 : executive_.resets_wanted(), std::move(then)});
  else
    answers_.push_back([then = std::move(then)] { then(""); });
  wake_live_thread();
  return "";
}

/// The frames are where they were sent, and the rig goes on from there: in Pause, or running.
bool LiveAccess::has_returned(const Returning& returning) {
  Restart& restart = executive_.restart();
  return (returning.load ? restart.loaded() : restart.resets_done()) >= returning.until;
}

void LiveAccess::take_returned(Answers& answers) {
  const State now = executive_.state();
  if (now == State::stop || now == State::reset || now == State::start) return;
  for (Returning& returning : returning_)
    if (has_returned(returning))
      answers.push_back([then = std::exchange(returning.then, nullptr)] { then(""); });
  std::erase_if(returning_, [](const Returning& returning) { return returning.then == nullptr; });
}

/// With the lock.
std::string LiveAccess::give_now(const CommandCall& call, const std::string& who) {
  if (ended_) return "the run has ended";
  if (std::string why = move_problem(call.command); !why.empty()) return why;
  if (std::string why = commands_.carry_out(call, port_->frame() + 1); !why.empty()) return why;
  ++commands_given_;
  journal_.add(entry_of(call, port_->frame()), who);
  journal_.flush();
  wake_live_thread();
  return "";
}

/// Its line of the journal.
Json LiveAccess::entry_of(const CommandCall& call, std::int64_t frame) {
  const CommandArgument argument = row_of(call.command).argument;
  Json entry = Json::object();
  if (frame >= 0) entry["frame"] = frame;
  entry["what"] = name_of(call.command);
  if (argument == CommandArgument::frames) entry["frames"] = call.value;
  if (argument == CommandArgument::sim_time || (call.command == Command::pause && call.value > 0))
    entry["sim_time_ns"] = call.value;
  if (argument == CommandArgument::status && call.value != 0) entry["exit_status"] = call.value;
  if (argument == CommandArgument::on || argument == CommandArgument::recording)
    entry["on"] = call.value != 0;
  if (!call.name.empty()) entry["name"] = call.name;
  return entry;
}

// ---- the thread that answers

void LiveAccess::start(const rtsync::ThreadSettings& helper) {
  rtsync::ThreadSettings settings = helper;
  settings.name = "live";
  thread_ = std::make_unique<rtsync::PinnedThread>(settings, [this] { run(); });
}

/// How long it may take until something that nobody waits for at this moment is noticed.
rtsync::Nanoseconds LiveAccess::max_poll_interval() const {
  if (waiters_.empty()) return rtsync::Nanoseconds{1'000'000};
  return std::clamp(facts_.frame.floor() / 4, rtsync::Nanoseconds{100'000}, rtsync::Nanoseconds{1'000'000});
}

/// Looks often at first, then ever more rarely: who is answered soon is answered at once, and a wait for a
/// far frame costs little.
void LiveAccess::run() {
  constexpr rtsync::Nanoseconds kShortestRest{50'000};
  rtsync::Nanoseconds rest = kShortestRest;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!outstanding() && !closing_) something_.wait(lock, [this] { return outstanding() || closing_; });
    Answers answers;
    look(answers);
    const bool last = closing_;
    if (!answers.empty() || last) {
      lock.unlock();
      for (const auto& answer : answers) answer();
      lock.lock();
      rest = kShortestRest;
    } else {
      const bool cut = something_.wait_for(lock, rest, [this] { return stirred_ || closing_; });
      rest = cut ? kShortestRest : std::min(rest + rest / 4, max_poll_interval());
    }
    stirred_ = false;
    if (last && answers_.empty()) return;
  }
}

void LiveAccess::look(Answers& answers) {
  std::swap(answers, answers_);
  take_events(answers);
  take_snapshot(answers);
  take_episode(answers);
  take_returned(answers);
  journal_.flush();
}

void LiveAccess::take_events(Answers& answers) {
  LiveEvent event;
  while (port_->pop(event)) {
    const auto found = sent_.find(event.packet);
    if (found == sent_.end()) continue;
    Sent& sent = *found->second;
    note_forces(sent, event);
    if (event.ended) {
      --sent_count_;
      sent.ended = true;
      LiveDone done;
      done.applied = sent.packet.end == LivePacket::End::applied;
      done.frame = sent.packet.applied_frame;
      if (!done.applied) done.problem = problem_of(sent) + (sent.of_episode ? "" : "; nothing was changed");
      if (done.applied && sent.batch.command) commands_.given(*sent.batch.command);
      (!done.applied ? refused_ : sent.batch.command ? commands_given_ : changes_) += 1;
      journal(sent, done);
      if (sent.of_episode && !done.applied && running_ != nullptr)
        running_->end.problems.push_back("in: " + done.problem);
      if (sent.then) answers.push_back([then = std::move(sent.then), done] { then(done); });
    }
    if (event.free) sent_.erase(found);
  }
}

std::string LiveAccess::problem_of(const Sent& sent) const {
  const std::string frame = "frame " + std::to_string(sent.batch.frame.value_or(sent.packet.applied_frame));
  const auto name = [&] {
    return sent.packet.which < sent.batch.writes.size()
               ? "'" + variables_.name_of(sent.batch.writes[sent.packet.which].ref) + "'"
               : std::string("a variable");
  };
  switch (sent.packet.end) {
    case LivePacket::End::too_late:
      return frame + " had begun when it came";
    case LivePacket::End::busy:
      return "an asynchronous thread was at work at " + frame + "; leave the frame away";
    case LivePacket::End::forced:
      return name() + " is forced; release it first";
    case LivePacket::End::full:
      return name() + ": its model has " + std::to_string(ModelForces::kMost) +
             " forces already; release some";
    case LivePacket::End::released:
      return "all was released before " + frame;
    case LivePacket::End::dropped:
      return ended_ ? "the run ended before it" : "the rig went back to an earlier state before it";
    case LivePacket::End::applied:
      break;
  }
  return "";
}

void LiveAccess::note_forces(const Sent& sent, const LiveEvent& event) {
  const bool applied = event.ended && sent.packet.end == LivePacket::End::applied;
  std::size_t changed = 0;
  if (applied) {
    for (const LiveWrite& write : sent.batch.writes) {
      const auto ends = [&](const Forced& force) {
        return write.kind == LiveWrite::Kind::release_all ||
               (write.kind != LiveWrite::Kind::set && overlap(force.ref, write.ref));
      };
      changed += std::erase_if(forced_, ends);
      if (write.kind == LiveWrite::Kind::force) ++changed;
      if (write.kind == LiveWrite::Kind::set)
        set_[write.ref.variable] = {sent.batch.who, sent.packet.applied_frame};
      if (write.kind == LiveWrite::Kind::force)
        forced_.push_back({write.ref,
                           &sent.packet,
                           {write.ref, variables_.name_of(write.ref), write.bytes, sent.batch.who,
                            sent.packet.applied_frame}});
    }
  }
  if (event.free)
    changed += std::erase_if(forced_, [&](const Forced& force) { return force.packet == &sent.packet; });
  if (changed > 0) forces_changed_.fetch_add(1, std::memory_order_release);
}

void LiveAccess::take_snapshot(Answers& answers) {
  const std::byte* values = nullptr;
  if (const LivePort::Head* const head = port_->read(values)) {
    LiveSnapshotPtr made;
    for (Waiter& waiter : waiters_) {
      const bool fits =
          waiter.every == 0 || head->rig.state == State::pause || head->frame % waiter.every == 0;
      if (waiter.sequence > head->sequence || !fits) continue;
      if (made == nullptr) {
        auto snapshot = std::make_shared<LiveSnapshot>();
        snapshot->sequence = head->sequence;
        snapshot->frame = head->frame;
        snapshot->sim_time_ns = head->frame < 0 ? 0 : facts_.frame.times(head->frame).count();
        snapshot->rig = head->rig;
        snapshot->bytes.assign(values, values + port_->bytes());
        made = std::move(snapshot);
        ++snapshots_;
      }
      answers.push_back([then = std::move(waiter.then), made] { then(made); });
      waiter.then = nullptr;
    }
    std::erase_if(waiters_, [](const Waiter& waiter) { return waiter.then == nullptr; });
    // Who came while that one was being made waits for the next.
    for (const Waiter& waiter : waiters_)
      (void)(waiter.every == 0 ? port_->want() : port_->want_multiple(waiter.every));
  }
}

void LiveAccess::end(const RunEnd& why) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    Answers answers;
    look(answers);
    ended_ = true;
    end_ = why;
    for (Answers::value_type& answer : answers) answers_.push_back(std::move(answer));
    for (Waiter& waiter : waiters_) answers_.push_back([then = std::move(waiter.then)] { then(nullptr); });
    waiters_.clear();
    for (Returning& returning : returning_)
      answers_.push_back([then = std::move(returning.then), done = has_returned(returning), why] {
        then(done ? ""
                  : "the run ended before it: " +
                        (why.reason.empty() ? std::string(name_of(why.outcome)) : why.reason));
      });
    returning_.clear();
    finish_episode(answers_, true);
    for (auto& [packet, sent] : sent_) {
      if (packet->told) continue;
      const LiveDone done{false, -1, "the run ended before it"};
      ++refused_;
      journal(*sent, done);
      if (sent->then) answers_.push_back([then = std::move(sent->then), done] { then(done); });
    }
    sent_count_ = 0;
    journal_.flush();
    closing_ = true;
    something_.notify_all();
  }
  answer_reports([](LiveReport) { return Json(); });
  if (thread_) thread_->join();
  const std::lock_guard lock(mutex_);
  journal_.close();
}

void LiveAccess::journal(const Sent& sent, const LiveDone& done) {
  if (sent.batch.command) {
    Json entry =
        entry_of(*sent.batch.command, done.applied ? done.frame : sent.batch.frame.value_or(done.frame));
    if (!done.applied) entry["problem"] = done.problem;
    journal_.add(std::move(entry), sent.batch.who);
  }
  for (const LiveWrite& write : sent.batch.writes) {
    Json entry{{"frame", done.applied ? done.frame : sent.batch.frame.value_or(done.frame)},
               {"what", name_of(write.kind)}};
    if (write.kind != LiveWrite::Kind::release_all) {
      entry["variable"] = variables_.name_of(write.ref);
      const Variable& variable = *variables_.of(write.ref).variable;
      if (!write.bytes.empty())
        entry["value"] = to_json(variable, write.bytes.data(), write.ref.elements,
                                 variable.count > 0 && !write.ref.indexed);
    }
    if (!done.applied) entry["problem"] = done.problem;
    journal_.add(std::move(entry), sent.batch.who);
  }
}

std::vector<std::string> LiveAccess::take_log_lines() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines = std::exchange(lines_, {});
  for (std::string& line : journal_.take_log_lines()) lines.push_back(std::move(line));
  return lines;
}

Json LiveAccess::summary() const {
  Json forced = Json::array();
  for (const LiveForce& force : forces()) forced.push_back(force.name);
  const std::lock_guard lock(mutex_);
  return {{"changes", changes_},
          {"refused", refused_},
          {"commands", commands_given_},
          {"episodes", episodes_},
          {"snapshots", snapshots_},
          {"forced_at_end", std::move(forced)},
          {"journal_lines_left_out", journal_.left_out()}};
}

}  // namespace tactus::executive
