// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/state_restorer.hpp"

#include <algorithm>
#include <stdexcept>

#include "rtsync/time/least_time.hpp"

namespace tactus::executive {

StateRestorer::StateRestorer(Program& program, JobRunner& jobs, RigStatus& status, FrameAccounts& accounts,
                             CommandQueue& commands, const FrameRow& row)
    : program_(program), jobs_(jobs), status_(status), accounts_(accounts), commands_(commands), row_(row) {}

const StateImage& StateRestorer::image() {
  if (image_) return *image_;
  std::string refusals;
  std::vector<const ModelInstance*> models;
  for (const PlannedJob& job : program_.plan().jobs)
    if (job.model != nullptr && std::ranges::find(models, job.model) == models.end())
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
  return image_.emplace(std::move(pieces));
}

std::vector<std::byte> StateRestorer::copy() {
  const tactus_call call{jobs_.sim_time_ns(), status_.frame().frames, 0};
  const auto run = [&](tactus_job_class job_class) {
    if (!jobs_.run_list(job_class, call)) throw std::runtime_error(jobs_.take_failure_text());
  };
  run(TACTUS_CHECKPOINT);
  commands_.give_to_state(call.frame, [this](const CommandCall& given) {
    (void)program_.enable(given.name, given.command == Command::enable);
  });
  program_.save_state();
  std::vector<std::byte> bytes(image().bytes());
  image().copy_to(bytes.data());
  run(TACTUS_POST_CHECKPOINT);
  return bytes;
}

bool StateRestorer::restore(const std::byte* bytes, std::int64_t k) {
  const tactus_call before{program_.plan().frame.times(k).count(), -1, 0};
  if (!jobs_.run_list(TACTUS_PRELOAD_CHECKPOINT, before)) return false;
  image().copy_from(bytes);
  program_.load_state();
  (void)row_.tell({RigChange::went_back, k});
  program_.seek(k);
  jobs_.seek(before.sim_time_ns);
  status_.seek(k, before.sim_time_ns);
  return jobs_.run_jobs(TACTUS_RESTART, before);
}

rtsync::Nanoseconds StateRestorer::prepare_reset() {
  try {
    initial_.assign(std::max<std::size_t>(image().bytes(), 1), std::byte{0});
    reset_refusal_.clear();
    return rtsync::least_time([&] { image_->copy_to(initial_.data()); });
  } catch (const std::exception& error) {
    reset_refusal_ = error.what();
    throw;
  }
}

void StateRestorer::keep_initial() {
  if (!reset_refusal_.empty()) return;
  program_.save_state();
  image().copy_to(initial_.data());
}

}  // namespace tactus::executive
