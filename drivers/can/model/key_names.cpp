// SPDX-License-Identifier: Apache-2.0
// The names that keys of a section can have: those of its database.
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "drivers/can/model/can_model.hpp"
#include "drivers/can/model/text.hpp"

namespace tactus::drivers::can {
namespace {

/// The most signals of a database that are all shown; of a larger one those of messages that the rig file has.
constexpr std::size_t kMostSignalsShown = 20'000;
/// The most names that are shown of messages which entries can stand for: all of the database at each of them.
constexpr std::size_t kMostNamesOfMessages = 20'000;

/// One line about a message: "0x100, every 10 ms, from ENGINE".
std::string about(const Message& message) {
  std::string text = text_of(message.extended ? "0x%08X" : "0x%03X", static_cast<unsigned>(message.id));
  if (message.cycle) text += text_of(", every %.9g ms", *message.cycle);
  return text + (message.sender.empty() ? "" : ", from " + message.sender);
}

/// One line about a signal: "0 .. 300 km/h; speed that the driver sees".
std::string about(const Signal& signal) {
  std::string text = signal.has_range() ? text_of("%.9g .. %.9g", signal.min, signal.max) : "";
  if (!signal.unit.empty()) text += (text.empty() ? "" : " ") + signal.unit;
  if (!signal.comment.empty()) text += (text.empty() ? "" : "; ") + signal.comment;
  return text;
}

class Showing {
 public:
  Showing(const Database& database, const KeyNames& to) : database_(database), to_(to) {
    for (const Message& each : database.messages) by_name_.emplace(each.name, &each);
  }

  void nodes(const std::string& path) const {
    for (const Node& each : database_.nodes) to_.add(path, each.name, each.comment);
    to_.only(path);
  }
  void messages(const std::string& path) const {
    for (const Message& each : database_.messages) to_.add(path, each.name, about(each));
  }
  /// The entries of `receive` or `send`: all messages of the database, and what the rig file calls otherwise.
  template <class Entry>
  void entries(const std::string& path, const std::vector<Entry>& given,
               std::initializer_list<const char*> values) const {
    messages(path);
    to_.only(path, "message");
    std::size_t signals = 0;
    for (const Message& each : database_.messages) signals += each.signals.size();
    std::set<std::string_view> names;
    for (const Entry& each : given) names.insert(each.name);
    if (signals <= kMostSignalsShown)
      for (const Message& each : database_.messages)
        if (!names.contains(each.name)) inside(path + "." + each.name, each, values);
    const bool few = given.size() * database_.messages.size() <= kMostNamesOfMessages;
    for (const Entry& each : given) {
      if (few && !each.message.empty()) messages(path + "." + each.name + ".message");
      if (const Message* const message = meant(each.name, each.message))
        inside(path + "." + each.name, *message, values);
    }
  }

 private:
  /// The message that an entry stands for; nullptr: the database does not say.
  const Message* meant(std::string_view name, std::string_view message) const {
    const auto found = by_name_.find(message.empty() ? name : message.substr(0, message.find('@')));
    return found == by_name_.end() ? nullptr : found->second;
  }
  void inside(const std::string& path, const Message& message,
              std::initializer_list<const char*> values) const {
    for (const char* const key : values) {
      const std::string map = path + "." + key;
      for (const Signal& signal : message.signals) {
        to_.add(map, signal.name, about(signal));
        for (const ValueName& each : signal.names)
          to_.add(map + "." + signal.name + ".value", each.name, std::to_string(each.value));
      }
      to_.only(map);
    }
    for (const char* const key : {".counter", ".checksum.signal"}) {
      for (const Signal& signal : message.signals)
        if (signal.kind == ValueKind::whole) to_.add(path + key, signal.name, about(signal));
      to_.add(path + key, "", "none");
      to_.only(path + key);
    }
  }

  const Database& database_;
  const KeyNames& to_;
  std::map<std::string_view, const Message*> by_name_;
};

}  // namespace

void CanModel::names(const KeyNames& to) {
  if (settings_.database.empty()) return;
  const Database database = load_dbc((std::filesystem::path(folder_) / settings_.database).string());
  const Showing showing(database, to);
  showing.nodes("rest_of");
  showing.entries("receive", settings_.receive, {"substitute"});
  showing.entries("send", settings_.send, {"start", "safe"});
  for (const char* const key : {"receive_matching", "send_matching", "replay.messages"})
    showing.messages(key);
}

}  // namespace tactus::drivers::can
