// How an executive remembers and goes back: checkpoints, loading, reset.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "executive/frame/executive.hpp"
#include "rtsync/crash/crash_handler.hpp"

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
  pieces.push_back(own_piece("@rt.frame", accounts_.frame()));
  pieces.push_back(own_piece("@orders.hold", commands_.hold()));
  image_ = StateImage(std::move(pieces));
  image_made_ = true;
  return image_;
}

rtsync::Nanoseconds Executive::prepare_reset() {
  try {
    initial_.assign(std::max<std::size_t>(state_image().bytes(), 1), std::byte{0});
    reset_refusal_.clear();
    image_.copy_to(initial_.data());  // warms the caches, as the frames will
    const auto begin = std::chrono::steady_clock::now();
    image_.copy_to(initial_.data());
    return std::chrono::steady_clock::now() - begin;
  } catch (const std::exception& error) {
    reset_refusal_ = error.what();
    throw;
  }
}

/// Whether the state is complete at the boundary before frame k: no asynchronous thread is in the middle of
/// its period. One that must finish there is waited for.
bool Executive::async_workers_idle(std::int64_t k) TACTUS_RT {
  for (const auto& background : program_.async_workers()) {
    if (!background->is_due(k)) return false;
    if (background->kind == ThreadKind::asynchronous_must_finish) {
      if (!wait_for(*background)) return !(failed_ = true);
    } else if (!workers_->is_idle(background->thread)) {
      return false;
    }
  }
  for (const auto& background : program_.async_workers()) program_.post_switches(*background);
  return true;
}

std::string Executive::incomplete() const {
  const std::int64_t k = latest_frame_.frames;
  for (const auto& background : program_.async_workers())
    if (background->kind == ThreadKind::asynchronous_must_finish && !background->is_due(k))
      return "thread '" + plan().threads[background->thread - 1].name +
             "' ended in the middle of its period; let the run end at a multiple of it";
  return "";
}

std::vector<std::byte> Executive::copy_state() {
  const std::int64_t k = latest_frame_.frames;
  if (!run_list(TACTUS_CHECKPOINT, {end_call_.sim_time_ns, k, 0}))
    throw std::runtime_error(failure_text(*first_failure()));
  program_.save_state();
  std::vector<std::byte> bytes(image_.bytes());
  image_.copy_to(bytes.data());
  if (!run_list(TACTUS_POST_CHECKPOINT, {end_call_.sim_time_ns, k, 0}))
    throw std::runtime_error(failure_text(*first_failure()));
  return bytes;
}

/// Copies a state in, with the jobs around it. False: one of them failed.
bool Executive::restore(const std::byte* bytes, std::int64_t frame) {
  const tactus_call before{plan().frame.times(frame).count(), -1, 0};
  if (!run_list(TACTUS_PRELOAD_CHECKPOINT, before)) return false;
  image_.copy_from(bytes);
  program_.load_state();
  for (FramePart* const part : row_.returners) part->went_back(frame);
  program_.seek(frame);
  end_call_.sim_time_ns = before.sim_time_ns;
  latest_frame_.frames = frame;
  latest_frame_.sim_time_ns = before.sim_time_ns;
  return run_jobs(TACTUS_RESTART, before);
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
std::optional<std::int64_t> Executive::restore_state() {
  const LoadedState* const loading = load_.exchange(nullptr, std::memory_order_acquire);
  for (const FramePart* const part : row_.stayers) {
    reset_failure_ = part->stays();
    return std::nullopt;
  }
  if (can_go(state(), State::stop)) enter(State::stop);
  safe_outputs_.drive_safe();
  enter(State::reset);
  commands_.clear_pause_frame();
  mark_idle();  // whoever is stuck, the guard finds
  for (const auto& background : program_.async_workers()) {
    while (!workers_->is_idle(background->thread) && !commands_.ending()) {
      send_heartbeat();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  mark_busy();
  if (commands_.ending()) return std::nullopt;
  if (!wait_for_async_workers() || failed_) return std::nullopt;
  std::int64_t frame = 0;
  if (loading != nullptr) {
    frame = loading->frame;
    if (!restore(loading->bytes.data(), frame)) return std::nullopt;
    commands_.seek(frame);
    stand_at(frame);
    loaded_.fetch_add(1, std::memory_order_release);
    enter(State::start);
    return frame;
  }
  commands_.reset_taken();
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
  const auto work = [&] { failures = initialization_failures(); };
  if (setup_thread_) {
    std::atomic<bool> done{false};
    try {
      rtsync::PinnedThread thread(*setup_thread_, [&] {
        const rtsync::CrashStack stack;
        try {
          work();
        } catch (const std::exception& error) {
          failures.emplace_back(error.what());
        }
        done.store(true);
      });
      mark_idle();  // it may take its time
      while (!done.load()) {
        latest_frame_.state = State::start;
        show_waiting();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      thread.join();
      mark_busy();
    } catch (const std::system_error& error) {
      failures.emplace_back(std::string("no thread for the initialization jobs: ") + error.what());
    }
  } else {
    work();
  }
  if (failures.empty()) return true;
  reset_failure_ = "after a reset: " + failures.front();
  reset_job_failed_ = true;
  return false;
}

}  // namespace tactus::executive
