// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/command_call.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "config/json_of.hpp"
#include "config/text.hpp"
#include "executive/capability/live/live_value.hpp"
#include "rtsync/joined.hpp"

namespace tactus::drivers::link {
namespace {

using executive::CommandCall;
using executive::LiveWrite;
using Kind = executive::LiveWrite::Kind;

constexpr std::size_t kMostBytes = 1 << 16;

using Argument = executive::CommandArgument;
using executive::CommandRow;
using executive::CommandTaken;

/// Keys that the argument of a command may have.
std::vector<std::string> keys_of(const CommandRow& row) {
  static const std::map<Argument, std::vector<std::string>> of_kind{
      {Argument::frames, {"frames"}},
      {Argument::sim_time, {"until_ns"}},
      {Argument::status, {"status"}},
      {Argument::file, {"file"}},
      {Argument::new_file, {"file"}},
      {Argument::on, {"on"}},
      {Argument::recording, {"on", "recording"}},
      {Argument::values, {"values"}},
      {Argument::names, {"names"}},
  };
  std::vector<std::string> keys;
  if (row.taken != CommandTaken::at_once) keys.emplace_back("frame");
  if (const auto found = of_kind.find(row.argument); found != of_kind.end())
    keys.insert(keys.end(), found->second.begin(), found->second.end());
  return keys;
}

/// Reads one argument; the first thing that is wrong is kept.
class ArgumentReader {
 public:
  ArgumentReader(const CommandRow& row, const executive::LiveRig& rig, std::string& problem)
      : row_(row), rig_(rig), problem_(problem) {}

  std::optional<PeerCall> read(std::span<const std::uint8_t> bytes) {
    if (!parse(bytes)) return std::nullopt;
    PeerCall call;
    if (argument_.contains("frame")) call.batch.frame = whole("frame", 0);
    CommandCall command{row_.command};
    switch (row_.argument) {
      case Argument::frames:
        command.value = argument_.contains("frames") ? whole("frames", 1) : 1;
        break;
      case Argument::sim_time:
        command.value = whole("until_ns", 0);
        break;
      case Argument::status:
        command.value = argument_.contains("status") ? whole("status", 0) : 0;
        break;
      case Argument::file:
        command.name = text("file");
        break;
      case Argument::new_file:
        if (argument_.contains("file")) command.name = text("file");
        break;
      case Argument::on:
      case Argument::recording:
        command.value = truth("on");
        if (argument_.contains("recording")) command.name = text("recording");
        break;
      case Argument::values:
        read_values(row_.command == Command::set ? Kind::set : Kind::force, call.batch.writes);
        break;
      case Argument::names:
        read_names(call.batch.writes);
        break;
      case Argument::nothing:
      case Argument::job:
        break;
    }
    if (row_.taken == CommandTaken::at_once) call.at_once = std::move(command);
    if (row_.taken == CommandTaken::at_end_of_frame) call.batch.command = std::move(command);
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
    argument_ = bytes.empty() ? Json::object()
                              : config::json_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!argument_.is_object()) {
      complain(std::string("the argument is ") +
               (argument_.is_discarded() ? "not JSON" : "a JSON " + std::string(argument_.type_name())) +
               "; a JSON object, or nothing, is expected");
      return false;
    }
    const std::vector<std::string> keys = keys_of(row_);
    for (const auto& [key, value] : argument_.items()) {
      if (std::ranges::find(keys, key) != keys.end()) continue;
      std::string known = rtsync::joined(keys);
      complain(config::show(key) + " is not known; " + row_.word + " takes: " + known);
    }
    return problem_.empty();
  }

  /// The value of a key that has to be there, and has to fit; nullptr: it is complained of. `what`: the values that fit, and
  /// `which` of them.
  template <class Fits>
  const Json* required(const char* key, const std::string& what, Fits fits, const std::string& which = "") {
    const auto found = argument_.find(key);
    if (found == argument_.end())
      complain(std::string(row_.word) + " needs '" + key + "': " + what);
    else if (!fits(*found))
      complain("'" + std::string(key) + "' is " + shown(*found) + "; " + what + which + " is expected");
    else
      return &*found;
    return nullptr;
  }

  std::int64_t whole(const char* key, std::int64_t least) {
    const auto fits = [&](const Json& value) {
      return value.is_number_integer() &&
             (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX) &&
             value.get<std::int64_t>() >= least;
    };
    const Json* const value = required(key, "a whole number", fits, " from " + std::to_string(least) + " on");
    return value == nullptr ? 0 : value->get<std::int64_t>();
  }

  bool truth(const char* key) {
    const Json* const value = required(key, "true or false", std::mem_fn(&Json::is_boolean));
    return value != nullptr && value->get<bool>();
  }

  std::string text(const char* key) {
    const Json* const value = required(key, "a text", std::mem_fn(&Json::is_string));
    return value == nullptr ? "" : value->get<std::string>();
  }

  /// Text of the value, at most a line of it.
  static std::string shown(const Json& value) {
    std::string all = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (all.size() > 60) all = all.substr(0, 60) + "...";
    return all;
  }

  void read_values(Kind kind, std::vector<LiveWrite>& writes) {
    const Json* const values =
        required("values", "an object with a value for each variable's name",
                 [](const Json& value) { return value.is_object() && !value.empty(); });
    if (values == nullptr) return;
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
    const Json* const names =
        required("names", "a list of names of variables, or \"all\"", [](const Json& value) {
          return value == "all" || (value.is_array() && !value.empty() &&
                                    std::ranges::all_of(value, std::mem_fn(&Json::is_string)));
        });
    if (names == nullptr) return;
    if (*names == "all") return void(writes.push_back({Kind::release_all, {}, {}}));
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

std::optional<PeerCall> read_call(Command command, std::span<const std::uint8_t> argument,
                                  const executive::LiveRig& rig, std::string& problem) {
  return ArgumentReader(executive::row_of(command), rig, problem).read(argument);
}

}  // namespace tactus::drivers::link
