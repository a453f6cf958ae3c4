// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Facts that a rig has of itself and gives to clients of live access, beside the values of its variables.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/json.hpp"
#include "rtsync/interface.hpp"

namespace tactus::executive {

/// A variable, or one element of an array: "axis.force[2]".
struct LiveRef {
  std::size_t variable = 0;  ///< index into LiveRig::variables()
  std::uint32_t first = 0;
  std::uint32_t elements = 1;
  bool indexed = false;  ///< it was written with an index
};

/// They have an element in common.
constexpr bool overlap(const LiveRef& a, const LiveRef& b) {
  return a.variable == b.variable && a.first < b.first + b.elements && b.first < a.first + a.elements;
}

/// Variable that a client holds at a value.
struct LiveForce {
  LiveRef ref{};
  std::string name{};              ///< name as it was written: "axis.force[2]"
  std::vector<std::byte> bytes{};  ///< values of all elements of `ref`
  std::string who{};
  std::int64_t frame = -1;  ///< frame at whose StepBegin it began
};

/// Something real that a variable drives: a line, a channel of a device.
struct LiveOutput {
  std::string name;              ///< "gate.enable: line 17 of /dev/gpiochip0"
  std::string driver;            ///< "gpio-out"
  std::string model;             ///< "gate"
  std::size_t variable = 0;      ///< index into LiveRig::variables()
  std::vector<LiveRef> sources;  ///< sources connected to it
  config::Json safe;             ///< its safe value; null: not known here
};

/// Events of a run, as lists that grow and of which the newest entries are kept.
enum class LiveList : std::uint8_t {
  overruns,
  journal,  ///< changes by clients
  log,
  verdicts,  ///< changes of verdicts of the test
  switches,  ///< changes of states of what is switched by name
};
inline constexpr std::size_t kLiveLists = 5;
/// "overruns", "journal", "log", "verdicts", "switches".
std::string_view name_of(LiveList list);

/// A part of a list, ascending. Each entry is a JSON object with its number `n`, which counts up from 1 with
/// every entry and every change of one; an entry that was changed is where its new number belongs.
struct LiveEntries {
  std::vector<std::shared_ptr<const config::Json>> entries{};
  std::int64_t first = 1;     ///< the least number that is still kept
  std::int64_t last = 0;      ///< the greatest so far; 0: there is none
  std::int64_t left_out = 0;  ///< entries that were never kept: too many at a time
};

/// A thing that is switched by name: a fault, a stimulus.
struct LiveSwitch {
  enum class Is : std::uint8_t { unknown, off, on, waiting };  ///< unknown: of a row that does not say
  std::string kind{}, name{};
  std::string target{};                 ///< variable or job that it acts on; empty: the rig does not say
  Is is = Is::unknown;                  ///< waiting: it begins at a time, a frame
  std::optional<std::int64_t> since{};  ///< frame from which it has been so; nothing: from the beginning
  bool operator==(const LiveSwitch&) const = default;
};
/// "unknown", "off", "on", "waiting".
std::string_view name_of(LiveSwitch::Is is);
/// {"kind": "fault", "name": "stuck", "on": true, "state": "on", "since": 412, "target": "encoder.angle"}
config::Json json_of(const LiveSwitch& one);

/// Reports that a run makes of itself on request.
enum class LiveReport : std::uint8_t {
  timing,  ///< late, work and slack of all frames, and why some were late
  jobs,
  clock,
  link,
  drivers,
  threads,
  doctor,       ///< obstacles on this machine to hard real time
  checkpoints,  ///< those that can be loaded
  verdicts,     ///< verdicts of the test so far
  histograms,   ///< distributions that models have measured
};

/// Frames around one, as the flight recorder has them.
struct LiveTraceCall {
  std::optional<std::int64_t> frame{};  ///< nothing: the last one
  std::int64_t before = 20;             ///< frames
  std::int64_t after = 20;
  bool perfetto = false;
};
struct LiveTrace {
  enum class Outcome : std::uint8_t { done, no_frame, no_recorder, failed };
  Outcome outcome = Outcome::done;
  std::string problem{};
  config::Json json{};  ///< answer to a call without `perfetto`
  std::string bytes{};  ///< answer to a call with it
  std::int64_t frame = 0;
};

/// Values of some variables after every frame, as one reader gets them. The rig stops filling it when it is
/// destroyed.
///
/// Threads  one at a time.
class LiveFrames : public rtsync::Interface {
 public:
  struct Row {
    std::int64_t frame = 0;
    std::uint64_t number = 0;           ///< counts up with every frame: one that is missing was lost
    const std::byte* values = nullptr;  ///< values of all references, one after the other; until release()
  };
  /// The oldest that was not released; nothing: there is none.
  virtual std::optional<Row> front() = 0;
  virtual void release() = 0;
};

/// Writer of a variable.
struct LiveWriter {
  enum class What : std::uint8_t { force, set, connection, link, executive, parameter, checkpoint, model };
  What what = What::model;
  std::string who{};                    ///< a client, a variable, a model ...
  std::optional<std::int64_t> frame{};  ///< frame of a force, a set
};
/// "force", "set", "connection", "link", "executive", "parameter", "checkpoint", "model".
std::string_view name_of(LiveWriter::What what);

}  // namespace tactus::executive
