// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The keys of a model of a bus, and what they choose of its database.
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <tactus/model_driver.hpp>
#include <vector>

#include "drivers/can/codec/e2e.hpp"
#include "drivers/can/dbc/database.hpp"

namespace tactus::drivers::can {

using std::chrono::nanoseconds;

enum class OnTimeout : std::uint8_t { hold, substitute, nan };
enum class OnFull : std::uint8_t { retry, drop, terminate };
enum class AfterRestarts : std::uint8_t { wait, terminate, safe_state };
enum class SendBy : std::uint8_t { automatic, thread, kernel };
enum class Delivery : std::uint8_t { next_step, timestamp };
enum class Sending : std::uint8_t {
  database,
  cyclic,
  on_change,
  on_write,
  if_active,
  cyclic_and_on_change,
  cyclic_and_if_active,
  never
};
/// Profiles of AUTOSAR have their numbers, as in E2eProfile.
enum class Protection : std::uint8_t { none, p1, p2, p4 = 4, p5, p6, p7, p11 = 11, p22 = 22, crc, function };
/// Returns true for a profile of AUTOSAR, which counts the messages that are lost.
constexpr bool is_e2e(Protection profile) {
  return profile != Protection::none && profile != Protection::crc && profile != Protection::function;
}

/// A value of a signal, as the rig file has it: "80 km/h", "Park".
struct SignalText {
  std::string name{};
  std::string value{};
};

struct ChecksumSettings {
  Protection profile = Protection::none;
  std::string signal{};
  std::string data_id{};
  std::vector<std::string> data_ids{};
  DataIdMode mode = DataIdMode::both;
  unsigned offset = 0;
  unsigned most_lost = 1;
  bool grows = false;
  std::string library{}, function{};
  unsigned width = 8;
  std::string polynomial{}, first{}, last{};
  bool is_reflected = false;
  std::vector<std::string> constants{};
};

/// The protection of a message.
struct Protecting {
  std::string counter{};
  std::int64_t counter_most = 0;  ///< 0: all that its bits hold
  ChecksumSettings checksum{};
};

struct ReceiveSettings {
  std::string name{};
  std::string message{};  ///< name in the database; empty: `name`
  OnTimeout on_timeout = OnTimeout::hold;
  std::string after = "3 cycles";
  nanoseconds cycle{0};
  std::vector<SignalText> substitute{};
  Protecting protecting{};
};

struct SendSettings {
  std::string name{};
  std::string message{};
  Sending type = Sending::database;
  nanoseconds cycle{0}, cycle_fast{0}, start_delay{-1}, least_distance{-1}, at{-1}, late_after{-1};
  int repetitions = -1;
  std::vector<SignalText> start{};
  std::vector<SignalText> safe{};
  unsigned safe_times = 3;
  Protecting protecting{};
};

/// A station that is asked by ISO-TP.
struct StationSettings {
  struct Request {
    std::string name{};
    std::string bytes{};
  };
  std::string name{};
  std::string request{}, response{};
  int padding = 0xCC;
  nanoseconds timeout{1'000'000'000};
  std::vector<Request> requests{};
};

enum class RawFormat : std::uint8_t { candump, asc };

/// The frames of the bus in a file.
struct RawSettings {
  std::string file{};
  RawFormat format = RawFormat::candump;
};

/// Frames of a file that are sent again.
struct ReplaySettings {
  std::string file{};
  std::string channel{};
  std::vector<std::string> messages{};
  nanoseconds at{0};
  bool loop = false;
};

/// The policy of a controller that has left the bus.
struct BusOffSettings {
  nanoseconds restart_after{0};       ///< 0: the driver does not restart it
  unsigned at_most = 0;               ///< 0: without a limit
  nanoseconds steady{1'000'000'000};  ///< time on the bus after which restarts are counted anew
  AfterRestarts then = AfterRestarts::wait;
  bool restarts() const { return restart_after.count() > 0; }
};

struct Settings {
  std::string interface {};
  std::string database{};
  nanoseconds start_wait{0};
  std::int64_t bit_rate = 0, data_bit_rate = 0;
  std::vector<std::string> rest_of{};
  std::vector<std::string> receive_matching{}, send_matching{};
  std::vector<ReceiveSettings> receive{};
  std::vector<SendSettings> send{};
  std::vector<StationSettings> stations{};
  RawSettings raw{};
  ReplaySettings replay{};
  Delivery delivery = Delivery::next_step;
  nanoseconds at{0};
  SendBy send_by = SendBy::automatic;
  unsigned queue = 256;
  OnFull on_full = OnFull::retry;
  BusOffSettings on_bus_off{};
  nanoseconds spacing{1'000'000};

  void keys(Keys& k);
  static constexpr const char* kUnix = "unix:";
  bool is_unix() const { return interface.starts_with(kUnix); }
  bool is_simulated() const { return interface == "simulated" || interface.starts_with("simulated:"); }
};

/// The messages that a model receives and sends, with their settings.
struct Selection {
  struct Received {
    const Message* message = nullptr;
    ReceiveSettings settings{};
    std::string path{};                             ///< place in the rig file
    bool any_priority = false, any_source = false;  ///< named as one of J1939
  };
  struct Sent {
    const Message* message = nullptr;
    SendSettings settings{};
    std::string path{};
  };
  std::vector<Received> received{};
  std::vector<Sent> sent{};
  std::deque<Message> renamed{};  ///< messages that have another name or source than in the database
};

/// Chooses messages of a database; names what it does not have. @when setup
Selection select(const Settings& settings, const Database& database, const Problems& problems);

/// Names what `on_bus_off` has that does not fit together. @when setup
void check_bus_off(const Settings& settings, const Problems& problems);
/// Complains of a kernel that is to send messages on a bus which is none of its interfaces. @when setup
void check_send_by(const Settings& settings, const Problems& problems);
/// Refuses a simulated bus in the process of an isolated model: the other stations are in the rig's. @when setup
void check_process(const Settings& settings, const Problems& problems);
/// Reads a value of a signal: a number, with the signal's unit or without, or the name of a value. Adds a problem at `path`
/// and returns 0 for anything else. @when setup
double value_of(const Signal& signal, const std::string& text, const std::string& path,
                const Problems& problems);
/// Reads "3 cycles", "1 cycle" or "3": 1 to 1000000. Adds a problem and returns 1 for anything else. @when setup
unsigned cycles_of(const std::string& text, const std::string& path, const Problems& problems);
/// Reads a number as "0x1D" or "29"; nothing: it is something else, or above `most`. @when setup
std::optional<std::uint64_t> whole_of(std::string_view text, std::uint64_t most);
/// The same; adds a problem where it is nothing, and returns 0. @when setup
std::uint64_t whole_of(const std::string& text, std::uint64_t most, const std::string& path,
                       const Problems& problems);
/// The signal of a message, or a problem that names those it has, and nullptr. @when setup
const Signal* signal_of(const Message& message, const std::string& name, const std::string& path,
                        const Problems& problems);
/// Parameter group of an id of 29 bits (SAE J1939-21): without the destination, where it has one.
std::uint32_t group_of(std::uint32_t id);

}  // namespace tactus::drivers::can
