// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The contents of a DBC file. Plain data: read_dbc() makes it, and nothing changes it afterwards.
///
/// Units    times in milliseconds, as the file has them; raw values as they are in a frame, physical = raw * factor + offset.
/// Threads  any, as nothing changes.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::drivers::can {

inline constexpr std::uint32_t kLargestStandardId = 0x7FF;
inline constexpr std::uint32_t kLargestExtendedId = 0x1FFF'FFFF;
/// The most bytes of a frame (CAN FD).
inline constexpr unsigned kMostBytes = 64;

/// The length that a CAN FD frame on the wire has for `length` bytes of data, 0 to 64.
constexpr unsigned wire_length(unsigned length) TACTUS_RT {
  if (length <= 8) return length;
  constexpr unsigned kLengths[] = {12, 16, 20, 24, 32, 48};
  for (const unsigned each : kLengths)
    if (length <= each) return each;
  return 64;
}

enum class ByteOrder : std::uint8_t { little, big };  ///< @1 (Intel), @0 (Motorola)
enum class ValueKind : std::uint8_t { whole, float32, float64 };

/// An inclusive range of raw values of a multiplexer's switch.
struct SwitchRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// The name of a raw value.
struct ValueName {
  std::int64_t value = 0;
  std::string name;
};

/// A value of an attribute: a number, or a text. That of an enumeration is its label.
struct AttributeValue {
  std::string text;
  double number = 0;
  bool is_number = false;
};

/// An attribute of the network, a node, a message or a signal, with its value from BA_.
struct Attribute {
  std::string name;
  AttributeValue value;
};

/// The manner in which a message or a signal is sent, read from the label of its send type. All false: nothing is said.
struct SendType {
  std::string label;       ///< text of the file; empty: none
  bool cyclic = false;     ///< all the time
  bool on_event = false;   ///< spontaneous, on write
  bool on_change = false;  ///< sent once its value is another one
  bool if_active = false;  ///< cyclic while its value is not the inactive one
};

struct Signal {
  std::string name{};
  std::string unit{};
  std::string comment{};
  unsigned start = 0;   ///< 8 * byte + bit; little: of the lowest bit, big: of the highest
  unsigned length = 0;  ///< bits, 1 .. 64
  ByteOrder order = ByteOrder::little;
  ValueKind kind = ValueKind::whole;
  bool is_signed = false;
  double factor = 1;
  double offset = 0;
  double min = 0;
  double max = 0;                      ///< min = max = 0: the file gives no range
  bool is_switch = false;              ///< selects multiplexed signals
  int of_switch = -1;                  ///< index of the switch in the message; -1: always present
  std::vector<SwitchRange> present{};  ///< raw values of that switch for which it is there
  bool beyond = false;                 ///< not all its bits are in the message's length
  std::vector<ValueName> names{};      ///< order of the file
  std::vector<Attribute> attributes{};
  std::optional<double> start_raw{};     ///< GenSigStartValue
  std::optional<double> inactive_raw{};  ///< GenSigInactiveValue
  SendType send{};                       ///< GenSigSendType
  std::uint32_t line = 0;

  bool has_range() const { return min != 0 || max != 0; }
  double physical(double raw) const { return raw * factor + offset; }
  /// Value before the first message: that of the file, or what is next to 0 in its range.
  double start_value() const {
    if (start_raw) return physical(*start_raw);
    const double zero = kind == ValueKind::whole ? physical(0) : 0;
    return has_range() && min <= max ? std::clamp(zero, min, max) : zero;
  }
};

struct Message {
  std::string name;
  std::string comment{};
  std::string sender;                  ///< "Vector__XXX": none is named
  std::vector<std::string> senders{};  ///< more of them (BO_TX_BU_)
  std::uint32_t id = 0;                ///< no flag bits
  bool extended = false;               ///< 29 bits
  bool fd = false;
  bool bit_rate_switch = false;
  unsigned length = 0;  ///< bytes, 0 .. 64
  std::vector<Signal> signals{};
  std::vector<Attribute> attributes{};
  SendType send{};                     ///< GenMsgSendType
  std::optional<double> cycle{};       ///< ms, GenMsgCycleTime; above 0
  std::optional<double> cycle_fast{};  ///< ms, GenMsgCycleTimeFast: while active, and of repetitions
  double start_delay = 0;              ///< ms, GenMsgStartDelayTime
  double least_distance = 0;           ///< ms between event frames, GenMsgDelayTime
  unsigned repetitions = 0;            ///< GenMsgNrOfRepetition
  bool interaction_layer = true;       ///< GenMsgILSupport: no: others than the interaction layer send it
  std::uint32_t line = 0;
};

struct Node {
  std::string name;
  std::string comment;
  std::vector<Attribute> attributes;
  std::uint32_t line = 0;
};

struct ValueTable {
  std::string name;
  std::vector<ValueName> names;
};

/// Something to say about a line of the file.
struct Note {
  bool is_error = false;   ///< a frame is not defined by it: the file is refused
  std::uint32_t line = 0;  ///< the first is 1
  std::string text;
};

struct Database {
  std::string file;  ///< the name it was given
  std::string comment;
  std::vector<Node> nodes;
  std::vector<Message> messages;  ///< order of the file; ids differ
  std::vector<ValueTable> tables;
  std::vector<Attribute> attributes;    ///< those of the network
  std::optional<double> bit_rate;       ///< bit/s, Baudrate
  std::optional<double> data_bit_rate;  ///< bit/s, BaudrateCANFD
  std::vector<Note> notes;              ///< sorted by line; at most kMostNotes
  std::size_t errors = 0;               ///< all of them, also those without a note
  std::size_t warnings = 0;

  bool good() const { return errors == 0; }
  const Message* find(const std::string& name) const;
  /// "file:line: error: text", as compilers write it.
  std::string text_of(const Note& note) const;
};

inline constexpr std::size_t kMostNotes = 1000;
inline constexpr std::size_t kLargestFile = std::size_t{64} << 20;
inline constexpr std::size_t kMostSignals = 1'000'000;      ///< limit of a file
inline constexpr std::size_t kMostSignalsOfMessage = 4096;  ///< limit of one message
inline constexpr std::size_t kMostMessages = 100'000;       ///< limit of a file
inline constexpr unsigned kDeepestMultiplexer = 8;          ///< switches above a signal
inline constexpr std::size_t kMostEntries = 2'000'000;  ///< value names, attributes and references of a file

/// Returns true if a name fits a pattern with '*' and '?'.
bool fits(const std::string& pattern, const std::string& name);
/// Reads the text of a DBC file. It never throws for what the text says: `notes` has all mistakes, and what is understood
/// is there. `name` stands in front of each note. @when setup
Database read_dbc(std::string text, const std::string& name);
/// Reads a file. Throws std::runtime_error with its name and why it cannot be read, or is too large. @when setup
Database load_dbc(const std::string& file);

}  // namespace tactus::drivers::can
