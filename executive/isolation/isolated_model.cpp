// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/isolated_model.hpp"

#include <cstring>

#include "config/text.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/model/model_instance.hpp"

namespace tactus::executive {

IsolatedModel::IsolatedModel(std::size_t process, ModelOrigin origin, OnCrash on_crash)
    : index_(process), on_crash_(on_crash), process_(std::move(origin)) {
  description_ = described(process_.origin().model, &IsolatedModel::declare);
}

void IsolatedModel::begin() {
  declaration_ = process_.introduce();
  memory_.resize(declaration_.bytes / sizeof(Line) + 1);
  process_.begin(declaration_.bytes);
  std::memcpy(memory_.data(), process_.block(), declaration_.bytes);
  for (std::uint32_t i = 0; i < declaration_.jobs.size(); ++i)
    jobs_.emplace_back(this, i, static_cast<tactus_job_class>(declaration_.jobs[i].job_class), index_);
}

/// Declares what the model itself declared in its process.
int IsolatedModel::declare(const tactus_host* host, void* self) {
  auto& model = *static_cast<IsolatedModel*>(self);
  model.host_ = host;
  auto* const memory = reinterpret_cast<std::byte*>(model.memory_.data());
  int refused = 0;
  for (const ModelDeclaration::Variable& variable : model.declaration_.variables) {
    std::vector<tactus_label> labels;
    for (const VariableLabel& label : variable.labels) labels.push_back({label.name.c_str(), label.value});
    const tactus_variable declared{sizeof(tactus_variable),
                                   variable.role,
                                   variable.type,
                                   variable.count,
                                   memory + variable.offset,
                                   variable.name.c_str(),
                                   variable.unit.c_str(),
                                   variable.about.c_str(),
                                   labels.data(),
                                   static_cast<std::uint32_t>(labels.size()),
                                   variable.columns};
    refused |= host->declare_variable(host->context, &declared);
    refused |= host->declare_range(host->context, variable.name.c_str(), variable.low, variable.high);
    if (!variable.fixed.empty())
      refused |= host->declare_fixed(host->context, variable.name.c_str(), variable.fixed.c_str());
  }
  for (const auto& [state, derivative] : model.declaration_.integrated)
    refused |= host->declare_integrated(host->context, state.c_str(), derivative.c_str());
  for (const ModelDeclaration::Job& job : model.declaration_.jobs) {
    tactus_job declared{sizeof(tactus_job),  job.name.c_str(), {},           job.phase,
                        &IsolatedModel::run, job.cycle_num,    job.cycle_den};
    std::memcpy(&declared.job_class, &job.job_class,
                sizeof declared.job_class);  // the host knows which there are
    refused |= host->declare_job(host->context, &declared);
  }
  if (!model.declaration_.restart_refusal.empty())
    refused |= host->cannot_restart(host->context, model.declaration_.restart_refusal.c_str());
  return refused;
}

int IsolatedModel::run(void* job, const tactus_call* call) TACTUS_RT {
  Job& called = *static_cast<Job*>(job);
  return called.model->call(called, *call);
}

int IsolatedModel::call(Job& job, const tactus_call& call) TACTUS_RT {
  const auto is_over = [&]() TACTUS_RT { return job.job_class == TACTUS_SHUTDOWN ? 0 : without(call); };
  if (lost()) return is_over();  // the log has named that end
  if (!take_turn()) {
    host_->fail(host_->context, "it is isolated, and two threads called it at once");
    return -1;
  }
  if (lost()) {  // the end of a frame, which had the turn, has found that out
    end_turn();
    return is_over();
  }
  CallPage& page = process_.page();
  std::memcpy(process_.block(), memory_.data(), declaration_.bytes);
  page.work = CallPage::Work::job;
  page.job = job.index;
  page.time = call;
  frame_ = call.frame;
  process_.set_limited(call.frame >= 0);  // jobs outside of frames may take as long as they like
  bool alive = process_.exchange();
  while (alive && page.answer == CallPage::Answer::request) {
    page.result = serve(page.request);
    alive = process_.exchange();
  }
  process_.set_limited(false);
  int status = 0;
  if (alive) {
    std::memcpy(memory_.data(), process_.block(), declaration_.bytes);
    status = page.status;
    job.did.add(page.use);
    if (status != 0) {
      const CallPage::LongText said = ended(page.failure);
      if (said[0] != '\0') host_->fail(host_->context, said.data());
    }
    serve_posts();
  } else {
    lose(job.index, call.frame);
  }
  end_turn();
  return alive ? status : without(call);
}

/// Begins the call of a job. Waits for the end of a frame: a job on an asynchronous thread begins at any time. False:
/// another job is called.
bool IsolatedModel::take_turn() TACTUS_RT {
  for (;;) {
    std::uint32_t whose = kFree;
    if (turn_.compare_exchange_strong(whose, kJob, std::memory_order_acquire)) return true;
    if (whose == kJob) return false;
    if (whose == kAwaited || turn_.compare_exchange_strong(whose, kAwaited, std::memory_order_relaxed))
      sleep_while(turn_, kAwaited);
  }
}

void IsolatedModel::end_turn() TACTUS_RT {
  if (turn_.exchange(kFree, std::memory_order_release) == kAwaited) wake(turn_);
}

void IsolatedModel::lose(std::uint32_t job, std::int64_t frame) TACTUS_RT {
  lost_job_ = job;
  lost_frame_ = frame;
  lost_.store(true, std::memory_order_release);
  news_.store(true, std::memory_order_relaxed);
}

void IsolatedModel::open(const OpenRequest& request) {
  CallPage& page = process_.page();
  page.work = CallPage::Work::open;
  page.open.guardian = request.safe_outputs == SafeOutputs::guardian;
  page.open.guardian_timeout_ns = request.guardian_timeout.count();
  copy_text(page.open.rig, request.rig.c_str());
  if (request.folder.size() >= page.open.folder.size())
    throw DeviceError("the path of the run folder has " + std::to_string(request.folder.size()) +
                      " bytes, and an isolated model can be told at most " +
                      std::to_string(page.open.folder.size() - 1) + "; name a folder with a shorter path");
  copy_text(page.open.folder, request.folder.c_str());
  if (!process_.exchange()) throw DeviceError(std::string(process_.how()) + " while it opened its device");
  if (page.status != 0) throw DeviceError(ended(page.failure).data());
}

void IsolatedModel::planned(std::size_t job, const rtsync::Period& cycle) {
  CallPage& page = process_.page();
  page.work = CallPage::Work::plan;
  page.job = static_cast<std::uint32_t>(job);
  page.cycle = {cycle.num(), cycle.den()};
  if (!process_.exchange())
    throw std::runtime_error(std::string(process_.how()) + " while it looked at the cycle of a job");
  if (page.status != 0) throw std::runtime_error(ended(page.failure).data());
}

const char* IsolatedModel::frame_ended() TACTUS_RT {
  const auto ends_the_rig = [this]()
                                TACTUS_RT { return on_crash_ == OnCrash::abort ? process_.how() : nullptr; };
  if (lost()) return ends_the_rig();
  // Where a job on an asynchronous thread is under way, that hears of the end of the process.
  std::uint32_t whose = kFree;
  if (!turn_.compare_exchange_strong(whose, kEndOfFrame, std::memory_order_acquire)) return nullptr;
  CallPage& page = process_.page();
  page.work = CallPage::Work::frame_ended;
  process_.set_limited(true);
  const bool alive = process_.exchange();
  process_.set_limited(false);
  const bool wrong = alive && page.status != 0;
  if (wrong) wrong_ = ended(page.failure);
  if (!alive) lose(kNoJob, frame_);
  end_turn();
  if (!alive) return ends_the_rig();  // its next job may be far away
  return wrong ? wrong_.data() : nullptr;
}

/// The call of a job whose process has ended.
int IsolatedModel::without(const tactus_call& call) TACTUS_RT {
  const bool outside_of_frames = call.frame < 0;  // there are no last values yet
  if (on_crash_ != OnCrash::abort && !outside_of_frames && !refuses_.load(std::memory_order_relaxed))
    return 0;
  host_->fail(host_->context, process_.how());
  return -1;
}

void IsolatedModel::refuse_from_now() TACTUS_RT {
  if (lost() && (on_crash_ == OnCrash::freeze || on_crash_ == OnCrash::safe_state))
    refuses_.store(true, std::memory_order_relaxed);
}

const char* IsolatedModel::stays() const TACTUS_RT {
  return process_.ended()
             ? "the process of an isolated model has ended: it cannot go back to an earlier state; "
               "start the rig again, with --from a checkpoint if there is one"
             : nullptr;
}

std::int32_t IsolatedModel::serve(const CallPage::Request& asked) TACTUS_RT {
  CallPage::Request request = asked;  // it may change meanwhile
  request.name = ended(request.name);
  switch (request.ask) {
    case CallPage::Ask::realtime:
      host_->set_realtime(host_->context, request.value != 0 ? 1 : 0);
      return 0;
    case CallPage::Ask::enable_job:
      return host_->enable_job(host_->context, request.name.data(), request.value != 0 ? 1 : 0);
    case CallPage::Ask::call_at:
      return host_->call_at(host_->context, request.name.data(), request.value);
    case CallPage::Ask::command: {
      tactus_command command{};
      static_assert(sizeof command == sizeof request.number);
      std::memcpy(&command, &request.number, sizeof command);
      return host_->command(host_->context, command, request.value);
    }
  }
  return 1;
}

/// Serves the requests of other threads of its process.
void IsolatedModel::serve_posts() TACTUS_RT {
  CallPage& page = process_.page();
  const std::uint32_t posted = page.posted.load(std::memory_order_acquire);
  std::uint32_t taken = page.taken.load(std::memory_order_relaxed);
  if (posted == taken) [[likely]]
    return;
  if (posted - taken > CallPage::kMostPosted) taken = posted - CallPage::kMostPosted;
  for (; taken != posted; ++taken) (void)serve(page.posts[taken % CallPage::kMostPosted]);
  page.taken.store(taken, std::memory_order_release);
}

std::optional<rtsync::Provision> IsolatedModel::prepare_memory(bool lock, std::size_t heap) {
  CallPage& page = process_.page();
  page.work = CallPage::Work::prepare;
  page.lock = lock;
  page.heap = heap;
  if (!process_.exchange()) return std::nullopt;
  const std::string what = "memory of model '" + name() + "' locked and touched";
  if (page.status == 0) return rtsync::granted(what, what);
  return rtsync::refused(
      what, "memory that may have to be fetched",
      {ended(page.failure).data(), "see the fix for the rig's own memory, or set memory.lock: no"});
}

std::optional<ModelMessage> IsolatedModel::take_message() {
  if (process_.block() == nullptr) return std::nullopt;  // it was not begun
  CallPage& page = process_.page();
  const std::uint32_t said = page.said.load(std::memory_order_acquire);
  std::uint32_t heard = page.heard.load(std::memory_order_relaxed);
  if (said == heard) return std::nullopt;
  if (said - heard > CallPage::kMostSaid) heard = said - CallPage::kMostSaid;  // it counts wrong
  CallPage::Message message = page.messages[heard % CallPage::kMostSaid];
  message.text.back() = '\0';
  page.heard.store(heard + 1, std::memory_order_release);
  return ModelMessage{message.warning != 0, config::one_line(message.text.data())};
}

std::string_view IsolatedModel::lost_job() const {
  return lost() && lost_job_ != kNoJob ? std::string_view(declaration_.jobs[lost_job_].name)
                                       : std::string_view();
}

std::vector<std::string> IsolatedModel::take_log_lines() {
  if (told_ || !lost()) return {};
  told_ = true;
  static constexpr const char* kThen[] = {
      "the rig ends", "outputs are driven safe and the rig freezes; it ends when it is resumed",
      "the rig freezes; it ends when it is resumed",
      "its variables keep their last values, and its jobs are not called any more"};
  return {lost_text() + ": " + (lost_frame_ >= 0 ? kThen[static_cast<std::size_t>(on_crash_)] : kThen[0])};
}

std::string IsolatedModel::lost_text() const {
  return "model '" + name() + "'" +
         (lost_job().empty() ? ", after its jobs" : ", job '" + std::string(lost_job()) + "'") +
         (lost_frame_ >= 0 ? ", frame " + std::to_string(lost_frame_) : "") + ": " + process_.how() +
         " (on_crash: " + std::string(name_of(on_crash_)) + ")";
}

}  // namespace tactus::executive
