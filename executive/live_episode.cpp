// How live access runs an episode.
#include <algorithm>
#include <cstring>
#include <map>

#include "config/date.hpp"
#include "executive/live_access.hpp"
#include "executive/live_value.hpp"

namespace tactus::executive {

using rtsync::Wide;

std::string LiveAccess::date_of(std::int64_t frame) const {
  return config::print_date(facts_.epoch_ns + facts_.frame.times(frame).count());
}

/// The frame that begins at a date. Nothing, and why, when none does.
std::optional<std::int64_t> LiveAccess::frame_of(const std::string& date, std::string& problem) const {
  const config::ParsedDate parsed = config::parse_date(date);
  if (!parsed) {
    problem = parsed.problem;
    return std::nullopt;
  }
  const Wide since = static_cast<Wide>(*parsed.ns) - facts_.epoch_ns;
  if (since < 0) {
    problem = "'" + date + "' is before the epoch of the rig, " + date_of(0);
    return std::nullopt;
  }
  const rtsync::Period& frame = facts_.frame;
  const Wide nearest = (since * frame.den() + frame.num() / 2) / frame.num();
  if (nearest > INT64_MAX / 2) {
    problem = "'" + date + "' is later than any frame";
    return std::nullopt;
  }
  const auto k = static_cast<std::int64_t>(nearest);
  // A frame whose start is no whole nanosecond may be named by the one before or after.
  const Wide start = static_cast<Wide>(k) * frame.num();
  const Wide floor = start / frame.den();
  const Wide ceil = (start + frame.den() - 1) / frame.den();
  if (since == floor || since == ceil) return k;
  const std::int64_t before = since < floor ? k - 1 : k;
  problem = "'" + date + "' is between two frames; choose " + date_of(before) + " or " + date_of(before + 1);
  return std::nullopt;
}

std::optional<LiveRef> LiveAccess::item(const EpisodeItem& item, std::string& problem) const {
  if (item.entity.empty() || item.descriptor.empty()) {
    problem = "an item needs an entity (a model) and a descriptor (one of its variables)";
    return std::nullopt;
  }
  const std::string prefix = item.entity + ".";
  const bool known = std::any_of(variables_.begin(), variables_.end(), [&](const LiveVariable& each) {
    return each.variable->name.starts_with(prefix);
  });
  if (!known) {
    problem = "there is no entity '" + item.entity + "'";
    return std::nullopt;
  }
  return find(prefix + item.descriptor, problem);
}

/// Fills `running` and `batches`. False: running.end.problems says all that is wrong.
bool LiveAccess::plan_episode(const EpisodeRequest& request, Running& running,
                              std::vector<LiveBatch>& batches) const {
  std::vector<std::string>& problems = running.end.problems;
  const std::int64_t next = port_->frame() + 1;
  if (executive_.state() != State::pause)
    problems.push_back("the rig is in state " + std::string(name_of(executive_.state())) +
                       "; an episode begins in Pause: pause it first");
  std::int64_t last = INT64_MAX;
  std::string problem;
  if (request.stop) {
    const auto frame = frame_of(*request.stop, problem);
    if (!frame) problems.push_back("stop date: " + problem);
    if (frame && *frame < next)
      problems.push_back("stop date: '" + *request.stop + "' is past; the next frame is that of " +
                         date_of(next));
    if (frame && *frame > facts_.frames)
      problems.push_back("stop date: '" + *request.stop + "' is after the end of the run, " +
                         date_of(facts_.frames));
    if (frame) last = *frame;
  }
  // When the jobs of an item's date run, or why they do not in this episode.
  const auto check_date = [&](const std::string& which,
                              const std::string& date) -> std::optional<std::int64_t> {
    std::string wrong;
    const auto frame = frame_of(date, wrong);
    if (!frame)
      problems.push_back(which + wrong);
    else if (*frame < next)
      problems.push_back(which + "'" + date + "' is past; the next frame is that of " + date_of(next));
    else if (*frame >= facts_.frames)
      problems.push_back(which + "'" + date + "' is after the last frame of the run, " +
                         date_of(facts_.frames - 1));
    else if (*frame > last)
      problems.push_back(which + "'" + date + "' is after the stop date");
    else
      return frame;
    return std::nullopt;
  };
  std::map<std::int64_t, LiveBatch> by_frame;
  for (std::size_t i = 0; i < request.in.size(); ++i) {
    const EpisodeInput& in = request.in[i];
    const std::string which = "in[" + std::to_string(i) + "] (" + in.entity + "." + in.descriptor + "): ";
    std::optional<std::int64_t> frame = next;
    if (in.date) frame = check_date(which, *in.date);
    const auto ref = item(in, problem);
    if (!ref) {
      problems.push_back(which + problem);
      continue;
    }
    const Variable& variable = *variables_[ref->variable].variable;
    const bool list = variable.count > 0 && !ref->indexed;
    LiveWrite write{LiveWrite::Kind::set, *ref, {}};
    if (in.typed) {
      if (in.type != variable.type || (list ? in.count != variable.count : in.count != 0)) {
        problems.push_back(which + "has type " + std::string(name_of(in.type)) +
                           (in.count > 0 ? "[" + std::to_string(in.count) + "]" : "") + "; the variable is " +
                           describe({&variable, ref->first, ref->elements, ref->indexed, nullptr}));
        continue;
      }
      write.bytes = in.bytes;
    } else if (auto bytes = from_json(variable, ref->elements, list, in.value, problem)) {
      write.bytes = std::move(*bytes);
    } else {
      problems.push_back(which + problem);
      continue;
    }
    if (!frame) continue;
    if (const std::string wrong = objection(write, *frame); !wrong.empty()) {
      problems.push_back(which + wrong);
      continue;
    }
    LiveBatch& batch = by_frame[*frame];
    for (const LiveWrite& other : batch.writes)
      if (other.ref.variable == ref->variable && other.ref.first < ref->first + ref->elements &&
          ref->first < other.ref.first + other.ref.elements)
        problems.push_back(which + "is given twice for the same date; one value is expected");
    batch.frame = *frame;
    batch.who = request.who;
    batch.writes.push_back(std::move(write));
  }
  struct Wanted {
    std::int64_t frame;
    std::size_t out;
    LiveRef ref;
  };
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < request.out.size(); ++i) {
    const EpisodeItem& out = request.out[i];
    const std::string which = "out[" + std::to_string(i) + "] (" + out.entity + "." + out.descriptor + "): ";
    std::optional<std::int64_t> frame = last;
    if (out.date) frame = check_date(which, *out.date);
    const auto ref = item(out, problem);
    if (!ref) problems.push_back(which + problem);
    running.end.out.push_back({ref.value_or(LiveRef{}), {}});
    if (ref && frame) wanted.push_back({*frame, i, *ref});
  }
  if (sent_.size() + by_frame.size() > LivePort::kMostPackets)
    problems.push_back("the items have " + std::to_string(by_frame.size()) + " different dates; at most " +
                       std::to_string(LivePort::kMostPackets - sent_.size()) +
                       " are possible at a time: make several episodes of it");
  if (!problems.empty()) return false;
  for (auto& [frame, batch] : by_frame) batches.push_back(std::move(batch));

  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const Wanted& a, const Wanted& b) { return a.frame < b.frame; });
  running.capture.assign(request.out.size(), SIZE_MAX);
  LiveEpisode& episode = running.episode;
  episode.last_frame = last;
  for (const Wanted& each : wanted) {
    if (each.frame >= facts_.frames) continue;  // with the end of the run
    running.capture[each.out] = episode.captures.size();
    const Variable& variable = *variables_[each.ref.variable].variable;
    const auto* const place = static_cast<const std::byte*>(port_->place(each.ref.variable));
    episode.captures.push_back({each.frame, place + each.ref.first * size_of(variable.type),
                                episode.data.size(), bytes_of(each.ref)});
    episode.data.resize(episode.data.size() + bytes_of(each.ref));
  }
  return true;
}

void LiveAccess::episode(EpisodeRequest request, std::function<void(const EpisodeEnd&)> then) {
  const std::lock_guard lock(mutex_);
  auto running = std::make_unique<Running>();
  std::vector<LiveBatch> batches;
  bool good = false;
  if (ended_)
    running->end.problems.push_back("the run has ended: " + std::string(name_of(end_.outcome)));
  else if (running_ != nullptr)
    running->end.problems.push_back("another episode is under way; one runs at a time");
  else
    good = plan_episode(request, *running, batches);
  something_.notify_one();
  if (!good) {
    ++refused_;
    running->end.out.clear();
    answers_.push_back([then = std::move(then), end = std::move(running->end)] { then(end); });
    return;
  }
  ++episodes_;
  config::Json entry{{"frame", port_->frame()}, {"what", "episode"}};
  if (request.stop) entry["stop"] = *request.stop;
  journal(std::move(entry), request.who);
  for (LiveBatch& batch : batches) send(std::move(batch), nullptr);
  running->then = std::move(then);
  running_ = std::move(running);
  port_->begin(&running_->episode);
  executive_.request_resume();
  executive_.nudge();
}

void LiveAccess::take_episode(Answers& answers) {
  if (running_ != nullptr && running_->episode.done.load(std::memory_order_acquire))
    finish_episode(answers, false);
}

/// `ended`: the frames are over.
void LiveAccess::finish_episode(Answers& answers, bool ended) {
  if (running_ == nullptr) return;
  const std::unique_ptr<Running> running = std::move(running_);
  EpisodeEnd& end = running->end;
  LiveEpisode& episode = running->episode;
  const bool paused = episode.done.load(std::memory_order_acquire) && !episode.broken;
  if (episode.broken)
    end.problems.push_back("the rig went back to an earlier state in the middle of the episode");
  if (!paused) port_->begin(nullptr);
  end.ended = ended && !paused;
  end.outcome = end.ended ? std::string(name_of(end_.outcome)) : "";
  end.reason = end.ended ? end_.reason : "";
  end.frame = paused ? episode.last_frame : executive_.frames_done() - 1;
  if (end.frame >= 0) end.date = date_of(end.frame);
  for (std::size_t i = 0; i < end.out.size(); ++i) {
    const LiveRef& ref = end.out[i].ref;
    if (running->capture[i] == SIZE_MAX) {
      if (!end.ended || executive_.stuck()) continue;
      const Variable& variable = *variables_[ref.variable].variable;
      const auto* const from =
          static_cast<const std::byte*>(port_->place(ref.variable)) + ref.first * size_of(variable.type);
      end.out[i].bytes.assign(from, from + bytes_of(ref));
    } else if (running->capture[i] < episode.next && !executive_.stuck()) {
      const LiveEpisode::Capture& capture = episode.captures[running->capture[i]];
      const auto from = episode.data.begin() + static_cast<std::ptrdiff_t>(capture.offset);
      end.out[i].bytes.assign(from, from + static_cast<std::ptrdiff_t>(capture.bytes));
    }
  }
  answers.push_back([then = std::move(running->then), end = std::move(end)] { then(end); });
}

}  // namespace tactus::executive
