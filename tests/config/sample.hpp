// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Settings structs that use every kind of field, for the tests of the tables.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.hpp"

namespace tactus::config::sample {

using namespace std::chrono_literals;

enum class OnOverrun { skip, catch_up, stop };

struct Sleeper {
  Nanoseconds margin{50'000};
  double share = 0.8;

  bool operator==(const Sleeper&) const = default;
};

struct Thread {
  std::string name;
  int priority = 50;
  std::vector<int> cpus;
  std::optional<Sleeper> sleeper;
  Origin where;

  bool operator==(const Thread&) const = default;
};

struct Connection {
  Located<std::string> from;
  Located<std::string> to;
  bool delayed = false;

  bool operator==(const Connection&) const = default;
};

struct Model {
  Located<std::string> name;
  std::string type;
  Node parameters;
  Node settings;
  Origin where;

  bool operator==(const Model& other) const {
    return name == other.name && type == other.type && parameters == other.parameters &&
           settings == other.settings;
  }
};

struct Rig {
  Period period{1'000'000, 1};
  bool realtime = false;
  OnOverrun on_overrun = OnOverrun::skip;
  std::optional<Nanoseconds> margin;
  std::optional<std::int64_t> max_catch_up;
  Nanoseconds max_overrun = Nanoseconds::max();
  Nanoseconds watchdog{0};
  std::int64_t log_size = 65536;
  std::uint8_t level = 3;
  double speed = 1;
  double load = 0.5;
  double gain = 2.5;
  double supply = 24;
  std::optional<double> limit;
  std::string title;
  std::string label = "a1";
  std::vector<std::string> variables;
  Node notes;
  Located<std::optional<int>> seed;
  Sleeper sleeper;
  std::vector<Thread> threads;
  std::vector<Model> models;
  std::vector<Connection> connect;

  bool operator==(const Rig&) const = default;
};

inline const Fields<Sleeper>& sleeper_fields() {
  static const Fields<Sleeper> fields{
      "How a thread waits for its slot.",
      {
          optional("margin", &Sleeper::margin, range(0us, 1ms), "spun instead of slept"),
          optional("share", &Sleeper::share, percent(0, 1), "of the slot that may be used"),
      }};
  return fields;
}

inline const Fields<Thread>& thread_fields() {
  static const Fields<Thread> fields{
      "One real-time thread.",
      {
          required("priority", &Thread::priority, range(1, 99), "SCHED_FIFO priority"),
          optional("cpus", &Thread::cpus, "where it may run"),
          optional("sleeper", &Thread::sleeper, sleeper_fields(), "its own way of waiting"),
          located(&Thread::where),
      }};
  return fields;
}

inline const Fields<Connection>& connect_fields() {
  static const Fields<Connection> fields{"",
                                         {
                                             required("from", &Connection::from, "an output"),
                                             required("to", &Connection::to, length(1, 40), "an input"),
                                             optional("delayed", &Connection::delayed, "by one frame"),
                                         }};
  return fields;
}

inline const Fields<Model>& model_fields() {
  static const Fields<Model> fields{
      "One model.",
      {
          required("type", &Model::type, name(), "its class"),
          optional("parameters", &Model::parameters, "as the model declares them"),
          rest(&Model::settings, "what the driver knows"),
          located(&Model::where),
      }};
  return fields;
}

inline const Fields<Rig>& rig_fields() {
  static const Fields<Rig> fields{
      "Everything one file describes.",
      {
          required("period", &Rig::period, range(Period{10'000, 1}, Period{10'000'000'000, 1}), "of a frame"),
          optional("realtime", &Rig::realtime, "pace the frames with the clock"),
          optional("on_overrun", &Rig::on_overrun,
                   choices<OnOverrun>({{"skip", OnOverrun::skip, "drop the missed slots"},
                                       {"catch_up", OnOverrun::catch_up, "run missed frames back to back"},
                                       {"stop", OnOverrun::stop, "stop the rig"}}),
                   "what happens when a frame is late"),
          optional("margin", &Rig::margin, or_word("measured", range(0us, 1ms), "found at the start"),
                   "wake early by"),
          optional("max_catch_up", &Rig::max_catch_up, count("frames", 1, 1'000'000), "then give up"),
          optional("max_overrun", &Rig::max_overrun, "longest overrun"),
          optional("watchdog", &Rig::watchdog, or_value("off", Nanoseconds{0}, range(1ms, 10s)),
                   "hardware watchdog"),
          optional("log_size", &Rig::log_size, bytes(1024, 1 << 20), "ring for notes"),
          optional("level", &Rig::level, "how much is said"),
          optional("speed", &Rig::speed, ratio(0, 100), "of simulated to rig time"),
          optional("load", &Rig::load, percent(), "allowed"),
          optional("gain", &Rig::gain, range(-10, 10), "of the loop"),
          optional("supply", &Rig::supply, quantity("V", 0, 60), "supply voltage"),
          optional("limit", &Rig::limit, quantity("rad/s"), "speed limit"),
          optional("title", &Rig::title, "for people"),
          optional("label", &Rig::label, pattern("[a-z][0-9]+", "a letter and digits"), "for machines"),
          optional("variables", &Rig::variables, "recorded"),
          optional("notes", &Rig::notes, "whatever one likes"),
          optional("seed", &Rig::seed, range(0, 1000), "of the noise"),
          optional("sleeper", &Rig::sleeper, sleeper_fields(), "how threads wait"),
          named("threads", &Rig::threads, thread_fields(), "thread", "the real-time threads"),
          named("models", &Rig::models, model_fields(), "model", "what is simulated").at_least(1),
          list("connect", &Rig::connect, connect_fields(), "outputs to inputs"),
      }};
  return fields;
}

}  // namespace tactus::config::sample
