// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/command_call.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "config/text.hpp"
#include "executive/capability/live/live_value.hpp"

namespace tactus::drivers::link {
namespace {

using config::Json;
using executive::LiveCommand;
using executive::LiveWrite;
using Kind = executive::LiveWrite::Kind;

constexpr std::size_t kMostBytes = 1 << 16;

/// What a command is called, and what its argument may say.
struct CommandRow {
  PeerCommand command;
  const char* name;
  std::vector<std::string> keys;
};

const std::vector<CommandRow>& command_rows() {
  static const std::vector<CommandRow> rows{
      {PeerCommand::pause, "pause", {"frame"}},
      {PeerCommand::resume, "resume", {"frame"}},
      {PeerCommand::step, "step", {"frame", "frames"}},
      {PeerCommand::run_until, "run_until", {"frame", "until_ns"}},
      {PeerCommand::reset, "reset", {"frame"}},
      {PeerCommand::stop, "stop", {"frame", "status"}},
      {PeerCommand::checkpoint, "checkpoint", {"file"}},
      {PeerCommand::load, "load", {"file"}},
      {PeerCommand::realtime, "realtime", {"on"}},
      {PeerCommand::record, "record", {"on", "recording"}},
      {PeerCommand::set, "set", {"frame", "values"}},
      {PeerCommand::force, "force", {"frame", "values"}},
      {PeerCommand::release, "release", {"frame", "names"}},
  };
  return rows;
}

const CommandRow& row_of(PeerCommand command) {
  const auto& rows = command_rows();
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const CommandRow& row) { return row.command == command; });
}

/// Reads one argument; the first thing that is wrong is kept.
class ArgumentReader {
 public:
  ArgumentReader(const CommandRow& row, const executive::LiveRig& rig, std::string& problem)
      : row_(row), rig_(rig), problem_(problem) {}

  std::optional<CommandCall> read(std::span<const std::uint8_t> bytes) {
    if (!parse(bytes)) return std::nullopt;
    CommandCall call;
    if (argument_.contains("frame")) call.batch.frame = whole("frame", 0);
    switch (row_.command) {
      case PeerCommand::pause:
        call.batch.command = {LiveCommand::pause};
        break;
      case PeerCommand::resume:
        call.batch.command = {LiveCommand::resume};
        break;
      case PeerCommand::step:
        call.batch.command = {LiveCommand::step, argument_.contains("frames") ? whole("frames", 1) : 1};
        break;
      case PeerCommand::run_until:
        call.batch.command = {LiveCommand::run_until, whole("until_ns", 0)};
        break;
      case PeerCommand::reset:
        call.batch.command = {LiveCommand::reset};
        break;
      case PeerCommand::stop:
        call.batch.command = {LiveCommand::stop, argument_.contains("status") ? whole("status", 0) : 0};
        break;
      case PeerCommand::checkpoint:
        call.at_once = {LiveCommand::checkpoint, 0, argument_.contains("file") ? text("file") : ""};
        break;
      case PeerCommand::load:
        call.at_once = {LiveCommand::load, 0, text("file")};
        break;
      case PeerCommand::realtime:
        call.at_once = {LiveCommand::realtime, truth("on")};
        break;
      case PeerCommand::record:
        call.at_once = {LiveCommand::record, truth("on"),
                        argument_.contains("recording") ? text("recording") : ""};
        break;
      case PeerCommand::set:
        read_values(Kind::set, call.batch.writes);
        break;
      case PeerCommand::force:
        read_values(Kind::force, call.batch.writes);
        break;
      case PeerCommand::release:
        read_names(call.batch.writes);
        break;
    }
    return problem_.empty() ? std::optional(std::move(call)) : std::nullopt;
  }

 private:
  void complain(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }

  bool parse(std::span<const std::uint8_t> bytes) {
    if (bytes.size() > kMostBytes) {
      complain("the argument has " + std::to_string(bytes.size()) + " bytes; at most " +
               std::to_string(kMostBytes) + " are taken");
      return false;
    }
    argument_ = bytes.empty() ? Json::object() : Json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (!argument_.is_object()) {
      complain(std::string("the argument is ") +
               (argument_.is_discarded() ? "not JSON" : "a JSON " + std::string(argument_.type_name())) +
               "; a JSON object, or nothing, is expected");
      return false;
    }
    for (const auto& [key, value] : argument_.items()) {
      if (std::find(row_.keys.begin(), row_.keys.end(), key) != row_.keys.end()) continue;
      std::string known;
      for (const std::string& each : row_.keys) known += (known.empty() ? "" : ", ") + each;
      complain(config::show(key) + " is not known; " + row_.name + " takes: " + known);
    }
    return problem_.empty();
  }

  const Json* required(const char* key, const char* what) {
    const auto found = argument_.find(key);
    if (found != argument_.end()) return &*found;
    complain(std::string(row_.name) + " needs '" + key + "': " + what);
    return nullptr;
  }

  std::int64_t whole(const char* key, std::int64_t least) {
    const Json* const value = required(key, "a whole number");
    if (value == nullptr) return 0;
    const bool fits = value->is_number_integer() &&
                      (!value->is_number_unsigned() || value->get<std::uint64_t>() <= INT64_MAX) &&
                      value->get<std::int64_t>() >= least;
    if (fits) return value->get<std::int64_t>();
    complain("'" + std::string(key) + "' is " + shown(*value) + "; a whole number from " +
             std::to_string(least) + " on is expected");
    return 0;
  }

  bool truth(const char* key) {
    const Json* const value = required(key, "true or false");
    if (value != nullptr && !value->is_boolean())
      complain("'" + std::string(key) + "' is " + shown(*value) + "; true or false is expected");
    return value != nullptr && value->is_boolean() && value->get<bool>();
  }

  std::string text(const char* key) {
    const Json* const value = required(key, "a text");
    if (value != nullptr && !value->is_string())
      complain("'" + std::string(key) + "' is " + shown(*value) + "; a text is expected");
    return value != nullptr && value->is_string() ? value->get<std::string>() : "";
  }

  /// At most a line of it.
  static std::string shown(const Json& value) {
    std::string all = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (all.size() > 60) all = all.substr(0, 60) + "...";
    return all;
  }

  void read_values(Kind kind, std::vector<LiveWrite>& writes) {
    const Json* const values = required("values", "an object with a value for each variable's name");
    if (values == nullptr) return;
    if (!values->is_object() || values->empty())
      return complain("'values' is " + shown(*values) +
                      "; an object with a value for each variable's name is "
                      "expected");
    for (const auto& [name, value] : values->items()) {
      const auto ref = find(name);
      if (!ref) return;
      const executive::Variable& variable = *rig_.variables()[ref->variable].variable;
      std::string wrong;
      auto bytes =
          executive::from_json(variable, ref->elements, !ref->indexed && variable.count > 0, value, wrong);
      if (!bytes) return complain(config::show(name) + " " + wrong);
      writes.push_back({kind, *ref, std::move(*bytes)});
    }
  }

  void read_names(std::vector<LiveWrite>& writes) {
    const char* const what = "a list of names of variables, or \"all\"";
    const Json* const names = required("names", what);
    if (names == nullptr) return;
    if (*names == "all") return void(writes.push_back({Kind::release_all, {}, {}}));
    const bool texts =
        names->is_array() && !names->empty() &&
        std::all_of(names->begin(), names->end(), [](const Json& name) { return name.is_string(); });
    if (!texts) return complain("'names' is " + shown(*names) + "; " + what + " is expected");
    for (const Json& name : *names) {
      const auto ref = find(name.get_ref<const std::string&>());
      if (!ref) return;
      writes.push_back({Kind::release, *ref, {}});
    }
  }

  std::optional<executive::LiveRef> find(const std::string& name) {
    std::string wrong;
    auto ref = rig_.find(name, wrong);
    if (!ref) complain(wrong);
    return ref;
  }

  const CommandRow& row_;
  const executive::LiveRig& rig_;
  std::string& problem_;
  Json argument_;
};

}  // namespace

std::optional<CommandCall> read_call(PeerCommand command, std::span<const std::uint8_t> argument,
                                     const executive::LiveRig& rig, std::string& problem) {
  return ArgumentReader(row_of(command), rig, problem).read(argument);
}

std::string_view name_of(PeerCommand command) { return row_of(command).name; }

}  // namespace tactus::drivers::link
