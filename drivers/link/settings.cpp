// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/settings.hpp"

#include <chrono>
#include <utility>

#include "executive/driver/command_choices.hpp"

namespace tactus::drivers::link {
namespace {

using namespace std::chrono_literals;
using namespace config;
using rtsync::Period;

constexpr Nanoseconds kEver = Nanoseconds::max();
constexpr std::int64_t kManySteps = 1'000'000'000'000;

config::TextRule texts() { return length(1, 1000); }

config::Choices<OnLate> late_words() {
  return choices<OnLate>({{"hold", OnLate::hold, "keep the last value"},
                          {"default", OnLate::default_value, "the subscription's default"},
                          {"extrapolate", OnLate::extrapolate,
                           "continue the line through the last two messages; floating-point only"}});
}

const Fields<LabelSettings>& label_fields() {
  using L = LabelSettings;
  static const Fields<L> fields{
      "A label: publisher and subscriber of a topic match if their labels do not contradict each other.",
      {
          required("key", &L::key, texts(), "its key"),
          required("value", &L::value, length(0, 1000), "its value"),
          optional(
              "kind", &L::kind,
              choices<LabelKind>({{"mandatory", LabelKind::mandatory, "the other side must have it, too"},
                                  {"optional", LabelKind::optional,
                                   "the other side must have this value, or no such label"}}),
              "what it requires of the other side"),
      }};
  return fields;
}

/// A member of what publications and subscriptions have in common, as a member of one of them.
template <class S, class V>
V S::*in(V SignalSettings::*member) {
  return member;
}

/// The rows of both tables, then `more`.
template <class S>
std::vector<config::Field<S>> with_signal(std::vector<config::Field<S>> more) {
  std::vector<config::Field<S>> rows{
      located(in<S>(&SignalSettings::origin)),
      optional("topic", in<S>(&SignalSettings::topic), texts(), "by default the entry's name"),
      optional("media_type", in<S>(&SignalSettings::media_type), texts(),
               "media type, the same on both sides; by default that of the encoding"),
      optional("encoding", in<S>(&SignalSettings::encoding),
               choices<Encoding>({{"serdes", Encoding::serdes, "SIL Kit's own data serialization"},
                                  {"json", Encoding::json, "JSON text"},
                                  {"raw", Encoding::raw, "the bare values, little-endian, without gaps"}}),
               "encoding of the values in a message"),
      list("labels", in<S>(&SignalSettings::labels), label_fields(),
           "labels that select peers with this topic"),
      optional("variable", in<S>(&SignalSettings::variable), texts(),
               "model.variable, or one element: its value is the message"),
      list("variables", in<S>(&SignalSettings::variables), texts(),
           "instead of variable: variables of one message, in this order"),
  };
  for (config::Field<S>& row : more) rows.push_back(std::move(row));
  return rows;
}

const Fields<PublishSettings>& publish_fields() {
  using P = PublishSettings;
  static const Fields<P> fields{
      "A published signal, taken at the end of the last frame of each step.",
      with_signal<P>(
          {optional("history", &P::history, "send the last message to subscribers that join later")})};
  return fields;
}

const Fields<SubscribeSettings>& subscribe_fields() {
  using S = SubscribeSettings;
  static const Fields<S> fields{
      "A subscribed signal, written to inputs at the start of a frame. Messages that do not fit are counted, "
      "reported once, and never written.",
      with_signal<S>({
          optional("peer", &S::peer, or_word("unsaid", length(1, 200)),
                   "participant that sends it, for faults of that peer; SIL Kit does not say who sent a "
                   "message"),
          optional("on_late", &S::on_late, or_word("link", late_words(), "as for the link"),
                   "value of the inputs while virtual time is late"),
          optional("default", &S::default_values,
                   "the value of `variable` with its unit, or a map with one for each of `variables`"),
          required("max_age", &S::max_age, or_word("never", range(1ns, kEver), "accept any age"),
                   "virtual time after which a message is too old"),
          optional("at_max_age", &S::at_max_age,
                   choices<AtMaxAge>({{"hold", AtMaxAge::hold, "keep the last value, and count it"},
                                      {"default", AtMaxAge::default_value, "the subscription's default"},
                                      {"freeze", AtMaxAge::freeze, "freeze the rig"},
                                      {"terminate", AtMaxAge::terminate, "end the rig"},
                                      {"degrade", AtMaxAge::degrade, "continue without the peers"}}),
                   "what to do then"),
      })};
  return fields;
}

const Fields<ForwardSettings>& forward_fields() {
  using F = ForwardSettings;
  static const Fields<F> fields{
      "Rules for each direction; without a rule all frames are forwarded. A rule is an identifier (0x100; 29 "
      "bits above 0x7FF, "
      "or "
      "as 0x123x), a range (0x100-0x1FF), the name of a message of the model's database or a pattern of "
      "names, "
      "'all', or 'not ' before one of these, which blocks it. A list of 'not' rules alone forwards all other "
      "frames; an empty list forwards none.",
      {
          list("to_virtual", &F::to_virtual, texts(), "frames of the model's bus that go to the virtual one"),
          list("to_real", &F::to_real, texts(), "frames of the virtual bus that go to the model's"),
      }};
  return fields;
}

const Fields<CanSettings>& can_fields() {
  using C = CanSettings;
  static const Fields<C> fields{
      "A virtual CAN bus beside the bus of a model.",
      {
          located(&C::origin),
          required("bus", &C::bus, length(1, 200), "the model of driver can whose bus it is"),
          optional("network", &C::network, texts(), "the virtual bus; by default the entry's name"),
          optional("controller", &C::controller, texts(),
                   "the rig's controller on it; by default the entry's name"),
          optional("forward", &C::forward, forward_fields(),
                   "which frames are forwarded between the two buses"),
      }};
  return fields;
}

const Fields<CommandSettings>& command_fields() {
  using C = CommandSettings;
  static const Fields<C> fields{
      "A function that peers call by RPC (media type application/json) to give the rig a command.",
      {
          located(&C::origin),
          required("command", &C::command, executive::command_choices(&executive::CommandRow::by_peers),
                   "what a call does"),
          optional("function", &C::function, texts(), "by default the entry's name"),
          list("labels", &C::labels, label_fields(), "labels that select peers with this function"),
      }};
  return fields;
}

}  // namespace

const Fields<LinkSettings>& link_fields() {
  using L = LinkSettings;
  static const Fields<L> fields{
      "The rig as a participant of a SIL Kit simulation.",
      {
          optional("library", &L::library, length(1, 4096),
                   "builtin, or the path of a libSilKit.so to use instead"),
          optional("registry", &L::registry,
                   config::pattern("silkit://[^ \t]+", "silkit://HOST:PORT or silkit://HOST:PORT/NAME"),
                   "address of the registry"),
          optional("configuration", &L::configuration, or_word("none", length(1, 4096)),
                   "a participant configuration: a file in YAML or JSON"),
          optional("participant", &L::participant, or_word("rig", length(1, 200), "the rig's name"),
                   "its name as a participant"),
          optional("operation", &L::operation,
                   choices<Operation>(
                       {{"coordinated", Operation::coordinated, "start and stop together with the peers"},
                        {"autonomous", Operation::autonomous, "start and stop independently"}}),
                   "whether to wait for the system controller"),
          optional(
              "mode", &L::mode,
              choices<LinkMode>(
                  {{"paced", LinkMode::paced, "run in real time, and pace the peers"},
                   {"follow", LinkMode::follow, "no real time: run a frame when virtual time is granted"},
                   {"free", LinkMode::free, "lifecycle and signals without virtual time"}}),
              "how frames and virtual time depend on each other"),
          optional("step", &L::step,
                   or_word("frame", range(Period{1, 1}, Period{kEver}), "one step per frame"),
                   "time of one simulation step: a whole number of frames"),
          optional(
              "delivery", &L::delivery,
              or_word("auto",
                      choices<Delivery>({{"timestamp", Delivery::timestamp,
                                          "a message of time t is for the frame of time t"},
                                         {"next_step", Delivery::next_step,
                                          "a message of time t is for the first step that begins after t"}}),
                      "next_step in mode follow, else timestamp"),
              "which messages a frame takes"),
          optional("start_timeout", &L::start_timeout, or_word("forever", range(1ms, kEver)),
                   "how long to wait for the peers before the first frame"),
          optional("on_peer_pause", &L::on_peer_pause,
                   choices<OnPeerPause>(
                       {{"freeze", OnPeerPause::freeze, "freeze the rig until they resume"},
                        {"keep_running", OnPeerPause::keep_running, "continue; nothing counts as late"}}),
                   "what to do while a peer is paused"),
          optional("on_late", &L::on_late, late_words(), "value of inputs while virtual time is late"),
          optional("max_late", &L::max_late, or_word("off", range(1ns, kEver)),
                   "act on a grant that is late by this much"),
          optional("max_consecutive_late", &L::max_consecutive_late,
                   or_word("off", count("steps", 1, kManySteps)), "act on this many late grants in a row"),
          optional("at_maximum", &L::at_maximum,
                   choices<Action>({{"freeze", Action::freeze, "freeze the rig"},
                                    {"terminate", Action::terminate, "end the rig"},
                                    {"degrade", Action::degrade, "continue without the peers"}}),
                   "what to do when one of the two maxima is reached"),
          optional("queue", &L::queue, count("messages", 16, 65'536),
                   "room for messages that come in, and for steps that go out"),
          optional("record", &L::record, "record the link's input, with its frames, for a replay"),
          named("publish", &L::publish, publish_fields(), "signal", "messages that go out"),
          named("subscribe", &L::subscribe, subscribe_fields(), "signal", "messages that come in"),
          named("can", &L::can, can_fields(), "network", "virtual CAN buses beside those of models"),
          named("commands", &L::commands, command_fields(), "function",
                "functions with which peers command the rig"),
      }};
  return fields;
}

Delivery delivery_of(const LinkSettings& settings) {
  return settings.delivery.value_or(settings.mode == LinkMode::follow ? Delivery::next_step
                                                                      : Delivery::timestamp);
}

std::int64_t frames_per_step(const LinkSettings& settings, const rtsync::Period& frame) {
  if (settings.mode == LinkMode::free || !settings.step) return 1;
  using rtsync::Wide;
  const Wide step = static_cast<Wide>(settings.step->num()) * frame.den();
  const Wide one = static_cast<Wide>(settings.step->den()) * frame.num();
  if (step <= 0 || one <= 0 || step % one != 0 || step / one > INT64_MAX) return 0;
  return static_cast<std::int64_t>(step / one);
}

const char* media_type_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::serdes:
      return "application/vnd.vector.silkit.data; protocolVersion=1";
    case Encoding::json:
      return "application/json";
    case Encoding::raw:
      return "application/octet-stream";
  }
  return "";
}

}  // namespace tactus::drivers::link
