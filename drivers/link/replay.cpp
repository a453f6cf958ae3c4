// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/replay.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drivers/link/can_record.hpp"
#include "drivers/link/link_variables.hpp"
#include "drivers/link/replayed_buses.hpp"
#include "drivers/link/replayed_changes.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/model/with_type.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/text.hpp"

namespace tactus::drivers::link {
namespace {

using executive::Variable;

constexpr const char* kEnds = "the replayed record ends here";
constexpr const char* kTooSlow =
    "the replay differs: changes of peers were not read in time for their frame; replay with --no-realtime";

template <class T>
bool read_number(std::string_view text, std::byte* to) {
  const auto value = rtsync::read_number<T>(text);
  if (value) std::memcpy(to, &*value, sizeof(T));
  return value.has_value();
}

/// Reads a value as the recording wrote it: all of the text, and the same bits.
bool read_value(std::string_view text, tactus_type type, std::byte* to) {
  return executive::with_type(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) {
      return (text == "0" || text == "1") && read_number<std::uint8_t>(text, to);
    } else {
      return read_number<T>(text, to);
    }
  });
}

/// "0.0015" as nanoseconds, exactly.
bool read_seconds(std::string_view text, std::int64_t& ns) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::string digits(dot < text.size() ? text.substr(dot + 1) : "");
  if (dot == 0 || digits.size() > 9 || (dot < text.size() && digits.empty())) return false;
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return false;
  digits.resize(9, '0');
  digits.insert(0, text.substr(0, dot));
  const auto read = rtsync::read_number<std::int64_t>(digits);
  ns = read.value_or(ns);
  return read.has_value();
}

/// "0.001": a time as the recording has it.
std::string seconds_text(rtsync::Nanoseconds time) {
  constexpr std::int64_t kBillion = 1'000'000'000;
  std::string decimals = std::to_string(kBillion + time.count() % kBillion).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return std::to_string(time.count() / kBillion) + (decimals.empty() ? "" : "." + decimals);
}

/// Content of link.csv of a run folder: a row of bytes for every frame.
class Record {
 public:
  struct Column {
    std::string header;  ///< "link.frame {--}"
    tactus_type type;
    std::size_t offset;  ///< offset in a row
  };

  /// Reads all of it. Throws std::runtime_error.
  Record(const std::filesystem::path& folder, const std::deque<Variable>& variables,
         const rtsync::Period& frame)
      : path_(folder / "link.csv") {
    for (const Variable& variable : variables) add_columns(variable);
    const rtsync::Descriptor opened = rtsync::open_folder_file(path_, O_RDONLY);
    if (opened.get() < 0)
      throw std::runtime_error(rtsync::file_error(path_, errno) +
                               "; a run has one with `record: yes` in its link section");
    std::ifstream file("/proc/self/fd/" + std::to_string(opened.get()), std::ios::binary);
    if (!file) fail("cannot be read");
    std::string line;
    if (!read_line(file, line)) fail("is empty");
    check_header(line);
    while (read_line(file, line)) read_row(line, frame);
    if (frames_ == 0) fail("no frame was recorded");
  }

  std::int64_t first() const { return first_; }
  std::int64_t frames() const { return frames_; }
  /// nullptr: there is none.
  const std::byte* row(std::int64_t k) const TACTUS_RT {
    return k < first_ || k - first_ >= frames_
               ? nullptr
               : rows_.data() + static_cast<std::size_t>(k - first_) * row_bytes_;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(path_.string() + ":" + std::to_string(std::max<std::int64_t>(line_, 1)) + ": " +
                             what);
  }

  void add_columns(const Variable& variable) {
    const std::string unit =
        " {" + (variable.unit_text.empty() || variable.unit_text == "1" ? "--" : variable.unit_text) + "}";
    for (std::size_t i = 0; i < variable.elements(); ++i) {
      const std::string index = index_text(variable, i);
      columns_.push_back({variable.name + index + unit, variable.type, row_bytes_});
      row_bytes_ += executive::size_of(variable.type);
    }
  }

  bool read_line(std::ifstream& file, std::string& line) {
    if (!std::getline(file, line)) {
      if (file.bad()) fail("cannot be read");
      return false;
    }
    ++line_;
    if (file.eof()) fail("the line is cut off: the run that wrote it did not end in order; remove the line");
    return true;
  }

  void check_header(std::string_view line) {
    std::string_view rest = line;
    if (next_cell(rest) != "sys.exec.out.time {s}")
      fail("this is not a recording: its first column is not the time");
    for (const Column& column : columns_) {
      if (rest.data() == nullptr) fail("the column '" + column.header + "' of this link is missing");
      const std::string_view cell = next_cell(rest);
      if (cell != column.header)
        fail("has a column '" + std::string(cell) + "' where this link has '" + column.header +
             "': it was recorded with other subscriptions");
    }
    if (rest.data() != nullptr)
      fail("has a column '" + std::string(next_cell(rest)) + "' that this link does not have");
  }

  void read_row(std::string_view line, const rtsync::Period& frame) {
    std::string_view rest = line;
    const std::string_view time_text = next_cell(rest);
    std::int64_t time = 0;
    if (!read_seconds(time_text, time)) fail("'" + std::string(time_text) + "' is not a time in seconds");
    const std::size_t at = rows_.size();
    rows_.resize(at + row_bytes_);
    for (const Column& column : columns_) {
      if (rest.data() == nullptr) fail("has no value for '" + column.header + "'");
      const std::string_view cell = next_cell(rest);
      if (!read_value(cell, column.type, rows_.data() + at + column.offset))
        fail("'" + std::string(cell) + "' is not of type " + std::string(executive::name_of(column.type)) +
             " for '" + column.header + "'");
    }
    if (rest.data() != nullptr) fail("has more values than there are columns");
    check_frame(at, time, std::string(time_text), frame);
    ++frames_;
  }

  /// link.frame, the first column, counts the rows, and the time is that of the frame.
  void check_frame(std::size_t at, std::int64_t time, const std::string& time_text,
                   const rtsync::Period& frame) {
    std::int64_t k = 0;
    std::memcpy(&k, rows_.data() + at, sizeof k);
    if (k < 0) fail("there is no frame " + std::to_string(k));
    if (frames_ == 0) first_ = k;
    const std::int64_t expected = first_ + frames_;
    if (k > expected)
      fail("frame " + std::to_string(k) + " comes after frame " + std::to_string(expected - 1) +
           ": what is between them was lost when it was recorded");
    if (k < expected)
      fail("frame " + std::to_string(k) + " comes after frame " + std::to_string(expected - 1));
    const std::int64_t off = time - frame.times(k).count();
    if (off < -1 || off > 1)
      fail("frame " + std::to_string(k) + " is at " + time_text + " s here, and at " +
           seconds_text(frame.times(k)) +
           " s in this rig, whose frame has another period; replay it with that of the recording");
  }

  std::filesystem::path path_;
  std::vector<Column> columns_;
  std::size_t row_bytes_ = 0;
  std::vector<std::byte> rows_;
  std::int64_t first_ = 0;
  std::int64_t frames_ = 0;
  std::int64_t line_ = 0;
};

class Replay final : public executive::Link, private executive::LinkFrames {
 public:
  Replay(const LinkSettings& settings, const rtsync::Period& frame, Signals signals,
         const std::filesystem::path& run_folder)
      : settings_(settings),
        signals_(std::move(signals)),
        variables_(signals_),
        folder_(run_folder),
        record_(run_folder, variables_.all(), frame),
        buses_(signals_, frame, run_folder),
        changes_(run_folder) {
    std::size_t offset = 0;
    for (const Variable& variable : variables_.all()) {
      const std::size_t bytes = variable.elements() * executive::size_of(variable.type);
      copies_.push_back({static_cast<std::byte*>(variable.data), offset, bytes});
      offset += bytes;
    }
    for (std::size_t s = 0; s < signals_.subscriptions.size(); ++s) {
      const Subscription& subscription = signals_.subscriptions[s];
      for (std::size_t i = 0; i < subscription.variables.size(); ++i) {
        const executive::VariableRef& ref = subscription.variables[i];
        const std::byte* const shown = variables_.inputs[s].values[i];
        const auto copy = std::ranges::find(copies_, shown, &Copy::to);
        copies_.push_back({static_cast<std::byte*>(ref.data()), copy->offset, bytes_of(ref)});
      }
    }
    begins_ = "the replayed record begins at frame " + std::to_string(record_.first());
  }

  executive::LinkMode mode() const override { return LinkMode::free; }
  bool records() const override { return settings_.record; }
  config::Node resolved() const override { return link_fields().to_node(settings_); }
  const std::deque<Variable>& variables() const override { return variables_.all(); }
  std::vector<executive::VariableRef> inputs() const override { return signals_.inputs(); }
  std::vector<executive::LinkSignal> signals() const override { return signals_.list(); }
  std::string own_name() const override { return settings_.participant.value_or(""); }
  executive::LinkFrames& frames() override { return *this; }

  void record_to(const std::filesystem::path& folder) override {
    try {
      buses_.record_to(folder);
    } catch (const std::runtime_error& error) {
      throw executive::DeviceError(error.what());
    }
  }
  void leave(const executive::LinkEnd&) override { buses_.end(); }
  bool takes_commands() const override { return !changes_.empty(); }
  void serve(executive::LiveRig& rig) override { rig_ = &rig; }
  void join(executive::LinkCommands& commands, const rtsync::ThreadSettings&, std::int64_t first) override {
    if (first != record_.first())
      throw executive::DeviceError("the record in " + record_.path().string() + " begins at frame " +
                                   std::to_string(record_.first()) + ", this run at frame " +
                                   std::to_string(first) +
                                   "; give --from with the checkpoint that the recorded run began with");
    try {
      buses_.open();
    } catch (const std::runtime_error& error) {
      throw executive::DeviceError(std::string("can: ") + error.what());
    }
    commands_ = &commands;
    if (rig_ != nullptr) changes_.serve(*rig_);
  }
  std::vector<std::string> take_log_lines() override {
    if (std::exchange(told_, true)) return {};
    return {"replay of " + std::to_string(record_.frames()) + " frames from " + record_.path().string() +
            (changes_.empty() ? "" : ", and of " + std::to_string(changes_.count()) + " changes by peers") +
            (buses_.count() == 0 ? ""
                                 : ", and of " + std::to_string(buses_.count()) + " frames of peers on CAN")};
  }
  std::string status() const override { return "replay"; }
  std::string ending() const override { return missing_in_record(buses_.lost()); }
  std::vector<std::string> describe() const override { return {"replay of " + record_.path().string()}; }
  config::Json summary(bool) const override { return {{"replay", folder_.string()}, {"frames", replayed_}}; }

 private:
  bool may_begin(std::int64_t k, bool) TACTUS_RT override { return changes_.ready(k); }
  bool wait(std::int64_t k, bool, rtsync::TimePoint<rtsync::MonotonicTime> deadline) TACTUS_RT override {
    return changes_.wait(k, deadline);
  }
  executive::LinkVerdict begin_frame(const executive::FrameStart& frame) TACTUS_RT override {
    if (!changes_.ready(frame.frame) || changes_.failure() != nullptr)
      return executive::LinkVerdict::terminate;
    const std::byte* const row = record_.row(frame.frame);
    if (row == nullptr) {
      stop(frame.frame < record_.first() ? begins_.c_str() : kEnds);
      return executive::LinkVerdict::go_on;
    }
    for (const Copy& copy : copies_) std::memcpy(copy.to, row + copy.offset, copy.bytes);
    buses_.begin(frame.frame);
    ++replayed_;
    if (record_.row(frame.frame + 1) == nullptr) stop(kEnds);
    return executive::LinkVerdict::go_on;
  }
  void unfreeze() TACTUS_RT override { buses_.pause(); }
  const char* verdict_reason() const TACTUS_RT override {
    return changes_.failure() != nullptr ? changes_.failure() : kTooSlow;
  }

  struct Copy {
    std::byte* to;
    std::size_t offset;  // in a row
    std::size_t bytes;
  };

  /// Taken at the end of the frame that begins.
  void stop(const char* reason) TACTUS_RT {
    if (commands_ != nullptr) commands_->request_stop(reason);
  }

  const LinkSettings settings_;
  Signals signals_;
  LinkVariables variables_;
  std::filesystem::path folder_;
  Record record_;
  ReplayedBuses buses_;
  ReplayedChanges changes_;
  executive::LiveRig* rig_ = nullptr;
  std::vector<Copy> copies_;  // of what is shown, then of the inputs
  std::string begins_;
  executive::LinkCommands* commands_ = nullptr;
  std::int64_t replayed_ = 0;
  bool told_ = false;
};

}  // namespace

std::unique_ptr<executive::Link> make_replay(const LinkSettings& settings, const rtsync::Period& frame,
                                             Signals signals, const std::filesystem::path& run_folder) {
  return std::make_unique<Replay>(settings, frame, std::move(signals), run_folder);
}

}  // namespace tactus::drivers::link
