// SPDX-License-Identifier: Apache-2.0
/// A link for tests, to nobody: its own work in a frame takes long now and then, before the jobs and behind them in
/// turn.
#include <string>
#include <vector>

#include "config/fields.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"
#include "executive/driver/link.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using executive::FrameStart;
using executive::LinkVerdict;
using rtsync::Nanoseconds;

struct Settings {
  std::int64_t every = 25;
  Nanoseconds time{4'000'000};
};

const config::Fields<Settings>& fields() {
  using S = Settings;
  static const config::Fields<S> fields{
      "A link for tests.",
      {
          config::optional("every", &S::every, config::range(2, 1'000'000), "frames"),
          config::optional("time", &S::time, config::range(1us, 1s), "what it computes then"),
      }};
  return fields;
}

class SlowLink final : public executive::Link, private executive::LinkFrames {
 public:
  explicit SlowLink(const Settings& settings) : settings_(settings) {}

  executive::LinkMode mode() const override { return executive::LinkMode::free; }
  std::vector<std::string> describe() const override { return {"slow"}; }
  config::Node resolved() const override { return fields().to_node(settings_); }
  const std::deque<executive::Variable>& variables() const override { return variables_; }
  executive::LinkFrames& frames() override { return *this; }
  void join(executive::LinkCommands&, const rtsync::ThreadSettings&, std::int64_t) override {}
  config::Json summary(bool) const override { return config::Json::object(); }

 private:
  LinkVerdict begin_frame(const FrameStart& frame) TACTUS_RT override {
    if (frame.frame >= 2 * settings_.every && frame.frame % (2 * settings_.every) == 0) compute();
    return LinkVerdict::go_on;
  }
  void end_frame(std::int64_t k) TACTUS_RT override {
    if (k >= 2 * settings_.every && k % (2 * settings_.every) == settings_.every) compute();
  }

  void compute() const TACTUS_RT {
    const auto end = rtsync::monotonic_now() + settings_.time;
    while (rtsync::monotonic_now() < end) {
    }
  }
  Settings settings_;
  std::deque<executive::Variable> variables_;
};

class SlowLinkDriver final : public executive::DriverWithFields<executive::LinkDriver, fields> {
 public:
  std::unique_ptr<executive::Link> make(const config::Node& settings, const std::string& path,
                                        const executive::LinkContext&, config::Problems& problems) override {
    return std::make_unique<SlowLink>(fields().load(settings, path, problems));
  }
};

}  // namespace
}  // namespace tactus::test

TACTUS_DRIVER(tactus::executive::LinkDriver, "slow", tactus::test::SlowLinkDriver)
