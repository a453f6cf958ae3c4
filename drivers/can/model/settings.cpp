// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/settings.hpp"

#include <errno.h>

#include <string_view>

namespace tactus::drivers::can {
namespace {

using namespace std::chrono_literals;

constexpr double kLongestName = 200;

void checksum_keys(Keys& k, ChecksumSettings& to) {
  k.word<Protection>("profile", to.profile,
                     {{"none", Protection::none, "no checksum"},
                      {"e2e_1", Protection::p1, "AUTOSAR E2E profile 1"},
                      {"e2e_2", Protection::p2, "profile 2"},
                      {"e2e_4", Protection::p4, "profile 4"},
                      {"e2e_5", Protection::p5, "profile 5"},
                      {"e2e_6", Protection::p6, "profile 6"},
                      {"e2e_7", Protection::p7, "profile 7"},
                      {"e2e_11", Protection::p11, "profile 11"},
                      {"e2e_22", Protection::p22, "profile 22"},
                      {"crc", Protection::crc, "a CRC, given by `polynomial` and the keys below it"},
                      {"function", Protection::function, "a C function of a library"}},
                     "what protects the message");
  k.text("signal", to.signal, {0, kLongestName},
         "signal of the checksum, in whole bytes; not needed for E2E, whose profile says where it is");
  k.text("data_id", to.data_id, {0, 20}, "E2E only: the data id, 0x123 or 291; 0 without it");
  k.texts("data_ids", to.data_ids, {1, 20},
          "profiles 2 and 22 only: the id of each counter value, 16 of them");
  k.word<DataIdMode>("mode", to.mode,
                     {{"both", DataIdMode::both, "low and high byte"},
                      {"alternating", DataIdMode::alternating, "low for even counters, high for odd ones"},
                      {"low", DataIdMode::low, "low byte"},
                      {"nibble", DataIdMode::nibble, "low byte, and a nibble in the data"}},
                     "profiles 1 and 11 only: bytes of the data id in the checksum");
  k.whole("offset", to.offset, {0, 63}, "E2E only: byte where the protection begins");
  k.whole("most_lost", to.most_lost, {1, 4294967295.0},
          "E2E only: largest step of the counter that is accepted; 1 accepts no lost message");
  k.yes_no("most_lost_grows", to.grows,
           "E2E only, received: most_lost is one more for each cycle in which no good message came");
  k.text("library", to.library, {0, 4096}, "function only: the shared library").file();
  k.text("function", to.function, {0, kLongestName}, "function only: its C function (can.md)");
  k.whole("width", to.width, {8, 64}, "crc only: width in bits");
  k.text("polynomial", to.polynomial, {0, 20}, "crc only: polynomial, as 0x1D");
  k.text("first", to.first, {0, 20}, "crc only: initial value; 0 without it");
  k.text("last", to.last, {0, 20},
         "crc only: value that is combined with the result by exclusive or; 0 without it");
  k.yes_no("reflected", to.is_reflected, "crc only: lowest bit first");
  k.texts("constants", to.constants, {1, 20},
          "crc only: a byte for each counter value, added after the data");
}

void protecting_keys(Keys& k, Protecting& to) {
  k.text("counter", to.counter, {0, kLongestName}, "signal that counts messages; not needed for E2E");
  k.whole("counter_most", to.counter_most, {0, 9e15},
          "last value of the counter; 0: the largest that its bits hold");
  k.section("checksum", to.checksum, "checksum of the message", checksum_keys)
      .about("The protection of a message (can.md).");
}

void values_keys(Keys& k, const char* name, std::vector<SignalText>& to, const char* meaning) {
  k.named(name, to, "signal", meaning,
          [](Keys& inner, SignalText& value) {
            inner.text("value", value.value, {1, kLongestName},
                       "number, with the signal's unit or without; or a name");
          })
      .short_value("value")
      .about(
          "The value of a signal: 80, '80 km/h', or the name of a value. 'Speed: 80' is short for "
          "'Speed: { value: 80 }'.");
}

constexpr const char* kMessage =
    "name in the database, by default the entry's name; J1939: also with a source, 'EEC1@0x21' or 'EEC1@*' "
    "(receive), or by the parameter group, 'PGN61444@0x21'";

void receive_keys(Keys& k, ReceiveSettings& to) {
  k.text("message", to.message, {0, kLongestName}, kMessage);
  k.word<OnTimeout>(
      "on_timeout", to.on_timeout,
      {{"hold", OnTimeout::hold, "keep the last values"},
       {"substitute", OnTimeout::substitute, "take the values of `substitute`, else the start values"},
       {"nan", OnTimeout::nan,
        "not a number, which ends a rig without `guard: { nan: no }`; whole numbers and bools keep the last "
        "value"}},
      "values of the signals when the message does not come");
  k.text("after", to.after, {1, 40},
         "cycles without the message after which it counts as missing: '3 cycles', or 3");
  k.time("cycle", to.cycle, {0ns, 1h},
         "cycle of the message; 0 ns: that of the database; a message without a cycle is never missing");
  values_keys(k, "substitute", to.substitute, "values for on_timeout: substitute");
  protecting_keys(k, to.protecting);
}

void send_keys(Keys& k, SendSettings& to) {
  k.text("message", to.message, {0, kLongestName}, kMessage);
  k.word<Sending>(
      "type", to.type,
      {{"database", Sending::database,
        "as GenMsgSendType and GenSigSendType say; else cyclic if it has a cycle"},
       {"cyclic", Sending::cyclic, "once a cycle"},
       {"on_change", Sending::on_change, "when a signal has another value"},
       {"on_write", Sending::on_write, "when its input `send` has another value"},
       {"if_active", Sending::if_active, "once a cycle while a signal is active"},
       {"cyclic_and_on_change", Sending::cyclic_and_on_change, "both"},
       {"cyclic_and_if_active", Sending::cyclic_and_if_active, "once a cycle, faster while active"},
       {"never", Sending::never, "by its input `send` alone"}},
      "when it is sent");
  k.time("cycle", to.cycle, {0ns, 1h}, "cycle of the message; 0 ns: that of the database");
  k.time("cycle_fast", to.cycle_fast, {0ns, 1h},
         "cycle while a signal is active, and of repetitions; 0 ns: that of the database");
  k.time("start_delay", to.start_delay, {-1ns, 1h},
         "simulated time of the first message; -1 ns: that of the database");
  k.time("least_distance", to.least_distance, {-1ns, 1h},
         "least time between two messages that events cause; -1 ns: that of the database");
  k.whole("repetitions", to.repetitions, {-1, 1000},
          "number of times that an event is sent again; -1: as the database says");
  k.time("at", to.at, {-1ns, 1h}, "time after the beginning of the frame; -1 ns: `at` of the model");
  k.time("late_after", to.late_after, {-1ns, 1h},
         "delay on the way to the bus from which a message counts as late, with a cause; -1 ns: half of its "
         "cycle; 0 ns: count none");
  values_keys(k, "start", to.start, "start values of signals, instead of those of the database");
  values_keys(k, "safe", to.safe, "values that are sent when the rig ends, however it ends");
  k.whole("safe_times", to.safe_times, {1, 100}, "number of times that the safe values are sent");
  protecting_keys(k, to.protecting);
}

void bus_off_keys(Keys& k, BusOffSettings& to) {
  k.time("restart_after", to.restart_after, {0ns, 1h},
         "simulated time in bus-off after which the driver restarts the controller; 0 ns: never");
  k.whole("at_most", to.at_most, {0, 1000000}, "largest number of restarts in a row; 0: no limit");
  k.time("steady", to.steady, {1ms, 1h},
         "time in state error active after which restarts are counted from 0 again");
  k.word<AfterRestarts>(
      "then", to.then,
      {{"wait", AfterRestarts::wait, "continue; the interface restarts as its restart-ms says"},
       {"terminate", AfterRestarts::terminate, "end the rig"},
       {"safe_state", AfterRestarts::safe_state, "drive all outputs of the rig safe, and pause it"}},
      "what to do when the driver does not restart the controller, or not again");
}

void station_keys(Keys& k, StationSettings& to) {
  k.text("request", to.request, {1, 20}, "id of its requests, '0x7E0'").required();
  k.text("response", to.response, {1, 20}, "id of its answers, '0x7E8'").required();
  k.whole("padding", to.padding, {-1, 255},
          "byte that fills frames up to eight bytes; -1: send frames as short as possible");
  k.time("timeout", to.timeout, {1ms, 1h}, "simulated time after which an answer counts as missing");
  k.named("requests", to.requests, "request", "requests by name",
          [](Keys& inner, StationSettings::Request& value) {
            inner.text("bytes", value.bytes, {1, 12285}, "hexadecimal, '19 02 FF'").required();
          })
      .short_value("bytes")
      .about("The bytes of a request. 'faults: 19 02 FF' is short for 'faults: { bytes: 19 02 FF }'.");
}

}  // namespace

void Settings::keys(Keys& k) {
  k.text(
       "interface", interface, {1, 120},
       "interface of SocketCAN, can0; simulated, simulated:NAME; or unix:PATH, the socket of another program")
      .required();
  k.text("database", database, {1, 4096}, "a DBC file").required().file();
  k.section("start", *this, "what to do when the interface is absent or down at the start",
            [](Keys& inner, Settings& to) {
              inner.time("wait", to.start_wait, {0ns, 1h}, "how long to wait for it; 0 ns: refuse at once");
            })
      .about("The start of a rig whose interface is not ready.");
  k.whole("bit_rate", bit_rate, {0, 20e6},
          "bit rate in bit/s, to compute the load; 0: that of the database, else 500000");
  k.whole("data_bit_rate", data_bit_rate, {0, 20e6},
          "bit rate of the data phase of CAN FD in bit/s; 0: that of the database");
  k.texts("rest_of", rest_of, {1, kLongestName},
          "nodes under test: send in place of all other nodes, and receive what these nodes send");
  k.named("receive", receive, "message", "messages to receive", receive_keys)
      .about("A message that is received.");
  k.texts("receive_matching", receive_matching, {1, kLongestName}, "names with * and ?: receive these, too");
  k.named("send", send, "message", "messages to send", send_keys).about("A message that is sent.");
  k.texts("send_matching", send_matching, {1, kLongestName}, "names with * and ?: send these, too");
  k.named("stations", stations, "station", "stations that are asked by ISO-TP, for diagnostics", station_keys)
      .about("A station that is asked by ISO-TP.");
  k.section("raw", raw, "a file with the frames of the bus", [](Keys& inner, RawSettings& to) {
     inner.text("file", to.file, {0, 4096},
                "name of the file, relative to the run folder; empty: write none");
     inner.word<RawFormat>("format", to.format,
                           {{"candump", RawFormat::candump, "as candump -L"},
                            {"asc", RawFormat::asc, "as ASC, times from the start"}},
                           "how it is written");
   }).about("A file of all frames that the rig sees, also those that it sends.");
  k.section("replay", replay, "a file whose frames are sent again", [](Keys& inner, ReplaySettings& to) {
     inner.text("file", to.file, {0, 4096}, "a log of candump -L or ASC; empty: there is none").file();
     inner.text("channel", to.channel, {0, 100}, "send frames of this channel only; empty: of all channels");
     inner.texts("messages", to.messages, {1, kLongestName},
                 "names, patterns with * and ?, or identifiers (0x123); by default all that the rig neither "
                 "sends nor "
                 "receives");
     inner.time("at", to.at, {0ns, 24h}, "simulated time of the log's first frame");
     inner.yes_no("loop", to.loop, "begin again after its last frame");
   }).about("Frames of a log, sent again with the distances in time that they have there.");
  k.word<Delivery>(
      "delivery", delivery,
      {{"next_step", Delivery::next_step, "all messages that came before the step began"},
       {"timestamp", Delivery::timestamp, "all messages whose time stamp is before the slot of the frame"}},
      "which frame takes a message");
  k.time("at", at, {0ns, 1h},
         "time after the beginning of a frame at which its messages are sent; 0 ns: half a frame");
  k.word<SendBy>(
      "send_by", send_by,
      {{"automatic", SendBy::automatic, "the kernel where it can, else a thread"},
       {"thread", SendBy::thread, "a thread of the rig, by its own clock"},
       {"kernel", SendBy::kernel,
        "the kernel (SO_TXTIME), which the root qdisc fq makes possible; refused where it cannot"}},
      "what sends a message at its time");
  k.time("spacing", spacing, {1us, 1s}, "grid over which the phases of cyclic messages are spread");
  k.whole("queue", queue, {1, 1024}, "largest number of messages of the rig that wait for the bus");
  k.word<OnFull>(
      "on_full", on_full,
      {{"retry", OnFull::retry, "keep the message, and try again each millisecond, at least once a frame"},
       {"drop", OnFull::drop, "lose the message"},
       {"terminate", OnFull::terminate, "end the rig"}},
      "what to do when the controller's queue takes no message");
  k.section("on_bus_off", on_bus_off, "what to do when the controller has left the bus", bus_off_keys)
      .short_value("then")
      .about(
          "The policy of a controller that has left the bus. 'on_bus_off: terminate' is short for "
          "'on_bus_off: { then: terminate }'.");
}

void check_bus_off(const Settings& settings, const Problems& problems) {
  const BusOffSettings& policy = settings.on_bus_off;
  if (!policy.restarts()) {
    if (policy.at_most > 0)
      problems.add(
          "on_bus_off.at_most",
          "nothing is restarted without `restart_after`; write restart_after: 100 ms, or leave it out");
    return;
  }
  if (settings.is_unix())
    problems.add("on_bus_off.restart_after",
                 "the bus is that of another program, which alone can restart it; leave it out");
  if (policy.at_most == 0 && policy.then != AfterRestarts::wait)
    problems.add("on_bus_off.then",
                 "never comes, as restarts have no limit; write at_most: 5, or leave `then` out");
}

void check_send_by(const Settings& settings, const Problems& problems) {
  if (settings.send_by == SendBy::kernel && (settings.is_simulated() || settings.is_unix()))
    problems.add("send_by", "is 'kernel', and only an interface of SocketCAN has a qdisc; write 'automatic'");
}

void check_process(const Settings& settings, const Problems& problems) {
  constexpr std::string_view kIsolated = "tactus-model";  // program of such a process
  if (settings.is_simulated() && kIsolated == program_invocation_short_name)
    problems.add(
        "interface",
        "is a simulated bus, which only models of the rig's own process share; remove 'isolated', or "
        "name an interface of SocketCAN or unix:PATH");
}

}  // namespace tactus::drivers::can
