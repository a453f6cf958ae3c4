// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/gpio_out.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "config/fields.hpp"
#include "config/text.hpp"
#include "drivers/gpio/guardian.hpp"
#include "drivers/gpio/holder.hpp"
#include "drivers/gpio/lines.hpp"
#include "drivers/gpio/signal.hpp"
#include "drivers/gpio/words.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/crash/close_on_fork.hpp"
#include "rtsync/crash/last_writes.hpp"

namespace tactus::drivers::gpio {
namespace {

/// Lines for which one variable stands.
struct OutLines {
  config::Located<std::string> name{};
  config::Origin origin{};
  std::optional<config::Located<std::string>> line{};
  std::vector<config::Located<std::string>> lines{};
  bool active_low = false;
  config::Node safe{};
  config::Node initial{};
  std::uint64_t safe_value = 0;
  std::uint64_t initial_value = 0;

  /// The one, or the many.
  std::vector<config::Located<std::string>> all() const { return line ? std::vector{*line} : lines; }
  LineGroup group() const {
    LineGroup group{name.value, {}, line.has_value(), active_low};
    for (const auto& each : all()) group.lines.push_back(each.value);
    return group;
  }
};

struct OutSettings {
  config::Origin origin{};
  std::string chip{};
  Drive drive = Drive::push_pull;
  std::vector<OutLines> lines{};
  std::optional<config::Located<std::string>> pulse{};

  std::vector<LineGroup> groups() const {
    std::vector<LineGroup> groups;
    for (const OutLines& one : all_lines()) groups.push_back(one.group());
    return groups;
  }
  /// The lines of all variables, and that of the pulse.
  std::vector<OutLines> all_lines() const {
    std::vector<OutLines> all = lines;
    if (pulse)
      all.push_back({.name = {"pulse", pulse->place, pulse->path},
                     .origin = {pulse->place, pulse->path},
                     .line = pulse});
    return all;
  }
};

config::TextRule line_rule() { return config::length(1, kMostName); }

const config::Fields<OutLines>& out_line_fields() {
  static const config::Fields<OutLines> fields{
      "What an input variable drives: one line (yes or no), or several (a number).",
      {
          config::located(&OutLines::origin),
          config::optional("line", &OutLines::line, line_rule(), "number or name of the line"),
          config::optional("lines", &OutLines::lines, line_rule(),
                           "numbers or names of the lines of one number, its lowest bit first"),
          config::optional("active_low", &OutLines::active_low,
                           "drive a line low for yes, or for a 1 bit; 'safe' and 'initial' follow it"),
          config::required("safe", &OutLines::safe,
                           "harmless value, driven when the rig ends, however it ends"),
          config::optional("initial", &OutLines::initial,
                           "value until the first frame; default: the safe one"),
      }};
  return fields;
}

const config::Fields<OutSettings>& out_fields() {
  static const config::Fields<OutSettings> fields{
      "Lines of one GPIO chip from input variables, written at the end of every frame",
      {
          config::located(&OutSettings::origin),
          config::required("chip", &OutSettings::chip, config::length(1, 200), kChipMeaning),
          config::optional("drive", &OutSettings::drive,
                           config::choices<Drive>({{"push_pull", Drive::push_pull, "drives high and low"},
                                                   {"open_drain", Drive::open_drain, "drives low only"},
                                                   {"open_source", Drive::open_source, "drives high only"}}),
                           "how the lines are driven"),
          config::named("lines", &OutSettings::lines, out_line_fields(), "variable", "the variables")
              .at_least(1),
          config::optional(
              "pulse", &OutSettings::pulse, line_rule(),
              "number or name of a line that is high from the beginning of each frame to this write, for a "
              "logger or an oscilloscope"),
      }};
  return fields;
}

/// `lines: { door: 4, address: [5, 6] }` with each entry written out: { line: 4 }, { lines: [5, 6] }.
config::Node written_out(const config::Node& settings) {
  std::vector<config::Node::Entry> keys = settings.entries();
  for (config::Node::Entry& key : keys) {
    if (key.key != "lines" || !key.value.is_map()) continue;
    std::vector<config::Node::Entry> lines = key.value.entries();
    for (config::Node::Entry& line : lines) {
      if (!line.value.is_scalar() && !line.value.is_list()) continue;
      const char* const inner = line.value.is_scalar() ? "line" : "lines";
      line.value = config::Node::map({{inner, line.value.place(), line.value}}, line.value.place());
    }
    key.value = config::Node::map(std::move(lines), key.value.place());
  }
  return settings.is_map() ? config::Node::map(std::move(keys), settings.place()) : settings;
}

/// Adds what no table can say: a name that is not a variable's, neither or both of `line` and `lines`, a line
/// twice, more lines than one request holds.
void check_lines(const OutSettings& settings, config::Problems& problems) {
  std::size_t count = 0;
  std::map<std::string, std::string> first_use;
  for (const OutLines& named : settings.all_lines()) {
    const std::string& name = named.name.value;
    const char first = name.empty() ? '_' : name.front();
    if (name.find('-') != std::string::npos || (first >= '0' && first <= '9'))
      problems.add(named.name.place, named.name.path,
                   config::show(name) +
                       " becomes a variable: letters, digits and '_', and a letter or '_' comes first");
    if (named.line.has_value() != named.lines.empty())
      problems.add(named.origin,
                   named.line.has_value()
                       ? "has 'line' and 'lines'; one line is a yes or no, several are a number: "
                         "remove one of the two"
                       : "has no line; write 'line: 4', or 'lines: [4, 5]' for a number");
    for (const auto& line : named.all()) {
      ++count;
      const auto [at, fresh] = first_use.emplace(line.value, name);
      if (!fresh)
        problems.add(line.place, line.path,
                     "line " + line.value + " is already used by " + config::show(at->second));
    }
  }
  if (count > kMostLines)
    problems.add(settings.origin, std::to_string(count) +
                                      " lines; all lines of a model are one request, and the kernel "
                                      "takes " +
                                      std::to_string(kMostLines) + " in one: make two models of them");
}

/// A yes or no for a single line, a number that fits for several.
std::uint64_t read_value(const config::Node& node, const char* key, const OutLines& lines,
                         config::Problems& problems) {
  const config::Context context(problems, lines.origin.path + "." + key);
  if (lines.line) {
    bool value = false;
    (void)config::bool_type().read(node, context, value);
    return value ? 1 : 0;
  }
  const std::size_t width = lines.lines.size();
  const std::int64_t largest =
      width >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << width) - 1;
  std::int64_t value = 0;
  (void)config::range(std::int64_t{0}, largest).base().read(node, context, value);
  return static_cast<std::uint64_t>(value);
}

/// Remembers nothing but its inputs, and the levels that it drove last, which are no state. Before a reset or a load in
/// the middle of a run the executive drives the lines safe; the write at the end of the frame that follows drives them
/// again.
class Outlet final : public executive::DrivenModel, private executive::SafeOutput {
 public:
  Outlet(std::shared_ptr<const Gpio> gpio, OutSettings settings)
      : gpio_(std::move(gpio)), settings_(std::move(settings)) {
    unsigned bit = 0;
    signals_.reserve(settings_.lines.size());
    for (const OutLines& lines : settings_.lines) {
      Signal& signal = signals_.emplace_back(lines.group(), settings_.chip, bit);
      bit += signal.width();
      signal.set(lines.initial_value);
      safe_levels_ |= signal.levels_of(lines.safe_value);
      initial_levels_ |= signal.levels_of(lines.initial_value);
    }
    if (settings_.pulse) pulse_ = std::uint64_t{1} << bit;
    driven_ = initial_levels_;
  }

  ~Outlet() override {
    if (!open_.load()) return;
    const bool safe = end_safe();
    open_.store(false);
    // The guardian lets go first: when this object is gone, the lines are free, or are as soon as a witness has
    // ended. Those that could not be driven safe the guardian keeps.
    if (guardian_ != nullptr && safe) guardian_->forget(guarded_as_);
    rtsync::keep_on_fork(safe_.fd);
  }

  void declare(Declare& d) override {
    for (Signal& signal : signals_) signal.declare_input(d);
    if (settings_.pulse) d.job<&Outlet::begin_pulse>("pulse", JobClass::top_of_frame, at_phase(0));
    d.job<&Outlet::write>("write", JobClass::end_of_frame);
  }

  void open(const executive::OpenRequest& request) override {
    // First of all, so that a rig that can have no guardian has not yet touched a line.
    if (request.safe_outputs == executive::SafeOutputs::guardian)
      guardian_ = Guardian::of_this_process(request);
    try {
      request_lines(request.rig);
    } catch (const GpioError& error) {
      throw executive::DeviceError(error.what());
    }
    safe_ = outputs_->prepare(safe_levels_);
    rtsync::close_on_fork(safe_.fd);
    if (guardian_ != nullptr) guarded_as_ = guardian_->watch(safe_);
    // Without a witness, or with one that has no room, the guardian is alone.
    static_assert(SafeWrite::kMostBytes == rtsync::LastWrite::kMostBytes);
    (void)rtsync::leave_last_write(safe_.fd, {safe_.request, safe_.argument});
    open_.store(true);
  }

  executive::SafeOutput* safe_output() override { return this; }
  std::vector<executive::DrivenOutput> outputs() const override {
    std::vector<executive::DrivenOutput> all;
    for (const OutLines& lines : settings_.lines) {
      std::string which;
      for (const auto& line : lines.all()) which += (which.empty() ? "" : ", ") + line.value;
      all.push_back({lines.name.value, (lines.line ? "line " : "lines ") + which + " of " + settings_.chip,
                     lines.line ? config::Json(lines.safe_value != 0) : config::Json(lines.safe_value)});
    }
    return all;
  }

  int write() {
    if (ended()) return 0;
    std::uint64_t levels = 0;
    for (const Signal& signal : signals_) {
      if (signal.value() > signal.largest()) return does_not_fit(signal);
      levels |= signal.levels_of(signal.value());
    }
    if (const int failed = drive(levels); failed != 0) return failed;
    driven_.store(levels);
    return 0;
  }

  /// Raises the pulse beside what the lines have: of the others none changes before the frame's write.
  int begin_pulse() {
    const std::uint64_t levels = driven_.load();
    const int failed = drive(levels | pulse_);
    // Another thread drove the lines safe between the look and the write, which then undid it.
    if (failed == 0 && driven_.load() != levels) (void)safe_.issue();
    return failed;
  }

 private:
  int drive(std::uint64_t levels) {
    if (outputs_ == nullptr) return fail_with("the lines were not opened");
    if (ended()) return 0;
    if (guardian_ != nullptr && guardian_->tripped()) return stop(guardian_->trouble());
    if (const int error = outputs_->write(levels); error != 0) return fail_with(error_text(error));
    // Somebody may have driven safe between the look above and the write, which then undid it.
    if (ended()) (void)safe_.issue();
    if (guardian_ != nullptr && guardian_->tripped()) return stop(guardian_->trouble());
    return 0;
  }

  void request_lines(const std::string& rig) {
    const std::unique_ptr<Chip> chip = open_chip(*gpio_, settings_.chip);
    const std::vector<unsigned> lines = find_lines(*chip, settings_.groups());
    outputs_ = gpio::request(*chip, lines, [&] {
      return chip->request_outputs(lines, settings_.drive, initial_levels_, consumer_of(rig, ::getpid()));
    });
  }

  bool drive_safe() TACTUS_RT override {
    if (!open_.load()) return true;
    driven_.store(safe_levels_);  // the next pulse leaves them so
    const bool driven = safe_.issue() == 0;
    // One that could not be driven stays guarded: over there it is tried again and again.
    if (guardian_ != nullptr) driven ? guardian_->disarm() : guardian_->arm();
    return driven;
  }

  const char* frame_ended() TACTUS_RT override {
    if (guardian_ == nullptr || ended()) return nullptr;
    guardian_->frame_ended();
    return guardian_->trouble();
  }

  void frames_begin() noexcept override {
    if (guardian_ != nullptr) guardian_->frames_begin();
  }
  void frames_ended() noexcept override {
    if (guardian_ != nullptr) guardian_->frames_ended();
  }

  /// The guardian has done so already, or is about to, or is dead.
  int stop(const char* why) const {
    (void)safe_.issue();
    fail(why);
    return 1;
  }

  int fail_with(const char* why) const {
    std::array<char, 256> text{};
    (void)std::snprintf(text.data(), text.size(), "cannot write the lines of GPIO chip %s: %s",
                        settings_.chip.c_str(), why);
    fail(text.data());
    return 1;
  }

  int does_not_fit(const Signal& signal) const {
    std::array<char, 256> text{};
    (void)std::snprintf(text.data(), text.size(),
                        "%s is %llu, but its %u lines hold 0 .. %llu; nothing was written",
                        signal.name().c_str(), static_cast<unsigned long long>(signal.value()),
                        signal.width(), static_cast<unsigned long long>(signal.largest()));
    fail(text.data());
    return 1;
  }

  std::shared_ptr<const Gpio> gpio_;
  OutSettings settings_;
  std::vector<Signal> signals_;
  std::uint64_t safe_levels_ = 0;
  std::uint64_t initial_levels_ = 0;
  std::uint64_t pulse_ = 0;               ///< its bit; 0: there is none
  std::atomic<std::uint64_t> driven_{0};  ///< levels of the lines, without the pulse
  std::shared_ptr<Guardian> guardian_;
  std::unique_ptr<Outputs> outputs_;
  SafeWrite safe_;
  std::int32_t guarded_as_ = 0;
  std::atomic<bool> open_{false};
};

}  // namespace

std::shared_ptr<const config::Section> GpioOut::section() const { return out_fields().shared_section(); }

std::unique_ptr<executive::DrivenModel> GpioOut::make(const config::Node& settings, const std::string& path,
                                                      config::Problems& problems) {
  const std::size_t before = problems.count();
  OutSettings read = out_fields().load(written_out(settings), path, problems);
  check_lines(read, problems);
  if (problems.count() != before) return nullptr;
  for (OutLines& lines : read.lines) {
    lines.safe_value = read_value(lines.safe, "safe", lines, problems);
    lines.initial_value =
        lines.initial.is_null() ? lines.safe_value : read_value(lines.initial, "initial", lines, problems);
  }
  if (problems.count() != before) return nullptr;
  return std::make_unique<Outlet>(gpio_, std::move(read));
}

}  // namespace tactus::drivers::gpio
