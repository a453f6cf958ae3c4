// How an executive remembers and goes back: checkpoints, loading, reset.
#include <charconv>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "executive/executive.hpp"

namespace tactus::executive {

using rtsync::Verdict;

const StateImage& Executive::state_image() {
  if (image_made_) return image_;
  std::string refusals;
  std::vector<const ModelInstance*> models;
  for (const PlannedJob& job : plan().jobs)
    if (job.model != nullptr && std::find(models.begin(), models.end(), job.model) == models.end())
      models.push_back(job.model);
  std::vector<Piece> pieces;
  for (const ModelInstance* const model : models) {
    if (!model->restart_refusal().empty())
      refusals += (refusals.empty() ? "" : "; ") + std::string("model '") + model->name() +
                  "' cannot go back to a state it had before: " + model->restart_refusal();
    for (const Variable& variable : model->variables()) pieces.push_back(piece_of(variable));
  }
  if (!refusals.empty()) throw std::runtime_error(refusals);
  program_.add_state(pieces);
  pieces.push_back(own_piece("@rt.frame", rt_.frame));
  image_ = StateImage(std::move(pieces));
  image_made_ = true;
  return image_;
}

void Executive::set_checkpoints(CheckpointWriter& writer, std::string folder, std::int64_t every) {
  (void)state_image();
  checkpoints_ = &writer;
  checkpoint_folder_ = std::move(folder);
  checkpoint_every_ = every;
}

void Executive::prepare_reset() {
  try {
    initial_.assign(std::max<std::size_t>(state_image().bytes(), 1), std::byte{0});
    reset_refusal_.clear();
  } catch (const std::exception& error) {
    reset_refusal_ = error.what();
    throw;
  }
}

/// Whether the state is complete at the boundary before frame k. An asynchronous_must_finish thread whose
/// period ends there is waited for.
bool Executive::at_rest(std::int64_t k) TACTUS_RT {
  for (const auto& background : program_.backgrounds()) {
    const bool must_finish = background->kind == ThreadKind::asynchronous_must_finish;
    if (must_finish && !background->is_due(k)) return false;
    if (must_finish ? !crew_->wait_for(background->thread) : !crew_->is_idle(background->thread))
      return false;
  }
  return true;
}

void Executive::take_checkpoint(std::int64_t k) TACTUS_RT {
  if (checkpoints_ == nullptr || !checkpoints_->due() || !at_rest(k)) return;
  const tactus_call call{plan().frame.times(k).count(), k, 0};
  if (!run_list(TACTUS_CHECKPOINT, call)) return;
  program_.settle();
  (void)checkpoints_->take(k - 1, call.sim_time_ns);
  (void)run_list(TACTUS_POST_CHECKPOINT, call);
  program_.lane(0).set_running(kNoPlanJob);
  program_.lane(0).count();
}

bool Executive::ask_for_checkpoint(std::string_view name, std::int64_t k, bool patient) TACTUS_RT {
  if (checkpoints_ == nullptr) return false;
  char number[24];
  std::string_view parts[] = {checkpoint_folder_, "/", name, {}};
  if (name.empty()) {
    const auto end = std::to_chars(std::begin(number), std::end(number), k);
    parts[2] = "frame-";
    parts[3] = {number, static_cast<std::size_t>(end.ptr - number)};
  }
  std::size_t length = 0;
  const auto append = [&](std::string_view part) {
    if (part.size() > checkpoint_path_.size() - length) return false;
    std::memcpy(checkpoint_path_.data() + length, part.data(), part.size());
    length += part.size();
    return true;
  };
  for (const std::string_view part : parts)
    if (!append(part)) return false;
  if (name.empty() && !append(".tck")) return false;
  const std::string_view path{checkpoint_path_.data(), length};
  bool accepted = checkpoints_->request(path) == CheckpointWriter::Request::accepted;
  while (!accepted && patient && !orders_.ending()) {  // outside of real time nothing is lost
    progress_.fetch_add(1, std::memory_order_relaxed);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    take_checkpoint(k);  // the one before may still wait for its turn
    const CheckpointWriter::Request answer = checkpoints_->request(path);
    accepted = answer == CheckpointWriter::Request::accepted;
    if (answer != CheckpointWriter::Request::busy) break;
  }
  if (!accepted) checkpoints_missed_.fetch_add(1, std::memory_order_relaxed);
  return accepted;
}

std::string Executive::incomplete() const {
  const std::int64_t k = latest_frame_.frames;
  for (const auto& background : program_.backgrounds())
    if (background->kind == ThreadKind::asynchronous_must_finish && !background->is_due(k))
      return "thread '" + plan().threads[background->thread - 1].name +
             "' ended in the middle of its period; let the run end at a multiple of it";
  return "";
}

std::vector<std::byte> Executive::copy_state() {
  const std::int64_t k = latest_frame_.frames;
  if (!run_list(TACTUS_CHECKPOINT, {end_call_.sim_time_ns, k, 0}))
    throw std::runtime_error(failure_text(*first_failure()));
  program_.settle();
  std::vector<std::byte> bytes(image_.bytes());
  image_.copy_to(bytes.data());
  if (!run_list(TACTUS_POST_CHECKPOINT, {end_call_.sim_time_ns, k, 0}))
    throw std::runtime_error(failure_text(*first_failure()));
  return bytes;
}

/// What was asked for before frame k: by the rig file for this very time, from outside, or before and not
/// taken yet.
void Executive::take_timed_checkpoints(std::int64_t k) TACTUS_RT {
  while (const TimedOrder* const order = orders_.next_checkpoint(k)) {
    take_checkpoint(k);  // two of one time
    (void)ask_for_checkpoint(order->text, k, !sync_.active());
  }
  if (checkpoint_wanted_.load(std::memory_order_relaxed)) {
    checkpoint_wanted_.store(false, std::memory_order_relaxed);
    (void)ask_for_checkpoint("", k, !sync_.active());
  }
  take_checkpoint(k);
}

/// Copies a state in, with the jobs around it. False: one of them failed.
bool Executive::restore(const std::byte* bytes, std::int64_t frame) {
  const tactus_call before{plan().frame.times(frame).count(), -1, 0};
  if (!run_list(TACTUS_PRELOAD_CHECKPOINT, before)) return false;
  image_.copy_from(bytes);
  program_.take_state();
  program_.seek(frame);
  end_call_.sim_time_ns = before.sim_time_ns;
  const bool good = run_list(TACTUS_RESTART, before);
  program_.lane(0).set_running(kNoPlanJob);
  program_.lane(0).count();
  return good;
}

void Executive::load(const LoadedState& state) {
  (void)state_image();
  if (!restore(state.bytes.data(), state.frame)) {
    enter(State::abort);
    throw std::runtime_error(failure_text(*first_failure()));
  }
  first_frame_ = state.frame;
  loaded_.fetch_add(1, std::memory_order_release);
}

/// A reset, or a checkpoint to be loaded: the frame that comes next; nothing when the rig has to end.
std::optional<std::int64_t> Executive::go_back() {
  const LoadedState* const loading = load_.exchange(nullptr, std::memory_order_acquire);
  if (can_go(state(), State::stop)) enter(State::stop);
  drive_safe();
  enter(State::reset);
  orders_.forget_hold();
  for (const auto& background : program_.backgrounds()) {
    for (int waits = 0; waits < 1000 && !crew_->is_idle(background->thread); ++waits) {
      alive();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  if (!wait_for_backgrounds() || failed_) return std::nullopt;
  std::int64_t frame = 0;
  if (loading != nullptr) {
    frame = loading->frame;
    if (!restore(loading->bytes.data(), frame)) return std::nullopt;
    orders_.seek(frame);
    loaded_.fetch_add(1, std::memory_order_release);
    enter(State::start);
    return frame;
  }
  orders_.reset_taken();
  if (!reset_refusal_.empty()) {
    reset_failure_ = "the rig cannot be reset: " + reset_refusal_;
    return std::nullopt;
  }
  if (!restore(initial_.data(), 0)) return std::nullopt;
  enter(State::start);
  if (!initialize_again()) return std::nullopt;
  resets_.fetch_add(1, std::memory_order_relaxed);
  return frame;
}

/// The jobs of Start after a reset. They may take long: what watches over the rig is kept content meanwhile.
bool Executive::initialize_again() {
  std::vector<std::string> failures;
  const auto work = [&] {
    failures = run_once(TACTUS_INITIALIZATION, false);
    for (const auto& loop : program_.loops())
      if (failures.empty() && loop->derivatives(0, -1) != 0)
        failures.push_back(failure_text(*first_failure()));
    program_.lane(0).set_running(kNoPlanJob);
  };
  if (setup_thread_) {
    std::atomic<bool> done{false};
    rtsync::PinnedThread thread(*setup_thread_, [&] {
      work();
      done.store(true);
    });
    rest();  // it may take its time
    while (!done.load()) {
      alive();
      latest_frame_.turns = turns_;
      latest_frame_.state = State::start;
      latest_.write(latest_frame_);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    thread.join();
    wake();
  } else {
    work();
  }
  if (failures.empty()) return true;
  reset_failure_ = "after a reset: " + failures.front();
  reset_job_failed_ = true;
  return false;
}

}  // namespace tactus::executive
