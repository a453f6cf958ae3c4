// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/command_call.hpp"

#include <algorithm>
#include <functional>
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

/// Reads one argument; the first thing that is wrong is kept.
class ArgumentReader {
 public:
  ArgumentReader(const CommandRow& row, const executive::LiveRig& rig, std::string& problem)
      : row_(row), rig_(rig), problem_(problem) {}

  std::optional<PeerCall> read(std::span<const std::uint8_t> bytes) {
    if (!parse(bytes)) return std::nullopt;
    PeerCall call;
    if (row_.taken != CommandTaken::at_once && has("frame")) call.batch.frame = whole("frame", 0);
    CommandCall command{row_.command};
    switch (row_.argument) {
      case Argument::frames:
        command.value = has("frames") ? whole("frames", 1) : 1;
        break;
      case Argument::sim_time:
        command.value = whole("until_ns", 0);
        break;
      case Argument::status:
        command.value = has("status") ? whole("status", 0) : 0;
        break;
      case Argument::file:
        command.name = text("file");
        break;
      case Argument::new_file:
        if (has("file")) command.name = text("file");
        break;
      case Argument::on:
      case Argument::recording:
        command.value = truth("on");
        if (row_.argument == Argument::recording && has("recording")) command.name = text("recording");
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
    refuse_others();
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
    return true;
  }

  /// Notes that the argument may have this key. Returns true if it has.
  bool has(const char* key) {
    if (std::ranges::find(keys_, key) == keys_.end()) keys_.emplace_back(key);
    return argument_.contains(key);
  }

  /// Complains of a key that the argument may not have, whatever else is wrong with it. After all that may be there.
  void refuse_others() {
    for (const auto& [key, value] : argument_.items()) {
      if (std::ranges::find(keys_, key) != keys_.end()) continue;
      problem_ = config::show(key) + " is not known; " + row_.word + " takes: " + rtsync::joined(keys_);
      return;
    }
  }

  /// The value of a key that has to be there, and has to fit; nullptr: it is complained of. `what`: the values that fit, and
  /// `which` of them.
  template <class Fits>
  const Json* required(const char* key, const std::string& what, Fits fits, const std::string& which = "") {
    const Json* const found = has(key) ? &argument_[key] : nullptr;
    if (found == nullptr)
      complain(std::string(row_.word) + " needs '" + key + "': " + what);
    else if (!fits(*found))
      complain("'" + std::string(key) + "' is " + shown(*found) + "; " + what + which + " is expected");
    else
      return found;
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
  std::vector<std::string> keys_;  ///< keys that it may have
};

}  // namespace

std::optional<PeerCall> read_call(Command command, std::span<const std::uint8_t> argument,
                                  const executive::LiveRig& rig, std::string& problem) {
  return ArgumentReader(executive::row_of(command), rig, problem).read(argument);
}

}  // namespace tactus::drivers::link
