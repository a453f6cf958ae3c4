// SPDX-License-Identifier: Apache-2.0
// How live access runs an episode.
#include <algorithm>
#include <map>
#include <tuple>

#include "executive/capability/live/live_access.hpp"
#include "executive/capability/live/live_value.hpp"

namespace tactus::executive {

struct LiveAccess::Running {
  std::unique_ptr<LiveEpisode> episode = std::make_unique<LiveEpisode>();
  EpisodeEnd end{};
  std::vector<std::size_t>
      capture{};  // of each `out`: index into the captures; SIZE_MAX: at the end of the run
  std::function<void(const EpisodeEnd&)> then{};
};

/// `suggest`: says what was probably meant, which takes its time.
std::optional<LiveRef> LiveAccess::item(const EpisodeItem& item, bool suggest, std::string& problem) const {
  if (item.entity.empty() || item.descriptor.empty())
    problem = "an item needs an entity (a model) and a descriptor (one of its variables)";
  else if (!variables_.has_model(item.entity))
    problem =
        "there is no entity '" + item.entity + "'" + (suggest ? variables_.model_meant(item.entity) : "");
  else
    return suggest ? variables_.find(item.entity + "." + item.descriptor, problem)
                   : variables_.lookup(item.entity + "." + item.descriptor, problem);
  return std::nullopt;
}

/// Makes of a request what the frames need; or a list of all that is wrong with it.
class LiveAccess::EpisodePlanner {
 public:
  EpisodePlanner(const LiveAccess& live, const EpisodeRequest& request, Running& running)
      : live_(live), request_(request), running_(running), next_(live.port_->frame() + 1) {}

  /// Fills `running` and `batches`. False: running.end.problems says why not.
  bool plan(std::vector<LiveBatch>& batches) {
    running_.end.conflict = live_.executive_.state() != State::pause;
    if (running_.end.conflict)
      complain("the rig is in state " + std::string(name_of(live_.executive_.state())) +
               "; an episode begins in Pause: pause it first");
    plan_stop();
    for (std::size_t i = 0; i < request_.in.size() && !enough(); ++i) plan_input(i);
    for (std::size_t i = 0; i < request_.out.size() && !enough(); ++i) plan_output(i);
    if (enough()) complain("and maybe more: these were enough");
    if (!running_.end.problems.empty()) return false;
    running_.episode->first_frame = next_;
    lay_out_captures();
    for (auto& [frame, batch] : by_frame_) batches.push_back(std::move(batch));
    if (!at_meeting_.writes.empty()) batches.push_back(std::move(at_meeting_));
    check_load(batches);
    return running_.end.problems.empty();
  }

 private:
  struct Wanted {
    std::int64_t frame;
    std::size_t out;
    LiveRef ref;
  };

  static constexpr std::size_t kMostProblems = 100;
  static constexpr std::size_t kSuggestions = 10;
  static constexpr std::size_t kMostCaptured = 64 << 20;  // bytes of an episode

  bool enough() const { return running_.end.problems.size() >= kMostProblems; }
  bool suggests() const { return running_.end.problems.size() < kSuggestions; }
  void complain(std::string problem) { running_.end.problems.push_back(std::move(problem)); }
  std::string is_past(const std::string& date) const {
    return "'" + date + "' is past; the next frame is that of " + live_.dates_.date_of(next_);
  }
  static std::string place(const char* list, std::size_t i, const EpisodeItem& item) {
    return std::string(list) + "[" + std::to_string(i) + "] (" + item.entity + "." + item.descriptor + "): ";
  }

  void plan_stop() {
    if (!request_.stop) return;
    std::string problem;
    const auto frame = live_.dates_.frame_of(*request_.stop, next_, live_.facts_.frames, problem);
    if (!frame) return complain("stop date: " + problem);
    if (*frame < next_) complain("stop date: " + is_past(*request_.stop));
    if (*frame > live_.facts_.frames)
      complain("stop date: '" + *request_.stop + "' is after the end of the run, " +
               live_.dates_.date_of(live_.facts_.frames));
    last_ = *frame;
  }

  /// The frame of an item's date, if this episode runs it.
  std::optional<std::int64_t> frame_of_item(const std::string& which, const std::string& date) {
    std::string problem;
    const std::int64_t end = live_.facts_.frames;
    const auto frame = live_.dates_.frame_of(date, next_, std::min(last_, end - 1), problem);
    if (frame && *frame < next_)
      problem = is_past(date);
    else if (frame && *frame >= end)
      problem = "'" + date + "' is after the last frame of the run, " + live_.dates_.date_of(end - 1);
    else if (frame && *frame > last_)
      problem = "'" + date + "' is after the stop date";
    if (problem.empty()) return frame;
    complain(which + problem);
    return std::nullopt;
  }

  void plan_input(std::size_t i) {
    const EpisodeInput& in = request_.in[i];
    const std::string which = place("in", i, in);
    const std::optional<std::int64_t> frame = in.date ? frame_of_item(which, *in.date) : next_;
    std::string problem;
    const auto ref = live_.item(in, suggests(), problem);
    std::optional<LiveWrite> write;
    if (ref) write = value_of(in, *ref, problem);
    if (!write) return complain(which + problem);
    if (!frame) return;
    // An asynchronous thread takes what has no date where it meets the frames.
    const bool meets =
        !in.date && live_.executive_.program().async_worker_bit(live_.variables_.of(*ref).model) != 0;
    problem = live_.batches_.write_problem(*write, meets ? std::nullopt : frame);
    if (problem.empty() && live_.batches_.is_forced(*ref)) problem = "is forced; release it first";
    if (!problem.empty()) return complain(which + problem);
    LiveBatch& batch = meets ? at_meeting_ : by_frame_[*frame];
    if (std::ranges::any_of(batch.writes,
                            [&](const LiveWrite& other) { return overlap(other.ref, write->ref); }))
      return complain(which + "is given twice for the same date; one value is expected");
    if (!meets) batch.frame = *frame;
    batch.who = request_.who;
    batch.writes.push_back(std::move(*write));
  }

  std::optional<LiveWrite> value_of(const EpisodeInput& in, const LiveRef& ref, std::string& problem) const {
    const Variable& variable = *live_.variables_.of(ref).variable;
    const bool list = variable.count > 0 && !ref.indexed;
    if (!in.typed) {
      auto bytes = from_json(variable, ref.elements, list, in.value, problem);
      if (!bytes) return std::nullopt;
      return LiveWrite{LiveWrite::Kind::set, ref, std::move(*bytes)};
    }
    problem = wrong_type(in, ref);
    if (!problem.empty()) return std::nullopt;
    return LiveWrite{LiveWrite::Kind::set, ref, {in.data, in.data + live_.variables_.bytes_of(ref)}};
  }

  /// Explains why the type that a client gave is not that of the variable; empty: it is, or it gave none.
  std::string wrong_type(const EpisodeItem& item, const LiveRef& ref) const {
    const Variable& variable = *live_.variables_.of(ref).variable;
    const std::uint32_t count = ref.indexed ? 0 : variable.count;
    if (!item.typed || (item.type == variable.type && item.count == count)) return "";
    return "has type " + std::string(name_of(item.type)) +
           (item.count > 0 ? "[" + std::to_string(item.count) + "]" : "") + "; the variable is " +
           describe({&variable, ref.first, ref.elements, ref.indexed, nullptr});
  }

  void plan_output(std::size_t i) {
    const EpisodeItem& out = request_.out[i];
    const std::string which = place("out", i, out);
    const std::optional<std::int64_t> frame = out.date ? frame_of_item(which, *out.date) : last_;
    std::string problem;
    const auto ref = live_.item(out, suggests(), problem);
    if (ref) problem = wrong_type(out, *ref);
    if (!problem.empty()) complain(which + problem);
    running_.end.out.push_back({ref.value_or(LiveRef{}), {}});
    if (ref && frame) wanted_.push_back({*frame, i, *ref});
  }

  /// Each value once, however often it is asked for.
  void lay_out_captures() {
    std::ranges::stable_sort(wanted_, [](const Wanted& a, const Wanted& b) { return a.frame < b.frame; });
    running_.capture.assign(request_.out.size(), SIZE_MAX);
    LiveEpisode& episode = *running_.episode;
    episode.last_frame = last_;
    std::map<std::tuple<std::int64_t, std::size_t, std::uint32_t, std::uint32_t>, std::size_t> known;
    std::size_t bytes = 0;
    for (const Wanted& each : wanted_) {
      if (each.frame >= live_.facts_.frames) continue;  // with the end of the run
      const auto [place, fresh] =
          known.try_emplace(std::tuple(each.frame, each.ref.variable, each.ref.first, each.ref.elements),
                            episode.captures.size());
      running_.capture[each.out] = place->second;
      if (!fresh) continue;
      episode.captures.push_back(
          {each.frame, live_.place_of(each.ref), bytes, live_.variables_.bytes_of(each.ref)});
      bytes += live_.variables_.bytes_of(each.ref);
    }
    if (bytes > kMostCaptured)
      return complain("the values of `out` take " + std::to_string(bytes) + " bytes; at most " +
                      std::to_string(kMostCaptured) + " are kept: ask for fewer, or in several episodes");
    episode.data.resize(bytes);
  }

  /// Checks the limits of what the frames may be requested to do at a time.
  void check_load(const std::vector<LiveBatch>& batches) {
    if (live_.batches_.count() + batches.size() > LiveBatches::kMost && !batches.empty())
      complain("the items of `in` have " + std::to_string(batches.size()) + " different dates; at most " +
               std::to_string(LiveBatches::kMost - std::min(live_.batches_.count(), LiveBatches::kMost)) +
               " are possible at a time: make several episodes of it");
    for (const LiveBatch& batch : batches) {
      const std::string problem = live_.batches_.load_problem(batch);
      if (!problem.empty() && !enough()) complain("in: " + problem);
    }
  }

  const LiveAccess& live_;
  const EpisodeRequest& request_;
  Running& running_;
  const std::int64_t next_;
  std::int64_t last_ = INT64_MAX;
  std::map<std::int64_t, LiveBatch> by_frame_;
  LiveBatch at_meeting_;
  std::vector<Wanted> wanted_;
};

/// Returns the place of the value that other threads may read.
const std::byte* LiveAccess::place_of(const LiveRef& ref) const {
  return static_cast<const std::byte*>(port_->place(ref.variable)) +
         ref.first * size_of(variables_.of(ref).variable->type);
}

void LiveAccess::episode(EpisodeRequest request, std::function<void(const EpisodeEnd&)> then) {
  const std::lock_guard lock(mutex_);
  auto running = std::make_shared<Running>();
  std::vector<LiveBatch> batches;
  bool good = false;
  running->end.conflict = ended_ || running_ != nullptr;
  if (ended_)
    running->end.problems.push_back("the run has ended: " + std::string(name_of(end_.outcome)));
  else if (running_ != nullptr)
    running->end.problems.push_back("another episode is under way; one runs at a time");
  else
    good = EpisodePlanner(*this, request, *running).plan(batches);
  if (!good) {
    batches_.count_refused();
    running->end.out.clear();
    return answer([then = std::move(then), end = std::move(running->end)] { then(end); });
  }
  ++episodes_;
  config::Json entry = config::Json::object();
  if (port_->frame() >= 0) entry["frame"] = port_->frame();
  entry["what"] = "episode";
  if (request.stop) entry["stop"] = *request.stop;
  journal_.add(std::move(entry), request.who);
  journal_.flush();
  const auto refused = [this](const std::string& problem) {
    if (running_ != nullptr) running_->end.problems.push_back("in: " + problem);
  };
  for (LiveBatch& batch : batches)
    running->episode->packets.push_back(batches_.make(std::move(batch), nullptr, refused));
  running->then = std::move(then);
  running_ = running.get();
  port_->begin(running_->episode.get());  // before the live thread is woken: who looks up finds it
  await({[this, running = std::move(running)](LiveView& view) {
    if (view.end == nullptr && !running->episode->done.load(std::memory_order_acquire)) return false;
    finish_episode(*running, view);
    return true;
  }});
}

void LiveAccess::finish_episode(Running& running, LiveView& view) {
  running_ = nullptr;
  const bool ended = view.end != nullptr;
  EpisodeEnd& end = running.end;
  LiveEpisode& episode = *running.episode;
  const bool paused = episode.done.load(std::memory_order_acquire) && !episode.broken;
  const bool refused = episode.broken && !episode.begun;  // nothing of it has run
  if (refused) {
    end.out.clear();
    end.problems = {"the rig was no longer paused before frame " + std::to_string(episode.first_frame) +
                    ", so the episode was not run; pause the rig first"};
  } else if (episode.broken) {
    end.problems.push_back("the rig was reset or restored in the middle of the episode");
  }
  end.conflict = episode.broken;
  if (!paused) port_->begin(nullptr);
  end.ended = ended && !paused;
  end.outcome = end.ended ? std::string(name_of(end_.outcome)) : "";
  end.reason = end.ended ? end_.reason : "";
  if (!refused)
    end.frame = paused ? episode.last_frame : ended ? executive_.frames_done() - 1 : port_->frame();
  if (end.frame >= 0) end.date = dates_.date_of(end.frame);
  for (std::size_t i = 0; i < end.out.size(); ++i) {
    const LiveRef& ref = end.out[i].ref;
    if (running.capture[i] == SIZE_MAX) {
      if (!end.ended || executive_.jobs().stuck()) continue;
      const std::byte* const from = place_of(ref);
      end.out[i].bytes.assign(from, from + variables_.bytes_of(ref));
    } else if (running.capture[i] < episode.next && !executive_.jobs().stuck()) {
      const LiveEpisode::Capture& capture = episode.captures[running.capture[i]];
      const auto from = episode.data.begin() + static_cast<std::ptrdiff_t>(capture.offset);
      end.out[i].bytes.assign(from, from + static_cast<std::ptrdiff_t>(capture.bytes));
    }
  }
  view.answers.push_back([then = std::move(running.then), end = std::move(end)] { then(end); });
  if (ended && executive_.jobs().stuck())
    (void)running.episode.release();  // a frame that never ended may still write there
}

}  // namespace tactus::executive
