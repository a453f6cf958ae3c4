// SPDX-License-Identifier: Apache-2.0
/// A driver of models with one mistake of those that strangers make, chosen by a key.
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <tactus/model_driver.hpp>

namespace {

enum class Flaw {
  none,
  heap,
  shared,
  unready,
  mute,
  keeps,
  unsafe,
  unknown_output,
  job_throws,
  outputs_throw,
  check_throws,
  crashes_safe,
  open_hangs,
  safe_hangs,
  talks,
  messages_hang,
  messages_crash,
  messages_mute,
  messages_endless
};

double g_shared = 0;

class Flawed final : public tactus::ModelDriver {
 public:
  ~Flawed() override {
    if (fd_ >= 0 && flaw_ != Flaw::keeps) (void)::close(fd_);
  }
  void keys(tactus::Keys& k) override {
    k.word("flaw", flaw_,
           {{"none", Flaw::none},
            {"heap", Flaw::heap},
            {"shared", Flaw::shared},
            {"unready", Flaw::unready},
            {"mute", Flaw::mute},
            {"keeps", Flaw::keeps},
            {"unsafe", Flaw::unsafe},
            {"unknown_output", Flaw::unknown_output},
            {"job_throws", Flaw::job_throws},
            {"outputs_throw", Flaw::outputs_throw},
            {"check_throws", Flaw::check_throws},
            {"crashes_safe", Flaw::crashes_safe},
            {"open_hangs", Flaw::open_hangs},
            {"safe_hangs", Flaw::safe_hangs},
            {"talks", Flaw::talks},
            {"messages_hang", Flaw::messages_hang},
            {"messages_crash", Flaw::messages_crash},
            {"messages_mute", Flaw::messages_mute},
            {"messages_endless", Flaw::messages_endless}},
           "the mistake");
  }
  void check(const tactus::Problems&) override {
    if (flaw_ == Flaw::check_throws) throw std::runtime_error("the port is of no use");
  }
  void declare(tactus::Declare& d) override {
    d.input("value", flaw_ == Flaw::shared ? g_shared : value_, "V", "what it drives");
    d.job<&Flawed::drive>("drive", tactus::JobClass::end_of_frame);
  }
  void open(const tactus::OpenRequest&) override {
    while (flaw_ == Flaw::open_hangs) (void)::pause();
    fd_ = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd_ < 0 && flaw_ == Flaw::mute) throw std::runtime_error("");
    if (fd_ < 0) throw std::runtime_error("/dev/null cannot be opened; look at its mode");
    device_ = std::make_unique<double>(0);
  }
  bool has_safe_values() const override { return true; }
  bool drive_safe(bool) noexcept override {
    double* volatile nowhere = nullptr;
    if (flaw_ == Flaw::crashes_safe && device_ != nullptr) *nowhere = 0;
    while (flaw_ == Flaw::safe_hangs && device_ != nullptr) (void)::pause();
    if (flaw_ == Flaw::unsafe) delete new std::string(100, 'x');  // NOLINT: the mistake
    return true;
  }
  bool take_message(tactus::Message& to) override {
    if (flaw_ < Flaw::talks || (messages_ == 3 && flaw_ != Flaw::messages_endless)) return false;
    double* volatile nowhere = nullptr;
    if (flaw_ == Flaw::messages_crash) *nowhere = 0;
    while (flaw_ == Flaw::messages_hang && messages_ == 1) (void)::pause();
    ++messages_;
    if (flaw_ != Flaw::messages_mute) to.text = "message " + std::to_string(messages_);
    return true;
  }
  std::vector<tactus::DrivenOutput> outputs() const override {
    if (flaw_ == Flaw::outputs_throw) throw std::runtime_error("no list of pins");
    return {{flaw_ == Flaw::unknown_output ? "vlaue" : "value", "a pin", "0"}};
  }
  int drive() {
    if (device_ == nullptr && flaw_ != Flaw::unready) {
      fail("the device was not opened");
      return 1;
    }
    if (flaw_ == Flaw::job_throws) throw std::runtime_error("the wire is broken");
    *device_ = value_;
    if (flaw_ == Flaw::heap) text_ = std::string(100, 'x');
    return 0;
  }

 private:
  Flaw flaw_ = Flaw::none;
  double value_ = 0;
  int fd_ = -1;
  long messages_ = 0;
  std::unique_ptr<double> device_;
  std::string text_;
};

}  // namespace

TACTUS_MODEL_DRIVER("flawed", Flawed, "A model with a mistake.")
