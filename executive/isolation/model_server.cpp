// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/model_server.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "executive/driver/driver_library.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/whole_paths.hpp"
#include "executive/isolation/call_page.hpp"
#include "executive/isolation/driver_section.hpp"
#include "executive/isolation/model_declaration.hpp"
#include "executive/isolation/served_messages.hpp"
#include "executive/isolation/served_output.hpp"
#include "executive/isolation/setup_channel.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/model/model_library.hpp"
#include "executive/model/suggest.hpp"
#include "rtsync/crash/thread_life.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "rtsync/host/map_watch.hpp"
#include "rtsync/host/memory.hpp"
#include "rtsync/host/page.hpp"
#include "rtsync/thread/float_environment.hpp"
#include "rtsync/thread/run_counters.hpp"
#include "rtsync/time/kernel_clock.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {
namespace {

thread_local bool serves = false;  // this thread runs the model's jobs
bool is_copy = false;              // a child of fork()

void note_copy() { is_copy = true; }

void copy_name(CallPage::Text& to, std::string_view name) TACTUS_RT {
  // One that does not fit is the name of no job.
  const std::size_t length = name.size() < to.size() ? name.size() : 0;
  std::memcpy(to.data(), name.data(), length);
  to[length] = '\0';
}

void stage(const char* what) { (void)send_letter(kModelSocket, Letter::Kind::stage, what); }

std::nullptr_t refuse(Letter::Kind kind, const std::string& why) {
  (void)send_letter(kModelSocket, kind, why);
  return nullptr;
}

/// Serves one model to the rig that started this process.
///
/// Threads  one, but for what the model asks of the rig: any.
/// RT       serve(), for jobs: no lock, no heap; the futex calls of CallPage.
class ModelServer final : private ModelServices {
 public:
  /// Loads the library, makes the model, and sends what it declares; shares memory when the rig says so. False: it
  /// was refused, and the rig knows why.
  bool begin(const std::string& instance, const std::string& library, const std::string& model, bool driver) {
    try {
      model_ = driver ? from_driver(instance, library, model) : from_library(instance, library, model);
      if (model_ == nullptr) return false;
      const std::string declared = encode(*model_);
      const ModelDeclaration declaration = decode(declared);
      lay_out(declaration);
      if (!send_letter(kModelSocket, Letter::Kind::declared, declared)) return false;
      const std::optional<Letter> go = receive_letter(kModelSocket);
      if (!go || go->kind != Letter::Kind::go) return false;
      if (go->text != call_page_version())
        throw std::runtime_error(other_version(go->text, call_page_version()));
      map(declaration.bytes);
    } catch (const std::exception& error) {
      (void)refuse(Letter::Kind::instance_refused, error.what());
      return false;
    }
    model_->set_services(*this);
    hand_out();
    output_.start(*page_, *frames_thread_);
    if (driven_ != nullptr) messages_.start(*driven_, *page_);
    const bool told = send_letter(kModelSocket, Letter::Kind::ready, call_page_version());
    (void)::close(kModelSocket);
    (void)::close(kModelMemory);
    return told;
  }

  /// Serves the rig until that ends the process.
  [[noreturn]] void serve() {
    serves = true;
    for (;;) {
      await_call();
      page_->status = did(page_->work);
      answer(CallPage::Answer::done);
    }
  }

 private:
  /// Neighbours in memory that are neighbours in the block.
  struct Run {
    std::byte* data;
    std::size_t offset;
    std::size_t bytes;
  };

  /// Sends why it cannot. nullptr: it could not.
  std::unique_ptr<ModelInstance> from_library(const std::string& instance, const std::string& library,
                                              const std::string& model) {
    try {
      stage("its library was loaded");
      library_ = std::make_unique<ModelLibrary>(library);
    } catch (const std::exception& error) {
      return refuse(Letter::Kind::library_refused, error.what());
    }
    const tactus_model* const found = library_->find(model);
    if (found == nullptr)
      return refuse(Letter::Kind::model_refused,
                    "library " + library_->file().filename().string() + " has no model '" + model + "'" +
                        did_you_mean(model, library_->models(), &tactus_model::name));
    stage("it was made");
    return std::make_unique<ModelInstance>(*found, instance);
  }

  std::unique_ptr<ModelInstance> from_driver(const std::string& instance, const std::string& library,
                                             const std::string& name) {
    const std::optional<Letter> letter = receive_letter(kModelSocket);
    if (!letter || letter->kind != Letter::Kind::settings) return nullptr;
    const DriverSection section = decode_section(letter->text);
    std::unique_ptr<ModelDriver> driver;
    try {
      stage("its library was loaded");
      driver_ = std::make_unique<DriverLibrary>(library, ModelDriver::kKind, name);
      driver = driver_->make<ModelDriver>();
    } catch (const std::exception& error) {
      return refuse(Letter::Kind::library_refused, error.what());
    }
    stage("it was made");
    config::Problems problems;
    driven_ = driver->make(
        driver->takes_parameters() ? section.settings : without_parameters(section.settings).first,
        section.path, problems);
    if (driven_ == nullptr) return refuse(Letter::Kind::settings_refused, encode(problems));
    SafeOutput* const output = driven_->safe_output();
    output_.set(output);
    if (output != nullptr) (void)send_letter(kModelSocket, Letter::Kind::outputs);
    if (const auto keys = driver->section()) {
      const std::string whole = encode(DriverSection{
          with_whole_paths(*keys, section.settings, section.folder), section.path, section.folder});
      if (whole != encode(section)) (void)send_letter(kModelSocket, Letter::Kind::whole_settings, whole);
    }
    driver_name_ = name;
    description_ = described(driver_name_, driven_->face().declare);
    return std::make_unique<ModelInstance>(description_, instance, driven_->face().self);
  }

  /// Throws std::runtime_error when variables share memory: then a value of one is not kept.
  void lay_out(const ModelDeclaration& declaration) {
    std::vector<const Variable*> by_address;
    const auto begin_of = [](const Variable& variable) { return static_cast<std::byte*>(variable.data); };
    const auto bytes_of = [](const Variable& variable) {
      return variable.elements() * size_of(variable.type);
    };
    for (std::size_t i = 0; i < declaration.variables.size(); ++i) {
      const Variable& variable = model_->variables()[i];
      by_address.push_back(&variable);
      const ModelDeclaration::Variable& placed = declaration.variables[i];
      Run* const last = runs_.empty() ? nullptr : &runs_.back();
      if (last != nullptr && last->data + last->bytes == begin_of(variable) &&
          last->offset + last->bytes == placed.offset)
        last->bytes += placed.bytes;
      else
        runs_.push_back({begin_of(variable), placed.offset, placed.bytes});
    }
    std::ranges::sort(by_address, [&](const Variable* a, const Variable* b) {
      return std::less<>{}(begin_of(*a), begin_of(*b));
    });
    for (std::size_t i = 1; i < by_address.size(); ++i) {
      const Variable& before = *by_address[i - 1];
      if (std::less<>{}(begin_of(*by_address[i]), begin_of(before) + bytes_of(before)))
        throw std::runtime_error("cannot be isolated: '" + before.name + "' and '" + by_address[i]->name +
                                 "' share memory");
    }
  }

  /// Maps memory between two pages without access; a copy of this process has none of it.
  void map(std::size_t bytes) {
    const auto page = rtsync::page_bytes();
    const std::size_t shared = life_offset(bytes);
    void* const room = ::mmap(nullptr, shared + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void* const life =
        ::mmap(nullptr, page, PROT_READ, MAP_SHARED | MAP_POPULATE, kModelMemory, static_cast<off_t>(shared));
    void* const at = room == MAP_FAILED ? MAP_FAILED
                                        : ::mmap(static_cast<std::byte*>(room) + page,
                                                 sizeof(CallPage) + bytes, PROT_READ | PROT_WRITE,
                                                 MAP_SHARED | MAP_FIXED | MAP_POPULATE, kModelMemory, 0);
    if (at == MAP_FAILED || life == MAP_FAILED)
      throw std::runtime_error("cannot be isolated: mmap refused the shared memory");
    (void)::madvise(at, shared, MADV_DONTFORK);
    (void)::pthread_atfork(nullptr, nullptr, &note_copy);
    page_ = static_cast<CallPage*>(at);
    block_ = static_cast<std::byte*>(at) + sizeof(CallPage);
    frames_thread_ = static_cast<const rtsync::ThreadLife*>(life);
  }

  void take_in() TACTUS_RT {
    for (const Run& run : runs_) std::memcpy(run.data, block_ + run.offset, run.bytes);
  }

  void hand_out() TACTUS_RT {
    for (const Run& run : runs_) std::memcpy(block_ + run.offset, run.data, run.bytes);
  }

  void await_call() TACTUS_RT {
    const std::uint32_t wanted = ++turn_;
    for (;;) {
      const std::uint32_t seen = page_->call.load(std::memory_order_acquire);
      if (seen == wanted) return;
      sleep_while(page_->call, seen);
    }
  }

  void answer(CallPage::Answer kind) TACTUS_RT {
    page_->answer = kind;
    page_->reply.store(turn_, std::memory_order_release);
    wake(page_->reply);
  }

  /// Runs the job, and notes in the page what the job did to its thread.
  int run_measured(const DeclaredJob& job, const tactus_call& call) TACTUS_RT {
    static thread_local const rtsync::HeapCounter heap = rtsync::HeapCounter::timed_of_this_thread();
    static thread_local rtsync::MapLog* const maps = rtsync::MapLog::of_this_thread();
    if (maps != nullptr) maps->clear();
    asked_switches_ = 0;
    const std::uint64_t heap_calls = heap.calls();
    const rtsync::Nanoseconds heap_time = heap.time();
    const rtsync::RunCounters before = rtsync::RunCounters::of_this_thread();
    const rtsync::FloatEnvironment environment = rtsync::FloatEnvironment::of_this_thread();
    const int status = job.run(model_->self(), &call);
    const bool kept = environment.is_current();
    if (!kept) environment.restore();
    const rtsync::RunCounters did = rtsync::RunCounters::of_this_thread() - before;
    CallPage::Use use{{heap.calls() - heap_calls, heap.time() - heap_time},
                      {},
                      did.minor_faults + did.major_faults,
                      did.voluntary_switches - asked_switches_,
                      kept ? 0 : 1,
                      {},
                      {}};
    if (maps != nullptr)
      for (const rtsync::MapCalls& each : maps->entries()) use.maps.add(each);
    page_->use = use;
    return status;
  }

  int run_job() TACTUS_RT {
    const rtsync::TimePoint<rtsync::MonotonicTime> taken = rtsync::monotonic_now();
    const DeclaredJob& job = model_->jobs()[page_->job];
    const tactus_call call = page_->time;
    take_in();
    const int status = run_measured(job, call);
    if (is_copy) ::_exit(0);  // the job made a copy of this process: that is not the rig's model
    hand_out();
    if (status != 0) {  // the last that is heard of it
      copy_text(page_->failure, model_->take_failure(call.frame).c_str());
      messages_.pass();
    }
    page_->use.taken = taken;
    page_->use.answered = rtsync::monotonic_now();
    return status;
  }

  int prepare() {
    std::string refused;
    for (const rtsync::Provision& provision : rtsync::prepare_memory({page_->lock, page_->heap}))
      if (!provision.granted) refused = provision.what + ": " + provision.cause;
    (void)rtsync::prefault_stack(std::size_t{256} << 10);
    // Its memory, which the kernel shares and which cannot be locked, is there then.
    (void)rtsync::monotonic_now();
    copy_text(page_->failure, refused.c_str());
    return refused.empty() ? 0 : 1;
  }

  int open() {
    try {
      OpenRequest request{.rig = page_->open.rig.data(),
                          .safe_outputs = page_->open.guardian ? SafeOutputs::guardian : SafeOutputs::process,
                          .guardian_timeout = rtsync::Nanoseconds{page_->open.guardian_timeout_ns},
                          .folder = page_->open.folder.data()};
      driven_->open(request);
      output_.frames_begin();
      messages_.open();
      return 0;
    } catch (const std::exception& error) {
      copy_text(page_->failure, error.what());
      return 1;
    }
  }

  int plan() {
    if (driven_ == nullptr || page_->job >= model_->jobs().size()) return 0;
    try {
      driven_->planned(model_->jobs()[page_->job].name, rtsync::Period(page_->cycle.num, page_->cycle.den));
      return 0;
    } catch (const std::exception& error) {
      copy_text(page_->failure, error.what());
      return 1;
    }
  }

  int end_frame() TACTUS_RT {
    const char* const wrong = output_.frame_ended();
    copy_text(page_->failure, wrong);
    return wrong == nullptr ? 0 : 1;
  }

  void destroy() {
    messages_.pass(true);
    output_.end();
    model_.reset();
    driven_.reset();
    driver_.reset();
    library_.reset();
  }

  int did(CallPage::Work work) {
    static constexpr int (ModelServer::*kAnswers[])() = {&ModelServer::run_job, &ModelServer::prepare,
                                                         &ModelServer::open, &ModelServer::plan,
                                                         &ModelServer::end_frame};
    static_assert(std::size(kAnswers) == static_cast<std::size_t>(CallPage::Work::destroy));
    if (work < CallPage::Work::destroy) return (this->*kAnswers[static_cast<std::size_t>(work)])();
    destroy();
    page_->destroyed.store(true);
    ::_exit(0);
  }

  /// The thread of the jobs has the rig wait for it, and asks at once. Others leave a letter, which the rig finds after
  /// the next call.
  std::int32_t ask(const CallPage::Request& request) TACTUS_RT {
    if (serves) {
      page_->request = request;
      const std::int64_t before = rtsync::RunCounters::of_this_thread().voluntary_switches;
      answer(CallPage::Answer::request);
      await_call();
      asked_switches_ += rtsync::RunCounters::of_this_thread().voluntary_switches - before;
      return page_->result;
    }
    const std::scoped_lock lock(posts_);
    const std::uint32_t posted = page_->posted.load(std::memory_order_relaxed);
    if (posted - page_->taken.load(std::memory_order_acquire) >= CallPage::kMostPosted) return 1;
    page_->posts[posted % CallPage::kMostPosted] = request;
    page_->posted.store(posted + 1, std::memory_order_release);
    return 0;
  }

  void set_realtime(bool on) TACTUS_RT override { (void)ask({CallPage::Ask::realtime, 0, on ? 1 : 0, {}}); }

  std::optional<std::int64_t> frame_of(const ModelInstance&) TACTUS_RT override {
    if (page_ == nullptr) return std::nullopt;
    return page_->time.frame;
  }

  bool enable_job(std::string_view name, bool on) TACTUS_RT override {
    CallPage::Request request{CallPage::Ask::enable_job, 0, on ? 1 : 0, {}};
    copy_name(request.name, name);
    return ask(request) == 0;
  }

  bool call_at(std::string_view, std::string_view job, std::int64_t sim_time_ns) TACTUS_RT override {
    CallPage::Request request{CallPage::Ask::call_at, 0, sim_time_ns, {}};
    copy_name(request.name, job);
    return ask(request) == 0;
  }

  bool command(tactus_command command, std::int64_t value) TACTUS_RT override {
    CallPage::Request request{CallPage::Ask::command, 0, value, {}};
    static_assert(sizeof command == sizeof request.number);
    std::memcpy(&request.number, &command, sizeof command);
    if (request.number < TACTUS_PAUSE || request.number > TACTUS_SAFE_STATE) return false;
    return ask(request) == 0;
  }

  std::unique_ptr<ModelLibrary> library_;
  std::unique_ptr<DriverLibrary> driver_;
  std::unique_ptr<DrivenModel> driven_;
  std::string driver_name_;
  tactus_model description_{};
  ServedOutput output_;
  ServedMessages messages_;
  std::unique_ptr<ModelInstance> model_;
  std::vector<Run> runs_;
  CallPage* page_ = nullptr;
  std::byte* block_ = nullptr;
  const rtsync::ThreadLife* frames_thread_ = nullptr;  // the rig's, in memory that cannot be written here
  std::uint32_t turn_ = 0;
  std::int64_t asked_switches_ = 0;  // while it waited for the rig's answer
  std::mutex posts_;                 // of threads beside the job's
};

}  // namespace

void serve_model(const std::string& instance, const std::string& library, const std::string& model,
                 bool driver) {
  ModelServer server;
  if (!server.begin(instance, library, model, driver)) ::_exit(1);
  server.serve();
}

}  // namespace tactus::executive
