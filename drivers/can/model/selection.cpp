// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>
#include <system_error>

#include "drivers/can/model/names.hpp"
#include "drivers/can/model/settings.hpp"
#include "drivers/can/model/text.hpp"

namespace tactus::drivers::can {
namespace {

constexpr std::size_t kMostNamed = 8;  // in a message

std::string in_quotes(const std::string& text) { return "'" + text + "'"; }

template <class All>
std::string list_of(const All& all) {
  std::string text;
  std::size_t n = 0;
  for (const auto& each : all) {
    if (n++ == kMostNamed) return text + " and " + std::to_string(all.size() - kMostNamed) + " more";
    text += (text.empty() ? "" : ", ") + each.name;
  }
  return text.empty() ? "none" : text;
}

/// Letters that have to be changed, added or left out to make one name the other.
std::size_t distance(const std::string& one, const std::string& other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t before = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
      const std::size_t changed = before + (lower(one[i - 1]) == lower(other[j - 1]) ? 0 : 1);
      before = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

/// Returns "it has A, B", and the name that was meant, if one is near enough.
template <class All>
std::string instead_of(const std::string& wrong, const All& all) {
  std::string best;
  std::size_t least = wrong.size() / 3 + 1;
  for (const auto& each : all)
    if (const std::size_t far = distance(wrong, each.name); far < least) {
      least = far;
      best = each.name;
    }
  return "it has " + list_of(all) + (best.empty() ? "" : "; did you mean " + in_quotes(best) + "?");
}

bool has(const std::vector<std::string>& all, const std::string& name) {
  return std::ranges::find(all, name) != all.end();
}

bool has_sender(const Message& message) {
  return (!message.sender.empty() && message.sender != "Vector__XXX") || !message.senders.empty();
}

/// Returns true if one of these nodes sends it.
bool is_sent_by(const Message& message, const std::vector<std::string>& nodes) {
  return has(nodes, message.sender) ||
         std::ranges::any_of(message.senders, [&](const std::string& each) { return has(nodes, each); });
}

class Selecting {
 public:
  Selecting(const Settings& settings, const Database& database, const Problems& problems)
      : settings_(settings), database_(database), problems_(problems) {}

  Selection run() {
    check_nodes();
    for (const ReceiveSettings& each : settings_.receive) {
      const std::string path = "receive." + each.name;
      if (const Message* const message = named(each.name, each.message, path))
        made_.received.push_back(
            {message, each, path, each.message.find('@') != std::string::npos, each.message.ends_with("@*")});
    }
    for (const SendSettings& each : settings_.send)
      if (const Message* const message = named(each.name, each.message, "send." + each.name)) {
        if (is_sent_by(*message, settings_.rest_of) && each.message.find('@') == std::string::npos)
          problems_.add("send." + each.name,
                        "message " + in_quotes(message->name) + " is sent by " + message->sender +
                            ", which rest_of names as a unit under test; remove one of the two");
        send(*message, each, "send." + each.name);
      }
    match("receive_matching", settings_.receive_matching,
          [&](const Message& message, const std::string& path) { receive(message, {message.name}, path); });
    match("send_matching", settings_.send_matching,
          [&](const Message& message, const std::string& path) { send(message, {message.name}, path); });
    if (!settings_.rest_of.empty()) take_rest();
    if (made_.received.empty() && made_.sent.empty() && settings_.stations.empty() &&
        settings_.replay.file.empty() && settings_.raw.file.empty() && !names_anything())
      problems_.add(
          "", "neither receives nor sends a message: name messages in receive or send, or nodes in rest_of");
    return std::move(made_);
  }

 private:
  /// Returns true if it names messages: if none of them is made, each has its own problem.
  bool names_anything() const {
    return !settings_.receive.empty() || !settings_.send.empty() || !settings_.receive_matching.empty() ||
           !settings_.send_matching.empty();
  }

  void check_nodes() const {
    for (std::size_t i = 0; i < settings_.rest_of.size(); ++i) {
      const std::string& node = settings_.rest_of[i];
      const bool known =
          std::ranges::any_of(database_.nodes, [&](const Node& each) { return each.name == node; });
      if (!known)
        problems_.add("rest_of[" + std::to_string(i) + "]", "the database has no node " + in_quotes(node) +
                                                                "; " + instead_of(node, database_.nodes));
    }
  }

  /// Finds a message by its name, or by `other`: a name, "EEC1", a parameter group, "PGN61444", and a source behind an @.
  const Message* named(const std::string& name, const std::string& other, const std::string& path) {
    if (other.empty()) return plainly_named(name, path);
    const std::string where = path + ".message";
    const std::size_t at = other.find('@');
    const std::string plain = other.substr(0, at);
    const Message* const message =
        plain.starts_with("PGN") ? of_group(plain, where) : plainly_named(plain, where);
    if (message == nullptr) return nullptr;
    Message& made = made_.renamed.emplace_back(*message);
    made.name = name;
    if (at == std::string::npos) return &made;
    const std::string source = other.substr(at + 1);
    if (!message->extended)
      problems_.add(where, "message " + in_quotes(plain) +
                               " has an id of 11 bits, so it is not a J1939 message and has no source");
    else if (source != "*" || !path.starts_with("receive."))
      made.id = (made.id & ~0xFFU) | static_cast<std::uint32_t>(whole_of(source, 255, where, problems_));
    return &made;
  }

  const Message* of_group(const std::string& name, const std::string& path) const {
    const std::uint64_t group = whole_of(name.substr(3), 0x3'FFFF, path, problems_);
    for (const Message& message : database_.messages)
      if (message.extended && group_of(message.id) == group) return &message;
    if (const Message* const message = database_.find(name)) return message;
    problems_.add(path, "the database has no message of parameter group " + in_quotes(name.substr(3)));
    return nullptr;
  }

  const Message* plainly_named(const std::string& name, const std::string& path) const {
    const Message* const message = database_.find(name);
    if (message == nullptr)
      problems_.add(path, "the database has no message " + in_quotes(name) + "; " +
                              instead_of(name, database_.messages));
    return message;
  }

  template <class Take>
  void match(const std::string& key, const std::vector<std::string>& patterns, Take take) {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const std::string path = key + "[" + std::to_string(i) + "]";
      bool any = false;
      for (const Message& message : database_.messages)
        if (fits(patterns[i], message.name)) {
          any = true;
          if (!is_taken(message)) take(message, path);
        }
      if (!any)
        problems_.add(path, "no message of the database fits " + in_quotes(patterns[i]) + "; it has " +
                                list_of(database_.messages));
    }
  }

  void take_rest() {
    for (const Message& message : database_.messages) {
      if (is_taken(message)) continue;
      if (is_sent_by(message, settings_.rest_of))
        receive(message, {message.name}, "rest_of");
      else if (has_sender(message) && message.interaction_layer)
        send(message, {message.name}, "rest_of");
    }
  }

  bool is_taken(const Message& message) const {
    const auto is_it = [&](const auto& each) {  // also by another name
      return each.message->id == message.id && each.message->extended == message.extended;
    };
    return std::ranges::any_of(made_.received, is_it) || std::ranges::any_of(made_.sent, is_it);
  }
  void receive(const Message& message, const ReceiveSettings& settings, const std::string& path) {
    made_.received.push_back({&message, settings, path});
  }
  void send(const Message& message, const SendSettings& settings, const std::string& path) {
    if (is_taken(message))
      problems_.add(path, "message " + in_quotes(message.name) +
                              " is also in receive, or sent by another entry; remove one of the two");
    made_.sent.push_back({&message, settings, path});
  }

  const Settings& settings_;
  const Database& database_;
  const Problems& problems_;
  Selection made_;
};

}  // namespace

Selection select(const Settings& settings, const Database& database, const Problems& problems) {
  return Selecting(settings, database, problems).run();
}

std::uint32_t group_of(std::uint32_t id) {
  const std::uint32_t format = id >> 16U & 0xFFU;
  return (id >> 8U & 0x3'0000U) | format << 8U | (format >= 240 ? id >> 8U & 0xFFU : 0);
}

const Signal* signal_of(const Message& message, const std::string& name, const std::string& path,
                        const Problems& problems) {
  for (const Signal& signal : message.signals)
    if (signal.name == name) return &signal;
  problems.add(path, "message " + message.name + " has no signal " + in_quotes(name) + "; " +
                         instead_of(name, message.signals));
  return nullptr;
}

double value_of(const Signal& signal, const std::string& text, const std::string& path,
                const Problems& problems) {
  for (const ValueName& each : signal.names)
    if (each.name == text) return signal.physical(static_cast<double>(each.value));
  double value = 0;
  const char* const begin = text.c_str();
  const auto [end, error] = std::from_chars(begin, begin + text.size(), value);
  std::string unit(end, begin + text.size());
  unit.erase(0, std::min(unit.find_first_not_of(' '), unit.size()));
  const std::string of_variable = rig_unit(signal.unit);
  const std::string& shown = of_variable.empty() ? signal.unit : of_variable;
  if (error != std::errc{} || !std::isfinite(value) ||
      (!unit.empty() && unit != signal.unit && unit != of_variable)) {
    problems.add(path, in_quotes(text) + " is not a value of signal " + signal.name + ": write a number" +
                           (shown.empty() ? "" : ", or one in " + shown) +
                           (signal.names.empty() ? "" : ", or one of " + list_of(signal.names)));
    return 0;
  }
  if (signal.has_range() && (value < signal.min || value > signal.max)) {
    problems.add(path, in_quotes(text) + " is outside of the range of signal " + signal.name + ", " +
                           text_of("%.9g .. %.9g", signal.min, signal.max) +
                           (shown.empty() ? "" : " " + shown));
  }
  return value;
}

unsigned cycles_of(const std::string& text, const std::string& path, const Problems& problems) {
  constexpr unsigned kMost = 1'000'000;
  unsigned cycles = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, cycles);
  std::string_view unit(end, static_cast<std::size_t>(last - end));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  const bool is_unit = unit.empty() || unit == "cycles" || (unit == "cycle" && cycles == 1);
  if (error == std::errc() && is_unit && cycles >= 1 && cycles <= kMost) return cycles;
  problems.add(path, "'" + text + "' is not a number of cycles, 1 .. 1000000; write '3 cycles', or 3");
  return 1;
}

std::optional<std::uint64_t> whole_of(std::string_view text, std::uint64_t most) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

std::uint64_t whole_of(const std::string& text, std::uint64_t most, const std::string& path,
                       const Problems& problems) {
  if (const auto value = whole_of(text, most)) return *value;
  problems.add(path, in_quotes(text) + " is not a whole number from 0 to " +
                         text_of("0x%llX", static_cast<unsigned long long>(most)) + "; write 0x1D or 29");
  return 0;
}

}  // namespace tactus::drivers::can
