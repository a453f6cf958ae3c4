// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/lane.hpp"

namespace tactus::executive {

CallEnd Lane::call_with_extras(const Entry& entry) TACTUS_RT {
  const CallExtras& extras = *entry.extras;
  for (const Dependency& dependency : extras.waits_for) {
    if (!schedule_->is_due(dependency.place) || dependency.done->value() == schedule_->instant()) continue;
    blocked_by_ = &dependency;
    return CallEnd::blocked;
  }
  prepare(extras, entry);
  CallEnd end = make(entry);
  if (extras.forces != nullptr) extras.forces->apply();
  if (extras.guard != nullptr && end == CallEnd::done) {
    if (extras.overlay != nullptr) extras.overlay->hide_inputs();  // parameters, too
    if (const VariableGuard::Bad* const bad = extras.guard->check()) [[unlikely]] {
      failure_ = {entry.job, 0, bad};
      end = CallEnd::failed;
    }
  }
  if (extras.overlay != nullptr) {  // what it shows is not what the guard looks at
    extras.overlay->show_all();
    if (extras.forces != nullptr) extras.forces->apply();
  }
  if (extras.done != nullptr && end == CallEnd::done) extras.done->open(schedule_->instant());
  return end;
}

/// Makes the model's inputs what its job is to read: copies, then what stimuli and faults make of them, then forces.
/// Its outputs and states are its own again. Copies that are a call of their own come after this.
void Lane::prepare(const CallExtras& extras, const Entry& entry) TACTUS_RT {
  if (extras.overlay != nullptr) {
    if (extras.copies != nullptr || entry.job == kNoPlanJob) extras.overlay->hide_inputs();
    if (entry.job != kNoPlanJob) extras.overlay->hide_outputs();
  }
  if (extras.copies != nullptr) (void)CopyList::run(extras.copies, entry.call);
  if (extras.overlay != nullptr && entry.job != kNoPlanJob) extras.overlay->show_inputs();
  if (extras.forces != nullptr) extras.forces->apply();
}

void Lane::put_back_environment(std::uint32_t job) TACTUS_RT {
  environment_.restore();
  if (promises_ != nullptr) promises_->add(job, BrokenPromises::floating, 1);
}

CallEnd Lane::left_bad(const Entry& entry) TACTUS_RT {
  failure_ = {entry.job, 0, entry.cells->guard()->check()};
  return CallEnd::failed;
}

bool Lane::run_list(std::span<const Entry> list) TACTUS_RT {
  if (list.empty()) return true;
  begin();
  for (const Entry& entry : list)
    if (entry.is_on() && call(entry) != CallEnd::done) return false;
  return true;
}

void Lane::book(JobBudgets::Budget& budget, std::uint64_t ticks) TACTUS_RT {
  budgets_.book(budget, frame_, clock_.to_time(ticks));
}

void Lane::leave_record() TACTUS_RT {
  const std::span<const JobEnd> log = this->log();
  flight_->put_group(log.size(), [log](std::size_t i) TACTUS_RT -> FlightRecord {
    const std::uint32_t job = log[i].job;
    return {log[i].ticks, job, 0, job == kNoPlanJob ? FlightKind::idle : FlightKind::job};
  });
}

void Lane::record_wait(std::size_t awaited, std::uint64_t began) TACTUS_RT {
  const std::uint64_t ended = clock_.ticks();
  if (ended - began > longest_wait_.ticks) longest_wait_ = {awaited, ended - began};
  if (flight_ == nullptr) return;
  flight_->begin(2);
  flight_->put({began, static_cast<std::uint32_t>(awaited), 0, FlightKind::wait});
  flight_->put({ended, 0, 0, FlightKind::wait_end});
  flight_->end();
}

void Lane::count() TACTUS_RT {
  const std::span<const JobEnd> log = this->log();
  if (log.empty()) return;
  if (flight_ != nullptr) leave_record();
  // Few rigs have budgets, and few frames use the heap.
  if (budgets_.any() || heap_times_count_ > 0) [[unlikely]]
    look_at_calls(log);
  add_times(log);
  counted_to_ = log.back().ticks;
  log_end_ = log_.data();
}

void Lane::make_room() TACTUS_RT {
  is_cut_ = true;
  find_longest();
  count();
}

void Lane::find_longest() TACTUS_RT {
  std::uint64_t begin = counted_to_;
  for (const JobEnd& end : log()) {
    if (end.job != kNoPlanJob) consider(end.job, end.ticks - begin);
    begin = end.ticks;
  }
}

/// Books what was beyond a budget, and what used the heap: in the frame, since policies ask for it behind it.
void Lane::look_at_calls(std::span<const JobEnd> log) TACTUS_RT {
  std::uint64_t begin = counted_to_;
  std::uint32_t heap_calls = heap_before_.calls;
  for (const JobEnd& end : log) {
    if (end.job != kNoPlanJob) {
      if (end.heap_calls != heap_calls && promises_ != nullptr)
        promises_->add(end.job, BrokenPromises::heap, end.heap_calls - heap_calls);
      spent_ticks_ += end.ticks - begin;
      if (budgets_.is_beyond(end.job, end.ticks - begin)) [[unlikely]]
        book(budgets_.job(end.job), end.ticks - begin);
    }
    heap_calls = end.heap_calls;
    begin = end.ticks;
  }
  if (heap_times_count_ > 0) heap_before_ = heap_times_[heap_times_count_ - 1];
  heap_times_count_ = 0;
}

void Lane::add_times(std::span<const JobEnd> log) TACTUS_RT {
  std::uint64_t begin = counted_to_;
  for (const JobEnd& end : log) {
    if (end.job != kNoPlanJob) times_[end.job].add(clock_.to_time(end.ticks - begin));
    begin = end.ticks;
  }
}

void Lane::note_heap(std::uint32_t heap_calls) TACTUS_RT {
  heap_calls_ = heap_calls;
  heap_times_[heap_times_count_++] = {heap_calls, static_cast<std::uint32_t>(heap_.time().count())};
}

std::uint32_t Lane::heap_ns_at(std::uint32_t heap_calls) const TACTUS_RT {
  for (std::size_t i = heap_times_count_; i > 0; --i)
    if (heap_times_[i - 1].calls == heap_calls) return heap_times_[i - 1].ns;
  return heap_before_.ns;
}

}  // namespace tactus::executive
