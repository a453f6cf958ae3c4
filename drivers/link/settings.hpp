// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.hpp"
#include "executive/driver/command.hpp"
#include "executive/driver/link.hpp"

/// Settings of the `link:` section of a rig file, filled and checked by the tables of settings.cpp.
namespace tactus::drivers::link {

using executive::Command;
using executive::LinkMode;

enum class Encoding { serdes, json, raw };
enum class Operation { coordinated, autonomous };
enum class OnPeerPause { freeze, keep_running };
/// Value of an input while virtual time is late.
enum class OnLate { hold, default_value, extrapolate };
/// Reaction to peers that are too late, the least first: of several in one frame the last one wins.
enum class Action : std::uint8_t { none, degrade, freeze, terminate };
/// Reaction to data of a subscription that are too old.
enum class AtMaxAge { hold, default_value, freeze, terminate, degrade };
/// Messages, by their own virtual time, that a frame takes.
enum class Delivery {
  timestamp,  ///< those that are there: a message of time t is for the frame of time t
  /// None: a message of time t is for the first step after t, which no participant's speed can change.
  next_step,
};
enum class LabelKind { mandatory, optional };

struct LabelSettings {
  std::string key;
  std::string value;
  LabelKind kind = LabelKind::mandatory;
  bool operator==(const LabelSettings&) const = default;
};

/// Common part of publish and subscribe.
struct SignalSettings {
  std::string name;
  config::Origin origin;
  std::optional<std::string> topic;       ///< nothing: the name
  std::optional<std::string> media_type;  ///< nothing: what the encoding says
  Encoding encoding = Encoding::serdes;
  std::vector<LabelSettings> labels;
  std::optional<config::Located<std::string>> variable;  ///< one, by itself
  std::vector<config::Located<std::string>> variables;   ///< variables of a group in one message
  bool operator==(const SignalSettings&) const = default;
};

struct PublishSettings : SignalSettings {
  bool history = false;  ///< true: a late subscriber gets the last message
  bool operator==(const PublishSettings&) const = default;
};

struct SubscribeSettings : SignalSettings {
  std::optional<std::string> peer;     ///< nothing: not said
  std::optional<OnLate> on_late;       ///< nothing: the link's
  config::Node default_values;         ///< default of the variable; or a map by variable
  std::optional<Nanoseconds> max_age;  ///< nothing: never too old
  AtMaxAge at_max_age = AtMaxAge::hold;
  bool operator==(const SubscribeSettings&) const = default;
};

/// Rules of the frames that go from one bus to the other.
struct ForwardSettings {
  std::vector<config::Located<std::string>> to_virtual{{"all", {}, {}}};
  std::vector<config::Located<std::string>> to_real{{"all", {}, {}}};
  bool operator==(const ForwardSettings&) const = default;
};

/// A virtual bus beside the bus of a model.
struct CanSettings {
  std::string name;
  config::Origin origin;
  config::Located<std::string> bus;       ///< a model of driver `can`
  std::optional<std::string> network;     ///< nothing: the name
  std::optional<std::string> controller;  ///< nothing: the name
  ForwardSettings forward;
  bool operator==(const CanSettings&) const = default;
};

/// A function that peers call.
struct CommandSettings {
  std::string name;
  config::Origin origin;
  Command command = Command::pause;
  std::optional<std::string> function;  ///< nothing: the name
  std::vector<LabelSettings> labels;
  const std::string& called() const { return function ? *function : name; }
  bool operator==(const CommandSettings&) const = default;
};

struct LinkSettings {
  /// "builtin", or the path of a libSilKit.so; with a '/' relative to the rig file.
  std::string library = "builtin";
  std::string registry = "silkit://localhost:8500";
  std::optional<std::string> configuration;  ///< a SIL Kit participant configuration
  std::optional<std::string> participant;    ///< nothing: the rig's name
  Operation operation = Operation::coordinated;
  LinkMode mode = LinkMode::paced;
  std::optional<rtsync::Period> step;  ///< nothing: the frame
  std::optional<Delivery> delivery;    ///< nothing: timestamp when paced or free, next_step when it follows
  std::optional<Nanoseconds> start_timeout;
  OnPeerPause on_peer_pause = OnPeerPause::freeze;
  OnLate on_late = OnLate::hold;
  std::optional<Nanoseconds> max_late;
  std::optional<std::int64_t> max_consecutive_late;
  Action at_maximum = Action::terminate;
  std::int64_t queue = 1024;  ///< messages, and steps, that may wait for the other side
  bool record = false;
  std::vector<PublishSettings> publish;
  std::vector<SubscribeSettings> subscribe;
  std::vector<CanSettings> can;
  std::vector<CommandSettings> commands;
  bool operator==(const LinkSettings&) const = default;
};

const config::Fields<LinkSettings>& link_fields();

/// Delivery that the driver chooses if none is set.
Delivery delivery_of(const LinkSettings& settings);
/// Frames in a step; 0 when it is not a whole number of them. @when setup
std::int64_t frames_per_step(const LinkSettings& settings, const rtsync::Period& frame);
/// "application/json"; SIL Kit's own media type for serdes.
const char* media_type_of(Encoding encoding);

}  // namespace tactus::drivers::link
