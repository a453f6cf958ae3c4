// SPDX-License-Identifier: Apache-2.0
/// A model whose job runs, at its first call in frame 3 or later, until the log of the run says that it does.
#include <chrono>
#include <fstream>
#include <string>
#include <tactus/model.hpp>
#include <thread>

namespace {

class UntilNamed : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override { d.job<&UntilNamed::step>("step", tactus::JobClass::scheduled); }
  int step(const tactus::Call& call) {
    if (call.frame < 3 || named_) return 0;
    named_ = true;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end) {
      // The thread that writes the log may be on this CPU. A machine that is stopped now and then would leave it none.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::ifstream log("run/log.txt");
      for (std::string line; std::getline(log, line);)
        if (line.find("job m.step still ran") != std::string::npos) return 0;
    }
    return 1;
  }

 private:
  bool named_ = false;
};

}  // namespace

TACTUS_MODEL("until_named", UntilNamed, "runs until it was named")
