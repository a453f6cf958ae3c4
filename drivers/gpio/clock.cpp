// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/clock.hpp"

#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "config/text.hpp"
#include "drivers/gpio/edge_line_source.hpp"
#include "drivers/gpio/holder.hpp"
#include "drivers/gpio/lines.hpp"
#include "drivers/gpio/settings.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/time/duration_text.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::drivers::gpio {
namespace {

using executive::DeviceError;
using rtsync::duration_text;
using rtsync::Fact;
using rtsync::Grade;
using rtsync::monotonic_now;
using rtsync::MonotonicTime;
using rtsync::Nanoseconds;
using rtsync::TimePoint;

constexpr const char* kNeedsLine = "a line that no other process holds";
constexpr const char* kNeedsEdges = "an edge per period, each within 10 % of it";

std::string kernel_release() {
  utsname name{};
  return ::uname(&name) == 0 ? name.release : "";
}

std::string word_of(Edges edges) { return config::type_of<Edges>(edge_words()).write(edges).text(); }

/// The chips, and what is known of the lines in use on them.
std::vector<Fact> machine_facts(const Gpio& gpio) {
  Fact chips{"gpio chips",
             Grade::ok,
             "",
             "a chip that may be opened",
             "a rig cannot be clocked by a line, nor read or drive one",
             ""};
  Fact used{"gpio lines in use", Grade::ok, "", "", "a line has one user at a time", ""};
  const std::vector<std::string> paths = gpio.paths();
  bool usable = false;
  for (const std::string& path : paths) {
    std::string chip_text = path;
    try {
      const std::unique_ptr<Chip> chip = gpio.open(path);
      const ChipInfo& info = chip->info();
      chip_text = info.name + " (" + config::show(info.label) + ", " + std::to_string(info.lines) +
                  (info.lines == 1 ? " line)" : " lines)");
      usable = true;
      for (unsigned line = 0; line < info.lines; ++line) {
        const LineInfo of = chip->line(line);
        if (of.used)
          used.found += (used.found.empty() ? "" : "; ") + line_text(*chip, line) + ": " +
                        (of.consumer.empty() ? "by whom is not known" : config::show(of.consumer));
      }
    } catch (const std::system_error& refused) {
      const int error = refused.code().value();
      chip_text += ": " + std::generic_category().message(error);
      if ((error == EACCES || error == EPERM) && chips.fix.empty()) chips.fix = no_permission(path);
    }
    chips.found += (chips.found.empty() ? "" : ", ") + chip_text;
  }
  if (paths.empty()) {
    chips.found = "none: no /dev/gpiochip*";
    chips.fix = "load the driver of the chip; to try without one: sudo modprobe gpio-sim";
  }
  if (!usable) chips.grade = Grade::warn;
  if (usable) chips.fix.clear();
  if (used.found.empty()) used.found = usable ? "none" : "no chip to ask";
  if (!usable) return {chips};
  return {chips, used};
}

/// Rate and regularity of the edges.
class EdgeCount {
 public:
  /// Watches for this long.
  EdgeCount(rtsync::EdgeSource& source, Nanoseconds time) {
    const TimePoint<MonotonicTime> end = monotonic_now() + time;
    std::array<TimePoint<MonotonicTime>, 64> read;
    TimePoint<MonotonicTime> last{};
    while (monotonic_now() < end) {
      const rtsync::EdgeRead got = source.wait(end, read);
      overflowed_ |= got.overflowed;
      if (got.status == rtsync::EdgeStatus::gone) {
        gone_ = got.error;
        break;
      }
      for (std::size_t i = 0; i < got.count; ++i) {
        if (edges_++ > 0) intervals_.push_back((read.at(i) - last).count());
        last = read.at(i);
      }
    }
  }

  Fact fact(const std::string& what, const executive::EdgeWatch& watch, const std::string& where) const {
    const Nanoseconds time = watch.measure.value_or(Nanoseconds{0});
    Fact fact{"gpio clock edges",
              Grade::ok,
              "",
              kNeedsEdges,
              "without regular edges the rig cannot follow its clock",
              ""};
    fact.found = std::to_string(edges_) + (edges_ == 1 ? " edge" : " edges") + " in " +
                 duration_text(time.count()) + " (" + what + ")";
    if (gone_ != 0) {
      fact.grade = Grade::fail;
      fact.found += ", then the line was gone: " + std::generic_category().message(gone_);
      fact.fix = "look at the chip's driver: dmesg | tail";
      return fact;
    }
    if (intervals_.empty() && watch.edge_period && watch.edge_period->floor() * 3 > time) {
      fact.grade = Grade::warn;
      fact.fix = "the rig's edges are " + duration_text(watch.edge_period->floor().count()) +
                 " apart: watch them for at least three of them (--measure)";
      return fact;
    }
    if (intervals_.empty()) {
      fact.grade = Grade::fail;
      fact.fix =
          "see that the source runs and shares its ground with this machine, that its level suits the chip, "
          "that "
          "the line is the right one (" +
          where + "), and set 'bias: pull_up' for an open-drain source; gpiomon shows every edge";
      return fact;
    }
    std::vector<std::int64_t> sorted = intervals_;
    std::sort(sorted.begin(), sorted.end());
    const std::int64_t period = sorted[sorted.size() / 2];
    for (std::int64_t& one : sorted) one = std::abs(one - period);
    std::sort(sorted.begin(), sorted.end());
    const std::int64_t p99 = sorted[(sorted.size() - 1) * 99 / 100];
    fact.found +=
        ", " + rtsync::format_text("%.6g Hz", 1e9 / static_cast<double>(std::max<std::int64_t>(1, period))) +
        "; deviation of the interval: half within " + duration_text(sorted[sorted.size() / 2]) +
        ", 99 % within " + duration_text(p99) + ", at most " + duration_text(sorted.back());
    if (overflowed_) fact.found += "; faster than they were read: some were lost";
    // One per cent: this thread is no real-time thread, and a median of few intervals is no measurement.
    if (watch.edge_period &&
        std::abs(static_cast<double>(period) * 1e-9 / watch.edge_period->seconds() - 1) > 0.01) {
      fact.grade = Grade::fail;
      fact.fix =
          "the rig file says " + rtsync::format_text("%.6g Hz", 1 / watch.edge_period->seconds()) +
          ": fix the source, or frame.period, clock.edges_per_frame, clock.frames_per_edge or clock.edge";
      return fact;
    }
    if (overflowed_ || p99 > period / 10) {
      fact.grade = Grade::warn;
      fact.fix =
          "see that the line is not floating and the wire not beside a switched load; a contact that bounces "
          "is "
          "no clock";
    }
    return fact;
  }

 private:
  std::size_t edges_ = 0;
  std::vector<std::int64_t> intervals_;
  bool overflowed_ = false;
  int gone_ = 0;
};

}  // namespace

Edges ClockSettings::wire_edge() const {
  if (!active_low || edge == Edges::both) return edge;
  return edge == Edges::rising ? Edges::falling : Edges::rising;
}

const config::Fields<ClockSettings>& clock_fields() {
  static const config::Fields<ClockSettings> fields{
      "A line of a GPIO chip whose edges clock the frames.",
      {
          config::required("chip", &ClockSettings::chip, chip_rule(), kChipMeaning),
          config::required("line", &ClockSettings::line, line_rule(), "number or name of the line"),
          config::optional("edge", &ClockSettings::edge, edge_words(), "edges to use"),
          config::optional("bias", &ClockSettings::bias, bias_words(),
                           "bias resistor of the chip at the line"),
          config::optional("active_low", &ClockSettings::active_low,
                           "the line is active when low: its rising edge is the one to low"),
      }};
  return fields;
}

void GpioClock::read(const config::Node& settings, const std::string& path, config::Problems& problems) {
  if (settings.is_map() && settings.find("debounce") != nullptr) {
    problems.add(
        settings.find("debounce")->place(), path + ".debounce",
        "a clock line is not debounced: that would silently make every edge later by the debounce time; "
        "clean the signal in hardware");
    std::vector<config::Node::Entry> others;
    for (const auto& entry : settings.entries())
      if (entry.key != "debounce") others.push_back(entry);
    return read(config::Node::map(std::move(others), settings.place()), path, problems);
  }
  if (auto loaded = load(settings, path, problems)) settings_ = std::move(loaded);
}

config::Node GpioClock::resolved() const {
  return clock_fields().to_node(settings_ ? *settings_ : ClockSettings{});
}

std::unique_ptr<rtsync::EdgeSource> GpioClock::open(const executive::OpenRequest& request) {
  if (!settings_) throw DeviceError("the clock line is not configured");
  const std::string release = kernel_release();
  if (!stamps_monotonic(release))
    throw DeviceError("Linux " + release +
                      " stamps edges in CLOCK_REALTIME, which jumps; a clock line needs Linux 5.7 or later");
  const std::unique_ptr<Chip> chip = open_chip(*gpio_, settings_->chip);
  const unsigned line = find_line(*chip, settings_->line);
  std::unique_ptr<EdgeLine> edges = gpio::request(*chip, {line}, [&] {
    return chip->request_edges(line, settings_->wire_edge(), settings_->bias,
                               consumer_of(request.rig, ::getpid()));
  });
  const std::string name = chip->line(line).name;
  return std::make_unique<EdgeLineSource>(
      std::move(edges), chip->info().name + " line " + std::to_string(line) +
                            (name.empty() ? "" : " (" + name + ")") + ", " + word_of(settings_->edge) +
                            (settings_->active_low ? ", active low" : ""));
}

std::vector<Fact> GpioClock::facts(const executive::EdgeWatch& watch) try {
  std::vector<Fact> facts = machine_facts(*gpio_);
  if (!settings_) return facts;
  Fact line{"gpio clock line", Grade::ok, "", kNeedsLine, "the rig does not start without its clock", ""};
  try {
    const std::unique_ptr<Chip> chip = open_chip(*gpio_, settings_->chip);
    const unsigned number = find_line(*chip, settings_->line);
    const LineInfo info = chip->line(number);
    const std::string text = line_text(*chip, number);
    line.found = text + (info.used ? " " + held_by(info.consumer) : " is free");
    if (info.used) {
      line.grade = Grade::fail;
      line.fix = "end who holds it, or choose another line";
    }
    facts.push_back(line);
    if (watch.measure && !info.used) {
      const std::unique_ptr<rtsync::EdgeSource> source = open({.rig = "doctor"});
      facts.push_back(EdgeCount(*source, *watch.measure).fact(source->what(), watch, text));
    }
  } catch (const std::exception& error) {
    line.grade = Grade::fail;
    line.found = error.what();
    facts.push_back(line);
  }
  return facts;
} catch (const std::exception& error) {
  return {{"gpio chips", Grade::warn, error.what(), "a chip that may be opened", "", ""}};
}

bool stamps_monotonic(const std::string& release) {
  int major = 0;
  int minor = 0;
  // A release that cannot be read is taken for a new one: the first edge tells.
  if (std::sscanf(release.c_str(), "%d.%d", &major, &minor) != 2) return true;
  return major > 5 || (major == 5 && minor >= 7);
}

}  // namespace tactus::drivers::gpio
