// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "executive/driver/driver_library.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/isolation/call_page.hpp"
#include "executive/isolation/model_declaration.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/model/model_library.hpp"
#include "rtsync/crash/thread_life.hpp"

namespace tactus::executive {

/// Serves one model to the rig that started this process.
///
/// Threads  one, but for what the model asks of the rig: any; two that drive outputs safe, when the rig asks for it and
///          when it is killed; and one that passes the messages of a driver's model on.
/// RT       serve(), for jobs: no lock, no heap; the futex calls of CallPage.
class ModelServer final : private ModelServices {
 public:
  /// Loads the library, makes the model, and sends what it declares; shares memory when the rig says so. False: it
  /// was refused, and the rig knows why.
  /// `driver`: the library is one, of this name, and makes the model from the section that the rig sends.
  bool begin(const std::string& instance, const std::string& library, const std::string& model, bool driver);
  /// Serves the rig until that ends the process.
  [[noreturn]] void serve();

 private:
  /// Neighbours in memory that are neighbours in the block.
  struct Run {
    std::byte* data;
    std::size_t offset;
    std::size_t bytes;
  };

  /// Sends why it cannot. nullptr: it could not.
  std::unique_ptr<ModelInstance> from_library(const std::string& instance, const std::string& library,
                                              const std::string& model);
  std::unique_ptr<ModelInstance> from_driver(const std::string& instance, const std::string& library,
                                             const std::string& name);
  void lay_out(const ModelDeclaration& declaration);
  void map(std::size_t bytes);
  void take_in() TACTUS_RT;
  void hand_out() TACTUS_RT;
  void answer(CallPage::Answer kind) TACTUS_RT;
  void await_call() TACTUS_RT;
  int run_job() TACTUS_RT;
  int run_measured(const DeclaredJob& job, const tactus_call& call) TACTUS_RT;
  int prepare();
  int open();
  int plan();
  int end_frame() TACTUS_RT;
  void destroy();
  void start_safe_thread();
  void start_life_thread();
  void start_message_thread();
  void say(bool warning, const std::string& text);
  void pass_messages(bool last = false);
  std::int32_t ask(const CallPage::Request& request) TACTUS_RT;

  void set_realtime(bool on) TACTUS_RT override;
  bool enable_job(std::string_view name, bool on) TACTUS_RT override;
  bool call_at(std::string_view model, std::string_view job, std::int64_t sim_time_ns) TACTUS_RT override;
  bool command(tactus_command command, std::int64_t value) TACTUS_RT override;

  std::unique_ptr<ModelLibrary> library_;
  std::unique_ptr<DriverLibrary> driver_;
  std::unique_ptr<DrivenModel> driven_;
  std::string driver_name_;
  tactus_model description_{};
  std::mutex output_mutex_;
  SafeOutput* output_ = nullptr;  // nullptr: none, or it is being destroyed
  bool ended_safe_ = false;       // for good, as the rig asked for; under output_mutex_
  std::unique_ptr<ModelInstance> model_;
  std::vector<Run> runs_;
  CallPage* page_ = nullptr;
  std::byte* block_ = nullptr;
  const rtsync::ThreadLife* frames_thread_ = nullptr;  // the rig's, in memory that cannot be written here
  std::uint32_t turn_ = 0;
  std::int64_t asked_switches_ = 0;  // while it waited for the rig's answer
  std::mutex posts_;                 // of threads beside the job's
  std::mutex messages_;              // of the two below
  bool has_messages_ = false;        // false: it has none, is being destroyed, or failed to say one
};

}  // namespace tactus::executive
