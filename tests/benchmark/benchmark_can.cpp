// SPDX-License-Identifier: Apache-2.0
// What do the signals of a CAN bus cost, beside a bare shift-and-mask, and what does a model of a bus cost a frame, beside a
// loop that copies frames and calls the codec? 504 signals in, and 504 out.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "drivers/can/codec/message_codec.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/can_database.hpp"
#include "tests/drivers/can/model/bus_host.hpp"
#include "tests/support/temp_dir.hpp"

namespace {

using namespace tactus;
using benchmark::Contender;
using benchmark::Json;
using benchmark::kCanMessages;
using benchmark::kCanSignals;
using drivers::can::CanFrame;
using drivers::can::PortEvent;

constexpr unsigned kAll = kCanMessages * kCanSignals;

/// Messages in of the database.
std::vector<const drivers::can::Message*> messages_in(const drivers::can::Database& database) {
  std::vector<const drivers::can::Message*> all;
  for (const drivers::can::Message& each : database.messages)
    if (each.id < 0x200) all.push_back(&each);
  return all;
}

std::vector<CanFrame> random_frames(std::uint32_t base) {
  std::mt19937_64 random(4711);
  std::vector<CanFrame> all(kCanMessages);
  for (unsigned m = 0; m < kCanMessages; ++m) {
    all[m].id = base + m;
    all[m].length = 8;
    const std::uint64_t bytes = random();
    std::memcpy(all[m].data.at, &bytes, sizeof bytes);
  }
  return all;
}

/// Signals as somebody writes them down who knows only these messages: one byte order a message, eight bytes, no checks.
class Bare {
 public:
  explicit Bare(const std::vector<const drivers::can::Message*>& messages) {
    for (const drivers::can::Message* const message : messages) {
      Table& made = tables_.emplace_back();
      made.size = static_cast<unsigned>(message->signals.size());
      for (unsigned s = 0; s < kCanSignals; ++s) {
        const drivers::can::Signal& signal = message->signals[s];
        made.big = signal.order == drivers::can::ByteOrder::big;
        const unsigned begin = made.big ? signal.start / 8 * 8 + 7 - signal.start % 8 : signal.start;
        made.shift[s] = made.big ? 64 - begin - signal.length : begin;
        made.mask[s] = ~std::uint64_t{0} >> (64 - signal.length);
        made.sign[s] = signal.is_signed ? std::uint64_t{1} << (signal.length - 1) : 0;
        made.factor[s] = signal.factor;
        made.offset[s] = signal.offset;
      }
    }
  }
  void decode(const std::uint8_t* bytes, std::size_t message, double* to) const {
    const Table& at = tables_[message];
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    if (at.big) word = __builtin_bswap64(word);
    for (unsigned s = 0; s < at.size; ++s) {
      const std::uint64_t raw = word >> at.shift[s] & at.mask[s];
      to[s] = static_cast<double>(static_cast<std::int64_t>((raw ^ at.sign[s]) - at.sign[s])) * at.factor[s] +
              at.offset[s];
    }
  }
  void encode(std::uint8_t* bytes, std::size_t message, const double* from) const {
    const Table& at = tables_[message];
    std::uint64_t word = 0;
    for (unsigned s = 0; s < at.size; ++s) {
      const auto raw = static_cast<std::uint64_t>(std::llrint((from[s] - at.offset[s]) / at.factor[s]));
      word |= (raw & at.mask[s]) << at.shift[s];
    }
    if (at.big) word = __builtin_bswap64(word);
    std::memcpy(bytes, &word, sizeof word);
  }

 private:
  struct Table {
    bool big = false;
    unsigned size = 0;
    unsigned shift[kCanSignals] = {};
    std::uint64_t mask[kCanSignals] = {}, sign[kCanSignals] = {};
    double factor[kCanSignals] = {}, offset[kCanSignals] = {};
  };
  std::vector<Table> tables_;
};

/// The first messages, each by a function of its number. Nanoseconds of CPU time for a signal.
template <class Function>
Contender by_signal(const std::string& name, std::size_t messages, int rounds, Function function) {
  return {name, [=] {
            const std::int64_t begin = benchmark::cpu_ns();
            for (int round = 0; round < rounds; ++round)
              for (std::size_t m = 0; m < messages; ++m) function(m);
            return static_cast<double>(benchmark::cpu_ns() - begin) / rounds /
                   static_cast<double>(messages * kCanSignals);
          }};
}

/// What cantools takes for a signal; nothing where it is not installed.
Json cantools(const std::string& database, const char* what, int rounds) {
  const test::TempDir dir;
  (void)dir.write("time.py", R"(import sys, time
import cantools
db, what, rounds = cantools.database.load_file(sys.argv[1]), sys.argv[2], int(sys.argv[3])
messages = [message for message in db.messages if message.name.startswith("In")]
frames = [bytes((17 * i + j) % 256 for j in range(8)) for i in range(len(messages))]
values = [message.decode(frame) for message, frame in zip(messages, frames)]
begin = time.process_time_ns()
for _ in range(rounds):
    for message, frame, value in zip(messages, frames, values):
        if what == "decode":
            message.decode(frame)
        else:
            message.encode(value, strict=False)
print((time.process_time_ns() - begin) / rounds / sum(len(message.signals) for message in messages))
)");
  const std::string command = "python3 " + (dir / "time.py").string() + " " + database + " " + what + " " +
                              std::to_string(rounds) + " 2> /dev/null";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  double ns = 0;
  const bool read = pipe != nullptr && std::fscanf(pipe, "%lf", &ns) == 1;
  const bool good = pipe != nullptr && ::pclose(pipe) == 0 && read;
  return good ? Json(benchmark::rounded(ns)) : Json(nullptr);
}

void signals(const drivers::can::Database& database, const std::string& file, bool quick) {
  const auto messages = messages_in(database);
  std::vector<drivers::can::MessageCodec> codecs;
  for (const drivers::can::Message* const each : messages) codecs.emplace_back(*each);
  const Bare bare(messages);
  std::vector<CanFrame> frames = random_frames(0x100);
  std::vector<double> values(kAll), others(kAll);
  std::uint8_t present[kCanSignals];
  const auto data = [&](std::size_t m) { return std::begin(frames[m].data.at); };
  for (std::size_t m = 0; m < kCanMessages; ++m) {
    bare.decode(data(m), m, &others[m * kCanSignals]);
    (void)codecs[m].decode(data(m), 8, {&values[m * kCanSignals], kCanSignals}, present);
  }
  if (values != others) throw std::runtime_error("the bare loop decodes something else");
  for (std::size_t m = 0; m < kCanMessages; ++m) {
    CanFrame ours, theirs;
    (void)codecs[m].encode(std::begin(ours.data.at), {&values[m * kCanSignals], kCanSignals});
    bare.encode(std::begin(theirs.data.at), m, &values[m * kCanSignals]);
    if (std::memcmp(&ours.data, &theirs.data, sizeof ours.data) != 0)
      throw std::runtime_error("the bare loop encodes something else");
  }

  // As many as a first-level cache holds with all that belongs to them; and all of them, which it does not hold.
  for (const std::size_t count : {std::size_t{16}, std::size_t{kCanMessages}}) {
    const int rounds = (quick ? 120'000 : 1'200'000) / static_cast<int>(count);
    const std::vector<Contender> contenders{
        by_signal("decode", count, rounds,
                  [&](std::size_t m) {
                    (void)codecs[m].decode(data(m), 8, {&values[m * kCanSignals], kCanSignals}, present);
                    benchmark::keep(values[m * kCanSignals]);
                  }),
        by_signal("bare decode", count, rounds,
                  [&](std::size_t m) {
                    bare.decode(data(m), m, &values[m * kCanSignals]);
                    benchmark::keep(values[m * kCanSignals]);
                  }),
        by_signal("encode", count, rounds,
                  [&](std::size_t m) {
                    (void)codecs[m].encode(data(m), {&others[m * kCanSignals], kCanSignals});
                    benchmark::keep(frames[m].data);
                  }),
        by_signal("bare encode", count, rounds, [&](std::size_t m) {
          bare.encode(data(m), m, &others[m * kCanSignals]);
          benchmark::keep(frames[m].data);
        })};
    const benchmark::Turns turns = benchmark::take_turns(contenders, quick ? 9 : 31);
    for (const std::size_t which : {0U, 2U}) {
      const std::string name = which == 0 ? "decode" : "encode";
      Json figures{{"way", name},
                   {"signals", count * kCanSignals},
                   {"signal_ns", benchmark::to_json(turns.of(which))},
                   {"bare_ns", benchmark::to_json(turns.of(which + 1))},
                   {"to_bare", benchmark::to_json(turns.ratio(which, which + 1))},
                   {"bar", "at most 1.5 times bare"}};
      if (const Json peer = cantools(file, name.c_str(), quick ? 20 : 200); !peer.is_null())
        figures["cantools_ns"] = peer;
      benchmark::answer("what does a signal of a CAN frame cost?", figures);
    }
  }
}

/// A bus on which all messages in come before each frame, and all messages out are taken and on the bus at once.
class FullPort final : public drivers::can::Port {
 public:
  FullPort() : frames_(random_frames(0x100)), out_(kCanMessages) {}
  void begin(std::int64_t, std::int64_t) TACTUS_RT override { next_ = 0; }
  bool receive(PortEvent& event, bool) TACTUS_RT override {
    if (next_ < kCanMessages) {
      event.kind = PortEvent::Kind::received;
      event.frame = frames_[next_++];
      return true;
    }
    if (echoes_ == 2 * sent_) {
      sent_ = echoes_ = 0;
      return false;
    }
    event.kind = echoes_ % 2 == 0 ? PortEvent::Kind::taken : PortEvent::Kind::echo;
    event.tag = static_cast<std::uint32_t>(echoes_ / 2);
    if (echoes_ % 2 == 1) event.frame = out_[echoes_ / 2];  // only an echo has a frame
    ++echoes_;
    return true;
  }
  bool send(const CanFrame& frame, std::uint32_t tag, std::int64_t) TACTUS_RT override {
    out_[tag] = frame;
    ++sent_;
    return true;
  }
  int send_at_once(const CanFrame&) TACTUS_RT override { return 0; }
  void close() TACTUS_RT override {}
  std::size_t sent() const { return sent_; }

 private:
  std::vector<CanFrame> frames_, out_;
  std::size_t next_ = 0, sent_ = 0, echoes_ = 0;
};

void frames(const drivers::can::Database& database, const std::string& file, bool quick) {
  FullPort* port = nullptr;
  test::CanDriver driver([&](const auto&, const auto&, bool) {
    auto made = std::make_unique<FullPort>();
    port = made.get();
    return made;
  });
  test::BusHost host(driver, "interface: bench\ndatabase: " + file + "\nrest_of: [PEER]\n");
  if (!host.frame() || port->sent() != kCanMessages || !host.frame() || host.get("In0.count") != 2 ||
      host.get("Out62.sent") != 1)
    throw std::runtime_error("the model does not carry all messages in each frame: " + host.failure());

  // The same by hand: frames are copied from and to the bus, and values to and from variables.
  std::vector<drivers::can::MessageCodec> in, out;
  for (const drivers::can::Message& each : database.messages) (each.id < 0x200 ? in : out).emplace_back(each);
  const std::vector<CanFrame> from = random_frames(0x100);
  std::vector<CanFrame> to(kCanMessages);
  std::vector<double> outputs(kAll), inputs(kAll), values(kCanSignals);
  std::uint8_t present[kCanSignals];
  const auto by_hand = [&] {
    for (std::size_t m = 0; m < kCanMessages; ++m) {
      const CanFrame frame = from[m];
      (void)in[m].decode(std::begin(frame.data.at), frame.length, values, present);
      std::copy(values.begin(), values.end(), outputs.begin() + static_cast<std::ptrdiff_t>(m * kCanSignals));
      benchmark::keep(outputs[m * kCanSignals]);
    }
    for (std::size_t m = 0; m < kCanMessages; ++m) {
      CanFrame frame;
      frame.id = static_cast<std::uint32_t>(0x200 + m);
      frame.length = 8;
      std::copy_n(inputs.begin() + static_cast<std::ptrdiff_t>(m * kCanSignals), kCanSignals, values.begin());
      (void)out[m].encode(std::begin(frame.data.at), values);
      to[m] = frame;
      benchmark::keep(to[m].data);
    }
  };
  const int times = quick ? 1'000 : 10'000;
  const auto contender = [&](const std::string& name, auto function) {
    return Contender{name, [=] {
                       const std::int64_t begin = benchmark::cpu_ns();
                       for (int i = 0; i < times; ++i) function();
                       return static_cast<double>(benchmark::cpu_ns() - begin) / times;
                     }};
  };
  const benchmark::Turns turns = benchmark::take_turns(
      {contender("model", [&] { (void)host.frame(); }), contender("by hand", by_hand)}, quick ? 9 : 31);
  benchmark::answer("what does a CAN bus cost a frame?",
                    {{"signals_in", kAll},
                     {"signals_out", kAll},
                     {"messages", 2 * kCanMessages},
                     {"frame_ns", benchmark::to_json(turns.of(0))},
                     {"copy_and_codec_ns", benchmark::to_json(turns.of(1))},
                     {"to_copy_and_codec", benchmark::to_json(turns.ratio(0, 1))},
                     {"bar", "at most 2 times a loop that copies and calls the codec"}});
}

void run(bool quick) {
  (void)benchmark::stay_on_last_cpu();
  const test::TempDir dir;
  (void)dir.write("bench.dbc", benchmark::can_database());
  const std::string file = (dir / "bench.dbc").string();
  const drivers::can::Database database = drivers::can::load_dbc(file);
  if (!database.good())
    throw std::runtime_error("the database is wrong: " + database.text_of(database.notes.front()));
  signals(database, file, quick);
  frames(database, file, quick);
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark::run_benchmark(
      argc, argv, "Signals of CAN frames, and a model of a bus in a frame, beside bare loops.", run);
}
