// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/settings.hpp"

#include <chrono>
#include <utility>

namespace tactus::drivers::link {
namespace {

using namespace std::chrono_literals;
using config::choices;
using config::count;
using config::Fields;
using config::length;
using config::list;
using config::located;
using config::named;
using config::optional;
using config::or_word;
using config::range;
using config::required;
using rtsync::Period;

constexpr Nanoseconds kEver = Nanoseconds::max();
constexpr std::int64_t kManySteps = 1'000'000'000'000;

config::TextRule texts() { return length(1, 1000); }

config::Choices<OnLate> late_words() {
  return choices<OnLate>({{"hold", OnLate::hold, "keep the last value"},
                          {"default", OnLate::default_value, "the subscription's default"},
                          {"extrapolate", OnLate::extrapolate,
                           "on along the straight line through the last two messages; floating-point only"}});
}

const Fields<LabelSettings>& label_fields() {
  using L = LabelSettings;
  static const Fields<L> fields{
      "A label: publisher and subscriber of a topic meet when their labels do not contradict each other.",
      {
          required("key", &L::key, texts(), "its key"),
          required("value", &L::value, length(0, 1000), "its value"),
          optional(
              "kind", &L::kind,
              choices<LabelKind>({{"mandatory", LabelKind::mandatory, "the other side has to have it too"},
                                  {"optional", LabelKind::optional,
                                   "the other side has it with this value, or not at all"}}),
              "what it asks of the other side"),
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
               "both sides have to name the same one; by default what the encoding says"),
      optional("encoding", in<S>(&SignalSettings::encoding),
               choices<Encoding>({{"serdes", Encoding::serdes, "SIL Kit's own data serialization"},
                                  {"json", Encoding::json, "JSON text"},
                                  {"raw", Encoding::raw, "the bare values, little-endian, without gaps"}}),
               "how the values stand in a message"),
      list("labels", in<S>(&SignalSettings::labels), label_fields(),
           "who is meant among those who have the topic"),
      optional("variable", in<S>(&SignalSettings::variable), texts(),
               "model.variable, or one element: a message is its value"),
      list("variables", in<S>(&SignalSettings::variables), texts(),
           "instead of variable: a group in one message, in this order"),
  };
  for (config::Field<S>& row : more) rows.push_back(std::move(row));
  return rows;
}

const Fields<PublishSettings>& publish_fields() {
  using P = PublishSettings;
  static const Fields<P> fields{
      "What goes out: taken at the end of the last frame of each step.",
      with_signal<P>({optional("history", &P::history, "yes: who comes late is given the last message")})};
  return fields;
}

const Fields<SubscribeSettings>& subscribe_fields() {
  using S = SubscribeSettings;
  static const Fields<S> fields{
      "What comes in: written to inputs at the start of a frame. Whatever does not fit is counted, reported "
      "once, and never written.",
      with_signal<S>({
          optional("on_late", &S::on_late, or_word("link", late_words(), "as the link has it"),
                   "what the inputs are while virtual time is late"),
          optional("default", &S::default_values,
                   "the value of `variable` with its unit, or a map with one for each of `variables`"),
          required("max_age", &S::max_age, or_word("never", range(1ns, kEver), "whatever is there will do"),
                   "virtual time after which a message is too old"),
          optional("at_max_age", &S::at_max_age,
                   choices<AtMaxAge>({{"hold", AtMaxAge::hold, "keep the last value; it is counted"},
                                      {"default", AtMaxAge::default_value, "the subscription's default"},
                                      {"freeze", AtMaxAge::freeze, "freeze the rig"},
                                      {"terminate", AtMaxAge::terminate, "end the rig"},
                                      {"degrade", AtMaxAge::degrade, "go on without the others"}}),
                   "what happens then"),
      })};
  return fields;
}

const Fields<CommandSettings>& command_fields() {
  using C = CommandSettings;
  using P = PeerCommand;
  static const Fields<C> fields{
      "A function that peers call by RPC (media type application/json) to give the rig a command.",
      {
          located(&C::origin),
          required("command", &C::command,
                   choices<P>({{"pause", P::pause, "pause at the end of the frame"},
                               {"resume", P::resume, "go on"},
                               {"step", P::step, "run so many frames, then pause"},
                               {"run_until", P::run_until, "run until a simulated time, then pause"},
                               {"reset", P::reset, "back to the initial state; a linked rig refuses it"},
                               {"stop", P::stop, "end the run in order"},
                               {"checkpoint", P::checkpoint, "write a checkpoint"},
                               {"load", P::load, "restore a checkpoint; a linked rig refuses it"},
                               {"realtime", P::realtime, "real time on or off"},
                               {"record", P::record, "a recording on or off"},
                               {"set", P::set, "write variables once"},
                               {"force", P::force, "write variables, and again in every frame"},
                               {"release", P::release, "end forces"}}),
                   "what a call does"),
          optional("function", &C::function, texts(), "by default the entry's name"),
          list("labels", &C::labels, label_fields(), "who is meant among those who have the function"),
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
                   "builtin, or the path of a libSilKit.so that is used instead"),
          optional("registry", &L::registry,
                   config::pattern("silkit://[^ \t]+", "silkit://HOST:PORT or silkit://HOST:PORT/NAME"),
                   "where the participants meet"),
          optional("configuration", &L::configuration, or_word("none", length(1, 4096)),
                   "a participant configuration: a file in YAML or JSON"),
          optional("participant", &L::participant, or_word("rig", length(1, 200), "the rig's name"),
                   "its name among the others"),
          optional("operation", &L::operation,
                   choices<Operation>(
                       {{"coordinated", Operation::coordinated, "starts and stops together with the others"},
                        {"autonomous", Operation::autonomous, "starts and stops when it likes"}}),
                   "whether it waits for the system controller"),
          optional(
              "mode", &L::mode,
              choices<LinkMode>(
                  {{"paced", LinkMode::paced, "the rig is in real time and paces the others"},
                   {"follow", LinkMode::follow, "no real time: a frame runs when virtual time is granted"},
                   {"free", LinkMode::free, "lifecycle and signals without virtual time"}}),
              "how frames and virtual time depend on each other"),
          optional("step", &L::step,
                   or_word("frame", range(Period{1, 1}, Period{kEver}), "a step each frame"),
                   "time from one grant to the next: a whole number of frames"),
          optional("delivery", &L::delivery,
                   or_word("auto",
                           choices<Delivery>(
                               {{"timestamp", Delivery::timestamp,
                                 "a message of time t is for the frame of time t"},
                                {"next_step", Delivery::next_step,
                                 "a message of time t is for the first step that begins after t, however "
                                 "fast it came"}}),
                           "next_step in mode follow, else timestamp"),
                   "which messages of its own virtual time a frame takes"),
          optional("start_timeout", &L::start_timeout, or_word("forever", range(1ms, kEver)),
                   "how long the rig waits for the others before its first frame"),
          optional("on_peer_pause", &L::on_peer_pause,
                   choices<OnPeerPause>(
                       {{"freeze", OnPeerPause::freeze, "the rig freezes too, until they go on"},
                        {"keep_running", OnPeerPause::keep_running, "it goes on; nothing counts as late"}}),
                   "what the rig does when another one is paused"),
          optional("on_late", &L::on_late, late_words(), "what inputs are while virtual time is late"),
          optional("max_late", &L::max_late, or_word("off", range(1ns, kEver)),
                   "a grant so late is too late"),
          optional("max_consecutive_late", &L::max_consecutive_late,
                   or_word("off", count("steps", 1, kManySteps)),
                   "so many late grants in a row are too many"),
          optional("at_maximum", &L::at_maximum,
                   choices<AtMaximum>({{"freeze", AtMaximum::freeze, "freeze the rig"},
                                       {"terminate", AtMaximum::terminate, "end the rig"},
                                       {"degrade", AtMaximum::degrade, "go on without the others"}}),
                   "what happens when one of the two maxima is reached"),
          optional("queue", &L::queue, count("messages", 16, 65'536),
                   "room for messages that come in, and for steps that go out"),
          optional("record", &L::record, "write what came in, with its frames, for a replay"),
          named("publish", &L::publish, publish_fields(), "signal", "messages that go out"),
          named("subscribe", &L::subscribe, subscribe_fields(), "signal", "messages that come in"),
          named("commands", &L::commands, command_fields(), "function",
                "functions by which peers command the rig"),
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
