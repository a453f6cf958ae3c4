// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/clock.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "drivers/gpio/holder.hpp"
#include "drivers/gpio/lines.hpp"
#include "drivers/gpio/text.hpp"
#include "drivers/gpio/words.hpp"

namespace tactus::drivers::gpio {
namespace {

constexpr const char* kNeedsLine = "a line that no other process holds";
constexpr const char* kNeedsEdges = "an edge per period, each within 10 % of it";

std::string kernel_release() {
  utsname name{};
  return ::uname(&name) == 0 ? name.release : "";
}

std::string word_of(Edges edges) {
  for (const KeyWord<Edges>& each : kEdgeWords)
    if (each.value == edges) return each.word;
  return {};
}

/// The chips, and what is known of the lines in use on them.
std::vector<ClockFact> machine_facts(const Gpio& gpio) {
  ClockFact chips{TACTUS_FACT_OK,
                  "gpio chips",
                  "",
                  "a chip that may be opened",
                  "a rig cannot be clocked by a line, nor read or drive one",
                  ""};
  ClockFact used{TACTUS_FACT_OK, "gpio lines in use", "", "", "a line has one user at a time", ""};
  const std::vector<std::string> paths = gpio.paths();
  bool usable = false;
  for (const std::string& path : paths) {
    std::string chip_text = path;
    try {
      const std::unique_ptr<Chip> chip = gpio.open(path);
      const ChipInfo& info = chip->info();
      chip_text = info.name + " (" + in_quotes(info.label) + ", " + std::to_string(info.lines) +
                  (info.lines == 1 ? " line)" : " lines)");
      usable = true;
      for (unsigned line = 0; line < info.lines; ++line) {
        const LineInfo of = chip->line(line);
        if (of.used)
          used.found += (used.found.empty() ? "" : "; ") + line_text(*chip, line) + ": " +
                        (of.consumer.empty() ? "used by an unknown program" : in_quotes(of.consumer));
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
  if (!usable) chips.grade = TACTUS_FACT_WARN;
  if (usable) chips.fix.clear();
  if (used.found.empty()) used.found = usable ? "none" : "no chip to ask";
  if (!usable) return {chips};
  return {chips, used};
}

/// Rate and regularity of the edges.
class EdgeCount {
 public:
  /// Watches for this long.
  EdgeCount(EdgeLineSource& source, std::int64_t nanoseconds) {
    const std::int64_t end = read_clock(CLOCK_MONOTONIC) + nanoseconds;
    std::array<std::int64_t, 64> read;
    std::int64_t last = 0;
    while (read_clock(CLOCK_MONOTONIC) < end) {
      const tactus::Edges got = source.wait(end, read);
      overflowed_ |= got.overflowed;
      if (got.status == TACTUS_CLOCK_GONE) {
        gone_ = got.error;
        break;
      }
      for (std::size_t i = 0; i < got.count; ++i) {
        if (edges_++ > 0) intervals_.push_back(read.at(i) - last);
        last = read.at(i);
      }
    }
  }

  ClockFact fact(const std::string& what, const ClockQuestion& asked, const std::string& where) const {
    const std::int64_t time = asked.measure.count();
    const double expected = asked.edge_period_ns;
    ClockFact fact{TACTUS_FACT_OK,
                   "gpio clock edges",
                   "",
                   kNeedsEdges,
                   "without regular edges the rig cannot follow its clock",
                   ""};
    fact.found = std::to_string(edges_) + (edges_ == 1 ? " edge" : " edges") + " in " + duration_text(time) +
                 " (" + what + ")";
    if (gone_ != 0) {
      fact.grade = TACTUS_FACT_FAIL;
      fact.found += ", then the line was gone: " + std::generic_category().message(gone_);
      fact.fix = "look at the chip's driver: dmesg | tail";
      return fact;
    }
    if (intervals_.empty() && expected * 3 > static_cast<double>(time)) {
      fact.grade = TACTUS_FACT_WARN;
      fact.fix = "the rig's edges are " + duration_text(static_cast<std::int64_t>(expected)) +
                 " apart: watch them for at least three of them (--measure)";
      return fact;
    }
    if (intervals_.empty()) {
      fact.grade = TACTUS_FACT_FAIL;
      fact.fix =
          "check that the source runs and shares its ground with this machine, that its level suits the "
          "chip, and that the line is the right one (" +
          where + "); set 'bias: pull_up' for an open-drain source; gpiomon shows every edge";
      return fact;
    }
    std::vector<std::int64_t> sorted = intervals_;
    std::ranges::sort(sorted);
    const std::int64_t period = sorted[sorted.size() / 2];
    for (std::int64_t& one : sorted) one = std::abs(one - period);
    std::ranges::sort(sorted);
    const std::int64_t p99 = sorted[(sorted.size() - 1) * 99 / 100];
    fact.found += ", " + number_text(1e9 / static_cast<double>(std::max<std::int64_t>(1, period))) +
                  " Hz; deviation of the interval: half within " + duration_text(sorted[sorted.size() / 2]) +
                  ", 99 % within " + duration_text(p99) + ", at most " + duration_text(sorted.back());
    if (overflowed_) fact.found += "; faster than they were read: some were lost";
    // One per cent: this thread is no real-time thread, and a median of few intervals is no measurement.
    if (expected > 0 && std::abs(static_cast<double>(period) / expected - 1) > 0.01) {
      fact.grade = TACTUS_FACT_FAIL;
      fact.fix =
          "the rig file says " + number_text(1e9 / expected) +
          " Hz: fix the source, or frame.period, clock.edges_per_frame, clock.frames_per_edge or clock.edge";
      return fact;
    }
    if (overflowed_ || p99 > period / 10) {
      fact.grade = TACTUS_FACT_WARN;
      fact.fix =
          "check that the line does not float, and that its wire is not beside a switched load; a contact "
          "that bounces is not a clock";
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

void GpioClock::keys(Keys& k) {
  k.text("chip", chip_, {1, 200}, kChipMeaning).required();
  k.text("line", line_, {1, static_cast<double>(kMostName)}, "number or name of the line").required();
  k.word<Edges>("edge", edge_, kEdgeWords, "edges to use");
  k.word<Bias>("bias", bias_, kBiasWords, "bias resistor of the chip at the line");
  k.yes_no("active_low", active_low_, "the line is active when low: its rising edge is the one to low");
  k.refused("debounce",
            "a clock line is not debounced: that would silently make every edge later by the debounce time; "
            "clean the signal in hardware");
}

Edges GpioClock::wire_edge() const {
  if (!active_low_ || edge_ == Edges::both) return edge_;
  return edge_ == Edges::rising ? Edges::falling : Edges::rising;
}

const Gpio& GpioClock::gpio() {
  if (gpio_ == nullptr) gpio_ = system_gpio();
  return *gpio_;
}

std::unique_ptr<EdgeLineSource> GpioClock::open_line(const std::string& rig) {
  const std::string release = kernel_release();
  if (!stamps_monotonic(release))
    throw GpioError("Linux " + release +
                    " stamps edges in CLOCK_REALTIME, which jumps; a clock line needs Linux 5.7 or later");
  const std::unique_ptr<Chip> chip = open_chip(gpio(), chip_);
  const unsigned line = find_line(*chip, line_);
  std::unique_ptr<EdgeLine> edges = gpio::request(*chip, {line}, [&] {
    return chip->request_edges(line, wire_edge(), bias_, consumer_of(rig, ::getpid()));
  });
  const std::string name = chip->line(line).name;
  return std::make_unique<EdgeLineSource>(
      std::move(edges), chip->info().name + " line " + std::to_string(line) +
                            (name.empty() ? "" : " (" + name + ")") + ", " + word_of(edge_) +
                            (active_low_ ? ", active low" : ""));
}

void GpioClock::open(const OpenRequest& request) { source_ = open_line(request.rig); }

tactus::Edges GpioClock::wait(std::int64_t deadline_ns, std::span<std::int64_t> stamps) noexcept {
  if (source_ == nullptr) return {TACTUS_CLOCK_GONE, 0, false, EBADF};
  return source_->wait(deadline_ns, stamps);
}

std::string GpioClock::what() const {
  return source_ == nullptr ? "line " + line_ + " of GPIO chip " + chip_ : source_->what();
}

void GpioClock::add_line_facts(const ClockQuestion& question, std::vector<ClockFact>& facts) {
  ClockFact line{
      TACTUS_FACT_OK, "gpio clock line", "", kNeedsLine, "the rig does not start without its clock", ""};
  try {
    const std::unique_ptr<Chip> chip = open_chip(gpio(), chip_);
    const unsigned number = find_line(*chip, line_);
    const LineInfo info = chip->line(number);
    const std::string text = line_text(*chip, number);
    line.found = text + (info.used ? " " + held_by(info.consumer) : " is free");
    if (info.used) {
      line.grade = TACTUS_FACT_FAIL;
      line.fix = "end the program that holds it, or choose another line";
    }
    facts.push_back(line);
    if (question.measure.count() > 0 && !info.used) {
      const std::unique_ptr<EdgeLineSource> source = open_line("doctor");
      facts.push_back(EdgeCount(*source, question.measure.count()).fact(source->what(), question, text));
    }
  } catch (const std::exception& error) {
    line.grade = TACTUS_FACT_FAIL;
    line.found = error.what();
    facts.push_back(line);
  }
}

std::vector<ClockFact> GpioClock::facts(const ClockQuestion& question) try {
  std::vector<ClockFact> facts = machine_facts(gpio());
  if (question.configured) add_line_facts(question, facts);
  return facts;
} catch (const std::exception& error) {
  return {{TACTUS_FACT_WARN, "gpio chips", error.what(), "a chip that may be opened", "", ""}};
}

const tactus_driver* gpio_clock_entry() {
  return tactus::detail::clock_entry<GpioClock>("gpio",
                                                "A line of a GPIO chip whose edges clock the frames.");
}

bool stamps_monotonic(const std::string& release) {
  int major = 0;
  int minor = 0;
  // A release that cannot be read is taken for a new one: the first edge tells.
  if (std::sscanf(release.c_str(), "%d.%d", &major, &minor) != 2) return true;
  return major > 5 || (major == 5 && minor >= 7);
}

}  // namespace tactus::drivers::gpio
