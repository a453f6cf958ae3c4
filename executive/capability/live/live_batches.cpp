// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_batches.hpp"

#include <algorithm>
#include <utility>

#include "executive/capability/live/live_value.hpp"

namespace tactus::executive {
namespace {

bool releases(const LiveWrite& write) {
  return write.kind == LiveWrite::Kind::release || write.kind == LiveWrite::Kind::release_all;
}

}  // namespace

bool LiveBatches::is_forced(const LiveRef& ref) const {
  return std::ranges::any_of(forced_, [&](const Forced& force) { return overlap(force.ref, ref); });
}

std::vector<LiveForce> LiveBatches::forces() const {
  std::vector<LiveForce> all;
  for (const Forced& force : forced_) all.push_back(force.known);
  return all;
}

LiveWriter LiveBatches::writer_of(std::size_t variable) const {
  using What = LiveWriter::What;
  for (const Forced& force : forced_)
    if (force.ref.variable == variable) return {What::force, force.known.who, force.known.frame};
  const LiveWriter& writer = variables_.writer_of(variable);
  if (writer.what != What::parameter && writer.what != What::model) return writer;
  const auto set = set_.find(variable);
  if (set != set_.end() && set->second.returns == port_.returns())
    return {What::set, set->second.who, set->second.frame};
  // What keeps its value until somebody writes it has that of the checkpoint.
  const tactus_role role = variables_.of({.variable = variable}).variable->role;
  const bool keeps = role == TACTUS_INPUT || role == TACTUS_PARAMETER;
  if (keeps && executive_.restart().is_loaded()) return {What::checkpoint, "a checkpoint", {}};
  return writer;
}

// ---- what is asked for

std::string LiveBatches::write_problem(const LiveWrite& write, std::optional<std::int64_t> frame) const {
  using Kind = LiveWrite::Kind;
  if (write.kind == Kind::release_all) return "";
  const LiveVariable& live = variables_.of(write.ref);
  const std::string name = variables_.name_of(write.ref);
  if (live.rights == LiveRights::read_only) return "'" + name + "' " + live.reason;
  if (write.kind == Kind::release) return "";
  if (write.kind == Kind::set && (!live.variable->fixed.empty() || !variables_.feeder_of(write.ref).empty()))
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
                             "', which exchanges data with the frames ";
  if (worker->kind != ThreadKind::asynchronous_must_finish)
    return thread + "only when it is idle; omit the frame or date";
  if (worker->frames > 1 && *frame % worker->frames != 0)
    return thread + "only at multiples of " + std::to_string(worker->frames) + "; choose frame " +
           std::to_string((*frame / worker->frames + 1) * worker->frames);
  return "";
}

/// Explains why it is too late for that frame; empty: it is not.
std::string LiveBatches::frame_problem(std::int64_t frame) const {
  const std::int64_t next = port_.frame() + 1;
  if (frame < next)
    return "frame " + std::to_string(frame) + " is past; the next one is " + std::to_string(next);
  if (frame >= facts_.frames)
    return "frame " + std::to_string(frame) + " is never run: the run ends after frame " +
           std::to_string(facts_.frames - 1);
  return "";
}

/// Explains why a command cannot be given in the frame of its batch.
std::string LiveBatches::command_problem(const LiveBatch& batch, bool in_episode) const {
  const CommandCall& call = *batch.command;
  if (!batch.writes.empty()) return "a command and changes do not go together";
  if (std::string why = LiveCommands::episode_problem(call.command, in_episode); !why.empty()) return why;
  const bool of_frames = row_of(call.command).taken == CommandTaken::at_end_of_frame &&
                         !(call.command == Command::pause && call.value != 0);
  if (!of_frames) return "'" + std::string(name_of(call.command)) + "' is not given in a frame";
  return commands_.check(call, batch.frame.value_or(std::max(batch.not_before, port_.frame() + 1)));
}

std::string LiveBatches::part_problem(const LiveBatch& batch, const LiveWrite& write) const {
  using Kind = LiveWrite::Kind;
  const auto whole = std::ranges::find_if(forced_, [&](const Forced& force) {
    return overlap(force.ref, write.ref) && force.ref.elements > write.ref.elements;
  });
  if (whole == forced_.end()) return "";
  const bool released = std::ranges::any_of(batch.writes, [&](const LiveWrite& other) {
    if (other.kind == Kind::release_all) return true;
    return other.kind == Kind::release && overlap(other.ref, whole->ref) &&
           other.ref.elements >= whole->ref.elements;
  });
  if (released) return "";
  return forced_problem(write);
}

/// Explains what a force that stays prevents: a set, or the force or release of an element of its array.
std::string LiveBatches::forced_problem(const LiveWrite& write) const {
  const std::string name = "'" + variables_.name_of(write.ref) + "' ";
  if (write.kind == LiveWrite::Kind::set) return name + "is forced; release it first";
  return name + "belongs to '" + variables_.of(write.ref).variable->name +
         "', which is forced as a whole; release that first";
}

std::vector<std::string> LiveBatches::problems(const LiveBatch& batch, bool in_episode) const {
  std::vector<std::string> problems;
  if (batch.command) {
    if (std::string wrong = command_problem(batch, in_episode); !wrong.empty())
      problems.push_back(std::move(wrong));
  } else if (batch.writes.empty()) {
    problems.push_back("there is nothing to set, force or release");
  }
  if (batch.frame)
    if (std::string wrong = frame_problem(*batch.frame); !wrong.empty()) problems.push_back(std::move(wrong));
  std::unordered_map<std::size_t, std::vector<const LiveWrite*>> seen;
  for (const LiveWrite& write : batch.writes) {
    std::string wrong = write_problem(write, batch.frame);
    if (wrong.empty() && write.kind == LiveWrite::Kind::set && is_forced(write.ref)) {
      const bool released = std::ranges::any_of(batch.writes, [&](const LiveWrite& other) {
        return other.kind == LiveWrite::Kind::release_all ||
               (other.kind == LiveWrite::Kind::release && overlap(other.ref, write.ref));
      });
      if (!released) wrong = forced_problem(write);
    }
    if (wrong.empty() && (write.kind == LiveWrite::Kind::force || write.kind == LiveWrite::Kind::release))
      wrong = part_problem(batch, write);
    if (!wrong.empty()) problems.push_back(std::move(wrong));
    if (releases(write)) continue;
    auto& others = seen[write.ref.variable];
    for (const LiveWrite* const other : others)
      if (overlap(other->ref, write.ref))
        problems.push_back("'" + variables_.name_of(write.ref) + "' is written twice; one value is expected");
    others.push_back(&write);
  }
  if (std::string wrong = load_problem(batch); !wrong.empty()) problems.push_back(std::move(wrong));
  return problems;
}

std::string LiveBatches::load_problem(const LiveBatch& batch) const {
  if (std::ranges::all_of(batch.writes, releases))
    return sent_.size() < LivePort::kMostPackets ? ""
                                                 : "too many releases are under way; try again in a moment";
  if (journal_.failed())
    return "the journal (journal.jsonl in the run folder) cannot be written, so only releases are accepted";
  if (sent_.size() >= kMost)
    return std::to_string(sent_.size()) +
           " requests wait or hold a force already; wait, or release \"all\", which drops what waits, too";
  std::size_t changes = batch.writes.size(), bytes = 0;
  for (const LiveWrite& write : batch.writes) bytes += write.bytes.size();
  for (const auto& [packet, sent] : sent_) {
    if (sent->ended || sent->batch.frame != batch.frame) continue;
    changes += sent->batch.writes.size();
    bytes += packet->data.size();
  }
  const std::size_t most_bytes = std::max<std::size_t>(port_.bytes(), 1 << 16);
  if (changes > kMostChanges || bytes > most_bytes)
    return "one frame takes " + std::to_string(kMostChanges) + " changes and " + std::to_string(most_bytes) +
           " bytes; spread them over several";
  return "";
}

LivePacket* LiveBatches::make(LiveBatch batch, std::function<void(const LiveDone&)> then,
                              std::function<void(const std::string&)> refused) {
  using Kind = LiveWrite::Kind;
  std::stable_partition(batch.writes.begin(), batch.writes.end(), releases);
  auto sent = std::make_unique<Sent>();
  LivePacket& packet = sent->packet;
  packet.number = ++made_;
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
  sent->refused = std::move(refused);
  sent_.emplace(&packet, std::move(sent));
  ++under_way_;
  return &packet;
}

// ---- what the frames say

void LiveBatches::poll(LiveView& view) {
  LiveEvent event;
  while (port_.pop(event)) {
    const auto found = sent_.find(event.packet);
    if (found == sent_.end()) continue;
    Sent& sent = *found->second;
    note_forces(sent, event);
    if (event.ended && !sent.ended) {
      LiveDone done{.applied = sent.packet.end == LivePacket::End::applied,
                    .frame = sent.packet.applied_frame};
      if (!done.applied) {
        const std::string problem = problem_of(sent, view.end != nullptr);
        if (sent.refused) sent.refused(problem);
        done.problem = problem + (sent.refused ? "" : "; nothing was changed");
      }
      if (done.applied && sent.batch.command) commands_.given(*sent.batch.command);
      if (done.applied) ++(sent.batch.command ? commands_given_ : changes_);
      end(sent, done, view);
    }
    if (event.free) sent_.erase(found);
  }
  if (view.end != nullptr)
    for (auto& [packet, sent] : sent_)
      if (!packet->told && !sent->ended) end(*sent, {false, -1, "the run ended before it took effect"}, view);
}

void LiveBatches::end(Sent& sent, const LiveDone& done, LiveView& view) {
  --under_way_;
  sent.ended = true;
  if (!done.applied) ++refused_;
  journal(sent, done);
  if (sent.then) view.answers.push_back([then = std::move(sent.then), done] { then(done); });
}

std::string LiveBatches::problem_of(const Sent& sent, bool run_ended) const {
  const std::string frame = "frame " + std::to_string(sent.batch.frame.value_or(sent.packet.applied_frame));
  const auto name = [&] {
    return sent.packet.which < sent.batch.writes.size()
               ? "'" + variables_.name_of(sent.batch.writes[sent.packet.which].ref) + "'"
               : std::string("a variable");
  };
  switch (sent.packet.end) {
    case LivePacket::End::too_late:
      return frame + " had begun when the request came";
    case LivePacket::End::busy:
      return "an asynchronous thread was at work at " + frame + "; omit the frame";
    case LivePacket::End::forced:
      return forced_problem(sent.batch.writes[sent.packet.which]);
    case LivePacket::End::full:
      return name() + ": its model has " + std::to_string(ModelForces::kMost) +
             " forces already; release some";
    case LivePacket::End::released:
      return "all was released before " + frame;
    case LivePacket::End::dropped:
      return run_ended ? "the run ended before it took effect"
                       : "the rig was reset or restored before it took effect";
    case LivePacket::End::applied:
      break;
  }
  return "";
}

void LiveBatches::note_forces(const Sent& sent, const LiveEvent& event) {
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
        set_[write.ref.variable] = {sent.batch.who, sent.packet.applied_frame, sent.packet.returns};
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

void LiveBatches::journal(const Sent& sent, const LiveDone& done) {
  if (sent.batch.command) {
    Json entry = LiveCommands::entry_of(*sent.batch.command,
                                        done.applied ? done.frame : sent.batch.frame.value_or(done.frame));
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

}  // namespace tactus::executive
