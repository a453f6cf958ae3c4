// SPDX-License-Identifier: Apache-2.0
/// Trials of drivers with a device: models and clocks.
#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "config/text.hpp"
#include "executive/app/trial.hpp"
#include "executive/driver/clock_driver.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/model/model_instance.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "rtsync/text.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::app {
namespace device_trial {  // files of this folder are compiled together
namespace {

using namespace std::chrono_literals;
using executive::ClockDriver;
using executive::DeviceError;
using executive::DrivenModel;
using executive::ModelDriver;
using executive::ModelInstance;
using executive::SafeOutput;
using rtsync::monotonic_now;

const executive::OpenRequest kRequest{.rig = "trial", .safe_outputs = executive::SafeOutputs::process};

/// Opens a device, or says that this machine has none.
template <class Open>
auto opened(Open open) {
  try {
    return open();
  } catch (const DeviceError& error) {
    expect_reason(error.what(), "its device cannot be opened");
    throw NotTried(std::string("its device cannot be opened here: ") + error.what());
  }
}

/// Opens a device without descriptors, which has to fail with a reason.
template <class Open>
void try_without_device(Open open) {
  try {
    const Limited none(RLIMIT_NOFILE, 0);
    open();
  } catch (const DeviceError& error) {
    return expect_reason(error.what(), "its device cannot be opened");
  }
  throw NotTried("it opens no descriptor, so its device could not be withheld");
}

/// Opens a device and lets it go, again and again.
template <class Open>
void try_again(Open open) {
  const Holdings before;
  for (int i = 0; i < 20; ++i) {
    try {
      open();
    } catch (const DeviceError& error) {
      throw Mistake("does not release its device: opened again after it was ended, it says: " +
                    std::string(error.what()));
    }
  }
  before.expect_same("20 times of open and end");
}

/// The model of a driver, as a rig has it.
class TriedModel {
 public:
  explicit TriedModel(const TriedDriver& driver) : library_(driver.load()) {
    config::Problems problems;
    const auto maker = library_.make<ModelDriver>();
    of_files_ = !maker->extension().empty();
    model_ = maker->make(driver.keys, "keys", problems);
    if (model_ == nullptr) throw_not_made(problems);
    const DrivenModel::Face face = model_->face();
    description_ = executive::described(driver.name, face.declare);
    instance_.emplace(description_, "trial", face.self);
  }

  DrivenModel* operator->() { return model_.get(); }
  ModelInstance& instance() { return *instance_; }
  /// Its driver makes models of files.
  bool of_files() const { return of_files_; }
  void open() {
    opened([&] { model_->open(kRequest); });
  }
  int run(const executive::DeclaredJob& job) {
    const tactus_call call{0, 0, 0.001};
    return job.run(instance_->self(), &call);
  }

 private:
  executive::DriverLibrary library_;
  bool of_files_ = false;
  std::unique_ptr<DrivenModel> model_;
  tactus_model description_{};
  std::optional<ModelInstance> instance_;
};

void try_declaring(const TriedDriver& driver) {
  TriedModel one(driver);
  TriedModel two(driver);
  if (one.instance().variables().empty() && one.instance().jobs().empty())
    throw Mistake("declares neither variables nor jobs");
  for (std::size_t i = 0; i < one.instance().variables().size(); ++i)
    if (i < two.instance().variables().size() &&
        one.instance().variables()[i].data == two.instance().variables()[i].data)
      throw Mistake("keeps variable " + config::show(one.instance().variables()[i].name) +
                    " in static storage: two models of a rig would share it");
  for (const executive::DrivenOutput& output : one->outputs())
    if (one.instance().find_variable(output.variable) == nullptr)
      throw Mistake("names an output of variable " + config::show(output.variable) +
                    ", which it does not declare");
}

void try_jobs_before_open(const TriedDriver& driver) {
  TriedModel model(driver);
  for (const executive::DeclaredJob& job : model.instance().jobs()) (void)model.run(job);
  if (SafeOutput* const output = model->safe_output()) (void)output->drive_safe();
}

void try_model_without_device(const TriedDriver& driver) {
  TriedModel model(driver);
  try_without_device([&] { model->open(kRequest); });
}

/// False of the classes that may allocate (docs/writing-models.md).
bool is_in_frames(tactus_job_class job_class) {
  static constexpr tactus_job_class kOutside[] = {TACTUS_DEFAULT_DATA, TACTUS_INITIALIZATION,
                                                  TACTUS_PRELOAD_CHECKPOINT, TACTUS_RESTART, TACTUS_SHUTDOWN};
  return std::ranges::find(kOutside, job_class) == std::end(kOutside);
}

void try_frames(const TriedDriver& driver) {
  TriedModel model(driver);
  model.open();
  for (const executive::DeclaredJob& job : model.instance().jobs()) {
    const bool in_frames = is_in_frames(job.job_class);
    (void)model.instance().take_failure();
    int status = model.run(job);  // what is made at the first call is no habit
    const rtsync::HeapWatch heap;
    for (int i = 0; i < 100 && in_frames && status == 0; ++i) status = model.run(job);
    const std::uint64_t touched = heap.calls();
    if (status != 0) {
      const std::string why = model.instance().take_failure();
      if (status < 0)
        throw Mistake("lets an exception out of job '" + job.name + "', or returns " +
                      std::to_string(status) + " there: " + why +
                      "; inside of frames call fail() with the reason, and return 1");
      expect_reason(why, "job '" + job.name + "' fails");
      throw NotTried("job '" + job.name + "' fails here: " + why);
    }
    if (in_frames && touched > 0)
      throw Mistake("calls the heap " + rtsync::counted(touched, "time") + " in 100 calls of job '" +
                    job.name + "', which runs inside of frames" +
                    (model.of_files() ? ", or what it loaded from the file of its keys does" : ""));
  }
}

void try_messages(const TriedDriver& driver) {
  TriedModel model(driver);
  if (!model->has_messages()) throw NotTried("it has no messages for the log");
  model.open();
  constexpr int kMost = 100'000;
  int taken = 0;
  const auto take_all = [&] {
    while (const auto message = model->take_message()) {
      if (message->text.empty()) throw Mistake("gives the log a message without a text");
      if (++taken == kMost)
        throw Mistake("gives message after message: " + std::to_string(kMost) +
                      " in a few calls of its jobs; take_message() answers false when none waits");
    }
  };
  take_all();
  for (const executive::DeclaredJob& job : model.instance().jobs()) (void)model.run(job);
  take_all();
}

SafeOutput* g_output = nullptr;

void try_driving_safe(const TriedDriver& driver) {
  TriedModel model(driver);
  g_output = model->safe_output();
  if (g_output == nullptr) throw NotTried("it drives no outputs safe");
  model.open();
  const rtsync::HeapWatch heap;
  (void)g_output->drive_safe();
  (void)g_output->drive_safe();
  (void)::signal(SIGUSR1, [](int) { (void)g_output->end_safe(); });
  (void)::raise(SIGUSR1);
  if (heap.calls() > 0)
    throw Mistake("calls the heap " + rtsync::counted(heap.calls(), "time") +
                  " to drive its outputs safe, which a signal handler may do");
  for (const executive::DeclaredJob& job : model.instance().jobs())
    (void)model.run(job);  // a frame that still runs
  if (!g_output->drive_safe())
    throw Mistake("refuses to drive its outputs safe when a frame has run after their end");
}

void try_model_again(const TriedDriver& driver) {
  { TriedModel(driver).open(); }
  try_again([&] { TriedModel(driver)->open(kRequest); });
}

/// The clock of a driver, as a rig has it.
class TriedClock {
 public:
  explicit TriedClock(const TriedDriver& driver)
      : library_(driver.load()), clock_(library_.make<ClockDriver>()) {
    config::Problems problems;
    clock_->read(driver.keys, "keys", problems);
    if (!problems.empty()) throw_not_made(problems);
  }

  ClockDriver* operator->() { return clock_.get(); }
  std::unique_ptr<rtsync::EdgeSource> open() {
    return opened([&] { return clock_->open(kRequest); });
  }

 private:
  executive::DriverLibrary library_;
  std::unique_ptr<ClockDriver> clock_;
};

void try_clock_without_device(const TriedDriver& driver) {
  TriedClock clock(driver);
  try_without_device([&] { (void)clock->open(kRequest); });
}

using Stamps = std::array<rtsync::TimePoint<rtsync::MonotonicTime>, 16>;

std::string reason_text(int error) { return std::generic_category().message(error); }

/// Throws Mistake if the clock was taken for gone because its driver broke the contract.
void expect_no_mistake(const rtsync::EdgeSource& source) {
  const auto* const checked = dynamic_cast<const executive::CheckedEdges*>(&source);
  const std::string found = checked == nullptr ? "" : checked->mistake();
  if (!found.empty()) throw Mistake(found);
}

void look_at(const rtsync::EdgeRead& read, const Stamps& stamps, std::size_t room,
             rtsync::TimePoint<rtsync::MonotonicTime> deadline) {
  const auto now = monotonic_now();
  if (read.count > room) throw Mistake("writes more edges than there is room for");
  for (std::size_t i = 0; i < read.count; ++i) {
    if (stamps.at(i) > now)
      throw Mistake("stamps an edge in the future; stamps are nanoseconds of CLOCK_MONOTONIC");
    if (i > 0 && stamps.at(i) < stamps.at(i - 1))
      throw Mistake("writes stamps that are not in order; the oldest comes first");
  }
  if (read.status == rtsync::EdgeStatus::timeout && now < deadline)
    throw Mistake("returns without an edge before the deadline of the wait");
}

void try_waits(const TriedDriver& driver) {
  TriedClock clock(driver);
  const auto source = clock.open();
  if (source->what().empty()) throw Mistake("has no name for what it opened: what() is empty");
  Stamps stamps{};
  const auto wait = [&](std::chrono::nanoseconds time, std::size_t room) {
    const auto deadline = monotonic_now() + time;
    const rtsync::EdgeRead read = source->wait(deadline, {stamps.data(), room});
    expect_no_mistake(*source);
    if (read.status == rtsync::EdgeStatus::gone)
      throw Mistake("says that the clock is gone, which it has just opened (" + source->what() + ": " +
                    reason_text(read.error) + "); where there is no device, open() is to throw");
    look_at(read, stamps, room, deadline);
  };
  wait(1ms, stamps.size());
  const rtsync::HeapWatch heap;
  for (int i = 0; i < 5; ++i) wait(-1s, stamps.size());
  for (int i = 0; i < 20; ++i) wait(5ms, i % 2 == 0 ? 1 : stamps.size());
  if (heap.calls() > 0)
    throw Mistake("calls the heap " + rtsync::counted(heap.calls(), "time") +
                  " in 25 waits, on the thread of the frames");
}

void try_signals(const TriedDriver& driver) {
  TriedClock clock(driver);
  const auto source = clock.open();
  Stamps stamps{};
  if (const auto read = source->wait(monotonic_now() + 1ms, stamps); read.status == rtsync::EdgeStatus::gone)
    throw NotTried("its clock is gone without a signal, too: " + reason_text(read.error));
  struct sigaction action {};
  action.sa_handler = [](int) {};
  (void)::sigaction(SIGALRM, &action, nullptr);  // without SA_RESTART
  const itimerval often{{0, 2000}, {0, 2000}};
  (void)::setitimer(ITIMER_REAL, &often, nullptr);
  for (int i = 0; i < 10; ++i) {
    const auto deadline = monotonic_now() + 20ms;
    const auto read = source->wait(deadline, stamps);
    if (read.status == rtsync::EdgeStatus::timeout && monotonic_now() < deadline)
      throw Mistake("lets a signal end a wait before its deadline; wait again after EINTR");
    if (read.status == rtsync::EdgeStatus::gone)
      throw Mistake("says that the clock is gone (" + reason_text(read.error) +
                    ") when a signal comes during a wait; wait again after EINTR");
  }
}

void try_clock_again(const TriedDriver& driver) {
  TriedClock clock(driver);
  (void)clock.open();
  try_again([&] { (void)clock->open(kRequest); });
}

void try_facts(const TriedDriver& driver) {
  const auto library = driver.load();
  const auto blank = library.make<ClockDriver>();
  TriedClock clock(driver);
  auto all = blank->facts({});
  for (rtsync::Fact& fact : clock->facts({.measure = 20ms})) all.push_back(std::move(fact));
  for (const rtsync::Fact& fact : all)
    if (fact.name == "driver " + driver.name && fact.needed == ClockDriver::kNeedsAnswer)
      throw Mistake("fails in facts(), which `tactus doctor` calls: " + fact.found);
  for (const rtsync::Fact& fact : all)
    if (fact.name.empty() || fact.found.empty())
      throw Mistake("has a row for `tactus doctor` without a name, or without what was found");
}

}  // namespace
}  // namespace device_trial

std::vector<Trial> model_trials() {
  using namespace device_trial;
  return {{"two models of it declare themselves", &try_declaring},
          {"jobs and safe values before open()", &try_jobs_before_open},
          {"opened without its device", &try_model_without_device},
          {"opened and ended again and again", &try_model_again},
          {"a hundred frames", &try_frames},
          {"messages for the log", &try_messages},
          {"outputs driven safe, also in a signal handler", &try_driving_safe}};
}

std::vector<Trial> clock_trials() {
  using namespace device_trial;
  return {{"opened without its device", &try_clock_without_device},
          {"opened and ended again and again", &try_clock_again},
          {"waits with and without edges", &try_waits},
          {"signals during a wait", &try_signals},
          {"rows of the doctor", &try_facts}};
}

}  // namespace tactus::app
