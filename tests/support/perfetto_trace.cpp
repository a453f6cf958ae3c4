#include "tests/support/perfetto_trace.hpp"

#include <algorithm>
#include <bit>
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
      require(track.open.empty(), "a slice that does not end: " + track.name);
    std::map<std::uint64_t, int> flows;
    for (const PerfettoTrace::Event& slice : trace_.slices)
      for (const std::uint64_t flow : slice.flows) ++flows[flow];
    for (const auto& [flow, times] : flows) require(times >= 2, "an arrow without an end");
  }

 private:
  void packet(const Message& packet) {
    require(packet.number(10) != 0, "a packet without a sequence");
    require(packet.number(13) == (trace_.packets++ == 0 ? 3U : 2U), "flags of a packet");
    if (const Field* const interned = packet.find(12))
      for (const Field& table : Message(interned->bytes).fields) {
        const Message entry(table.bytes);
        require(entry.number(1) != 0, "an interned name without a number");
        names_[{table.number, entry.number(1)}] = entry.text(2);
      }
    if (const Field* const clocks = packet.find(6)) clock_snapshot(Message(clocks->bytes));
    if (const Field* const defaults = packet.find(59)) {
      require(Message(defaults->bytes).number(58) == 3, "another clock than CLOCK_MONOTONIC");
      require(clocks_, "defaults before a clock snapshot");
    }
    if (const Field* const track = packet.find(60)) describe(Message(track->bytes));
    if (const Field* const event = packet.find(11)) {
      require(packet.find(8) != nullptr, "an event without a time");
      take(Message(event->bytes), static_cast<std::int64_t>(packet.number(8)));
    }
  }

  void clock_snapshot(const Message& snapshot) {
    std::vector<std::uint64_t> ids;
    for (const Field& field : snapshot.fields)
      if (field.number == 1) ids.push_back(Message(field.bytes).number(1));
    std::sort(ids.begin(), ids.end());
    require(ids == std::vector<std::uint64_t>{1, 3, 6}, "the clocks of a snapshot");
    clocks_ = true;
  }

  void describe(const Message& descriptor) {
    Track track;
    if (const Field* const process = descriptor.find(3)) {
      const Message message(process->bytes);
      require(message.number(1) != 0, "a process without a number");
      trace_.process = track.name = message.text(6);
    } else if (const Field* const thread = descriptor.find(4)) {
      const Message message(thread->bytes);
      require(message.number(1) != 0 && message.number(2) != 0, "a thread without its numbers");
      trace_.threads.push_back(track.name = message.text(5));
    } else {
      require(descriptor.find(8) != nullptr && tracks_.contains(descriptor.number(5)),
              "a track of no process");
      track.name = descriptor.text(2);
      track.counter = true;
    }
    require(tracks_.emplace(descriptor.number(1), track).second, "a track that is described twice");
  }

  std::string name(std::uint64_t table, std::uint64_t number) const {
    const auto found = names_.find({table, number});
    require(found != names_.end(), "a name that was not interned before");
    return found->second;
  }

  void take(const Message& event, std::int64_t ns) {
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
    if (event.find(10) != nullptr) made.name = name(2, event.number(10));
    if (event.find(3) != nullptr) (void)name(1, event.number(3));
    for (const Field& field : event.fields) {
      if (field.number == 47) made.flows.push_back(field.value);
      if (field.number != 4) continue;
      const Message argument(field.bytes);
      made.arguments[name(3, argument.number(1))] =
          argument.find(6) != nullptr ? argument.text(6)
                                      : std::to_string(static_cast<std::int64_t>(argument.number(4)));
    }
    made.value = static_cast<std::int64_t>(event.number(30));
    require(type == 1 || type == 3 || type == 4, "a type of event");
    require(type == 4 || !made.name.empty(), "an event without a name");
    if (type == 1) track.open.push_back(trace_.slices.size());
    (type == 1 ? trace_.slices : type == 3 ? trace_.instants : trace_.counters).push_back(std::move(made));
  }

  PerfettoTrace& trace_;
  std::map<std::uint64_t, Track> tracks_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names_;
  bool clocks_ = false;
};

}  // namespace

PerfettoTrace::PerfettoTrace(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  require(!bytes.empty() && bytes[0] == 0x0a, "the first byte");
  Reader(*this).read(bytes);
}

std::vector<PerfettoTrace::Event> PerfettoTrace::slices_of(const std::string& track,
                                                           const std::string& name) const {
  std::vector<Event> found;
  for (const Event& slice : slices)
    if (slice.track == track && (name.empty() || slice.name == name)) found.push_back(slice);
  return found;
}

}  // namespace tactus::test
