// SPDX-License-Identifier: Apache-2.0
#include "tests/support/perfetto_trace.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tests/support/temp_dir.hpp"

namespace tactus::test {
namespace {

void require(bool good, const std::string& what) {
  if (!good) throw std::runtime_error("trace: " + what);
}

/// One field of a protobuf message.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

/// The fields of a message; throws where one is cut.
class Message {
 public:
  explicit Message(std::string_view bytes) {
    std::size_t at = 0;
    const auto varint = [&] {
      std::uint64_t value = 0;
      for (unsigned shift = 0; shift < 64; shift += 7) {
        require(at < bytes.size(), "a cut varint");
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        value |= std::uint64_t{byte & 127U} << shift;
        if (byte < 128) return value;
      }
      throw std::runtime_error("trace: a varint of more than 10 bytes");
    };
    while (at < bytes.size()) {
      const std::uint64_t key = varint();
      Field field{key >> 3, 0, {}};
      if ((key & 7) == 0) {
        field.value = varint();
      } else if ((key & 7) == 2) {
        const std::uint64_t length = varint();
        require(length <= bytes.size() - at, "a cut field");
        field.bytes = bytes.substr(at, length);
        at += length;
      } else {
        require((key & 7) == 1, "a wire type that this trace does not use");
        require(bytes.size() - at >= 8, "a cut number");
        for (unsigned i = 0; i < 8; ++i)
          field.value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
        at += 8;
      }
      fields.push_back(field);
    }
  }
  const Field* find(std::uint64_t number) const {
    for (const Field& field : fields)
      if (field.number == number) return &field;
    return nullptr;
  }
  std::uint64_t number(std::uint64_t number, std::uint64_t otherwise = 0) const {
    const Field* const field = find(number);
    return field == nullptr ? otherwise : field->value;
  }
  std::string text(std::uint64_t number) const {
    const Field* const field = find(number);
    return field == nullptr ? "" : std::string(field->bytes);
  }
  std::vector<Field> fields;
};

struct Track {
  std::string name;
  bool counter = false;
  std::int64_t last_ns = INT64_MIN;
  std::vector<std::size_t> open;  // slices, by index
};

/// What an importer keeps for a sequence of packets.
struct Sequence {
  bool begun = false;
  bool clock = false;
  std::int64_t last_ns = INT64_MIN;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names;
};

class Reader {
 public:
  explicit Reader(PerfettoTrace& trace) : trace_(trace) {}

  void read(std::string_view bytes) {
    const Message whole(bytes);
    for (const Field& field : whole.fields) {
      require(field.number == 1, "something other than packets");
      packet(Message(field.bytes));
    }
    for (const auto& [id, track] : tracks_)
      for (const std::size_t slice : track.open) {
        trace_.slices[slice].ended = false;
        ++trace_.unended;
      }
    std::map<std::uint64_t, int> flows;
    for (const auto* const events : {&trace_.slices, &trace_.instants})
      for (const PerfettoTrace::Event& event : *events)
        for (const std::uint64_t flow : event.flows) ++flows[flow];
    for (const auto& [flow, times] : flows) {
      require(flow != 0, "an arrow without a number");
      require(times >= 2, "an arrow without an end");
    }
  }

 private:
  static void allow(const Message& message, std::initializer_list<std::uint64_t> numbers, const char* of) {
    for (const Field& field : message.fields)
      require(std::find(numbers.begin(), numbers.end(), field.number) != numbers.end(),
              "field " + std::to_string(field.number) + " of a " + of);
  }

  void packet(const Message& packet) {
    allow(packet, {6, 8, 10, 11, 12, 13, 59, 60, 117, 122}, "packet");
    require(packet.number(10) != 0, "a packet without a sequence");
    Sequence& sequence = sequences_[packet.number(10)];
    require(packet.number(13) == (sequence.begun ? 2U : 3U), "flags of a packet");
    sequence.begun = true;
    ++trace_.packets;
    if (const Field* const interned = packet.find(12)) {
      const Message tables(interned->bytes);
      allow(tables, {1, 2, 3}, "table of names");
      for (const Field& table : tables.fields) {
        const Message entry(table.bytes);
        require(entry.number(1) != 0, "an interned name without a number");
        require(sequence.names.try_emplace({table.number, entry.number(1)}, entry.text(2)).second,
                "a name that is interned twice");
      }
    }
    if (const Field* const clocks = packet.find(6)) clock_snapshot(Message(clocks->bytes));
    if (const Field* const defaults = packet.find(59)) {
      require(Message(defaults->bytes).number(58) == 3, "another clock than CLOCK_MONOTONIC");
      require(clocks_, "defaults before a clock snapshot");
      sequence.clock = true;
    }
    if (const Field* const track = packet.find(60)) describe(Message(track->bytes));
    if (const Field* const tree = packet.find(122)) take_tree(Message(tree->bytes));
    const Field* const event = packet.find(11);
    const Field* const task = packet.find(117);
    if (event == nullptr && task == nullptr) return;
    require(packet.find(8) != nullptr, "an event without a time");
    require(sequence.clock, "an event of a sequence without a clock");
    const auto ns = static_cast<std::int64_t>(packet.number(8));
    require(ns >= sequence.last_ns, "time goes back in a sequence");
    sequence.last_ns = ns;
    if (event != nullptr) take(Message(event->bytes), ns, sequence);
    if (task != nullptr) take_task(Message(task->bytes), ns);
  }

  void clock_snapshot(const Message& snapshot) {
    std::vector<std::uint64_t> ids;
    for (const Field& field : snapshot.fields)
      if (field.number == 1) ids.push_back(Message(field.bytes).number(1));
    std::sort(ids.begin(), ids.end());
    require(ids == std::vector<std::uint64_t>{1, 3, 6}, "the clocks of a snapshot");
    require(snapshot.number(2) == 6, "the primary clock");
    clocks_ = true;
  }

  void describe(const Message& descriptor) {
    allow(descriptor, {1, 2, 3, 4, 5, 8}, "track descriptor");
    require(descriptor.number(1) != 0, "a track without a number");
    Track track;
    if (const Field* const process = descriptor.find(3)) {
      const Message message(process->bytes);
      allow(message, {1, 6}, "process");
      require(message.number(1) != 0, "a process without a number");
      trace_.process = track.name = message.text(6);
    } else if (const Field* const thread = descriptor.find(4)) {
      const Message message(thread->bytes);
      allow(message, {1, 2, 5}, "thread");
      require(message.number(1) != 0 && message.number(2) != 0, "a thread without its numbers");
      trace_.threads.push_back(track.name = message.text(5));
    } else {
      require(tracks_.contains(descriptor.number(5)), "a track of no process");
      track.name = descriptor.text(2);
      require(!track.name.empty(), "a track without a name");
      if (const Field* const counter = descriptor.find(8)) {
        const Message message(counter->bytes);
        allow(message, {3, 6}, "counter");
        trace_.units[track.name] = message.number(3) == 1 ? "ns" : message.text(6);
        track.counter = true;
      }
    }
    require(tracks_.emplace(descriptor.number(1), track).second, "a track that is described twice");
  }

  void take_tree(const Message& tree) {
    allow(tree, {1, 2}, "process tree");
    std::vector<std::uint64_t> processes;
    for (const Field& field : tree.fields) {
      const Message entry(field.bytes);
      require(entry.number(1) != 0, "a thread or process without a number");
      if (field.number == 1) {
        allow(entry, {1, 3}, "process of a tree");
        processes.push_back(entry.number(1));
      } else {
        allow(entry, {1, 2, 3, 4}, "thread of a tree");
        require(std::find(processes.begin(), processes.end(), entry.number(2)) != processes.end(),
                "a thread of a process that is not there");
        trace_.kernel_threads[static_cast<int>(entry.number(1))] = entry.text(3);
      }
    }
  }

  /// A CPU is left before another thread comes on it, and no thread has two.
  void take_task(const Message& task, std::int64_t ns) {
    allow(task, {1, 3, 4, 5}, "task state");
    const int cpu = static_cast<int>(task.number(1));
    const int tid = static_cast<int>(task.number(3));
    require(tid > 0, "the idle thread is none");
    const std::uint64_t state = task.number(4);
    const auto there = on_cpu_.find(cpu);
    if (state == 3) {
      require(there == on_cpu_.end(), "two threads on a CPU");
      for (const auto& [other, run] : on_cpu_) require(trace_.runs[run].tid != tid, "a thread on two CPUs");
      on_cpu_[cpu] = trace_.runs.size();
      trace_.runs.push_back({cpu, tid, ns, INT64_MAX, false, static_cast<int>(task.number(5))});
      return;
    }
    require(state == 2 || state == 4, "a state of a task");
    require(there != on_cpu_.end() && trace_.runs[there->second].tid == tid,
            "a thread leaves a CPU that it does not have");
    trace_.runs[there->second].end_ns = ns;
    trace_.runs[there->second].ready = state == 2;
    on_cpu_.erase(there);
  }

  static std::string name(const Sequence& sequence, std::uint64_t table, std::uint64_t number) {
    const auto found = sequence.names.find({table, number});
    require(found != sequence.names.end(), "a name that was not interned before");
    return found->second;
  }

  void take(const Message& event, std::int64_t ns, const Sequence& sequence) {
    allow(event, {3, 4, 9, 10, 11, 30, 44, 47}, "track event");
    const auto found = tracks_.find(event.number(11));
    require(found != tracks_.end(), "an event of a track that was not described");
    Track& track = found->second;
    require(ns >= track.last_ns, "time goes back on track " + track.name);
    track.last_ns = ns;
    const std::uint64_t type = event.number(9);
    require(track.counter == (type == 4), "an event of the wrong kind of track");
    if (type == 2) {
      require(!track.open.empty(), "an end without a begin on track " + track.name);
      trace_.slices[track.open.back()].end_ns = ns;
      return track.open.pop_back();
    }
    PerfettoTrace::Event made{track.name, "", ns, ns, track.open.size(), {}, {}, 0};
    if (event.find(10) != nullptr) made.name = name(sequence, 2, event.number(10));
    if (event.find(3) != nullptr) made.category = name(sequence, 1, event.number(3));
    for (const Field& field : event.fields) {
      if (field.number == 47) made.flows.push_back(field.value);
      if (field.number != 4) continue;
      const Message argument(field.bytes);
      allow(argument, {1, 4, 6}, "argument");
      require(made.arguments
                  .emplace(name(sequence, 3, argument.number(1)),
                           argument.find(6) != nullptr
                               ? argument.text(6)
                               : std::to_string(static_cast<std::int64_t>(argument.number(4))))
                  .second,
              "an argument that is there twice");
    }
    made.value = static_cast<std::int64_t>(event.number(30));
    made.real = std::bit_cast<double>(event.number(44));
    require(type == 1 || type == 3 || type == 4, "a type of event");
    require(type == 4 || !made.name.empty(), "an event without a name");
    require((type == 4) == ((event.find(30) != nullptr) != (event.find(44) != nullptr)), "a counter's value");
    if (type == 1) track.open.push_back(trace_.slices.size());
    (type == 1 ? trace_.slices : type == 3 ? trace_.instants : trace_.counters).push_back(std::move(made));
  }

  PerfettoTrace& trace_;
  std::map<std::uint64_t, Track> tracks_;
  std::map<std::uint64_t, Sequence> sequences_;
  std::map<int, std::size_t> on_cpu_;  // the run of each CPU
  bool clocks_ = false;
};

std::vector<PerfettoTrace::Event> some_of(const std::vector<PerfettoTrace::Event>& events,
                                          const std::string& track, const std::string& name) {
  std::vector<PerfettoTrace::Event> found;
  for (const PerfettoTrace::Event& event : events)
    if (event.track == track && (name.empty() || event.name == name)) found.push_back(event);
  return found;
}

}  // namespace

PerfettoTrace::PerfettoTrace(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  require(!bytes.empty() && bytes[0] == 0x0a, "the first byte");
  Reader(*this).read(bytes);
}

std::vector<PerfettoTrace::Event> PerfettoTrace::slices_of(const std::string& track,
                                                           const std::string& name) const {
  return some_of(slices, track, name);
}

std::vector<PerfettoTrace::Event> PerfettoTrace::instants_of(const std::string& track,
                                                             const std::string& name) const {
  return some_of(instants, track, name);
}

std::vector<PerfettoTrace::Event> PerfettoTrace::counters_of(const std::string& track) const {
  return some_of(counters, track, "");
}

std::vector<PerfettoTrace::Event> PerfettoTrace::arrows_from(const Event& event) const {
  std::vector<Event> found;
  for (const auto* const events : {&slices, &instants})
    for (const Event& each : *events) {
      const bool shares = std::any_of(each.flows.begin(), each.flows.end(), [&](std::uint64_t flow) {
        return std::find(event.flows.begin(), event.flows.end(), flow) != event.flows.end();
      });
      const bool itself =
          each.track == event.track && each.begin_ns == event.begin_ns && each.name == event.name;
      if (shares && !itself && each.begin_ns >= event.begin_ns) found.push_back(each);
    }
  std::stable_sort(found.begin(), found.end(),
                   [](const Event& a, const Event& b) { return a.begin_ns < b.begin_ns; });
  return found;
}

}  // namespace tactus::test
