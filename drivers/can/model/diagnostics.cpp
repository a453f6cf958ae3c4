// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/diagnostics.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "drivers/can/model/can_model.hpp"

namespace tactus::drivers::can {
namespace {

// Bytes of services, as ISO 14229 names them.
constexpr std::uint8_t kNegative = 0x7F, kPending = 0x78, kAnswer = 0x40, kReadFaults = 0x19;
constexpr std::uint8_t kQuiet = 0x80;  // the bit of a subfunction that asks for no positive answer
constexpr std::int64_t kPendingTime = 5'000'000'000;

/// The fault codes in a positive answer to service 19.
struct CodeList {
  std::uint8_t kind;  ///< subfunction
  std::size_t head;   ///< bytes before the first entry
  std::size_t each;   ///< bytes of an entry; 0: the answer is about one code
  std::size_t code;   ///< byte of an entry at which its code begins
};
constexpr CodeList kCodeLists[] = {{0x02, 3, 4, 0}, {0x0A, 3, 4, 0}, {0x0B, 3, 4, 0},
                                   {0x0C, 3, 4, 0}, {0x0D, 3, 4, 0}, {0x0E, 3, 4, 0},
                                   {0x0F, 3, 4, 0}, {0x13, 3, 4, 0}, {0x15, 3, 4, 0},  // by status
                                   {0x03, 2, 4, 0}, {0x14, 2, 4, 0},                   // snapshots, counters
                                   {0x08, 3, 6, 2}, {0x09, 3, 6, 2}, {0x42, 6, 5, 1},  // by severity
                                   {0x17, 4, 4, 0}, {0x55, 5, 4, 0},  // of a memory, permanent ones
                                   {0x04, 2, 0, 0}, {0x05, 3, 0, 0}, {0x06, 2, 0, 0},
                                   {0x10, 2, 0, 0}, {0x18, 3, 0, 0}, {0x19, 3, 0, 0}};  // data of one

/// Reads "19 02 FF". Adds a problem for anything else.
std::vector<std::uint8_t> bytes_of(const std::string& text, const std::string& path,
                                   const Problems& problems) {
  std::vector<std::uint8_t> bytes;
  std::string digits;
  const auto refuse = [&] {
    problems.add(path, "'" + text + "' is not a row of bytes; write two hexadecimal digits each, '19 02 FF'");
    return std::vector<std::uint8_t>{0};
  };
  for (const char c : text) {
    if (c == ' ') {
      if (digits.size() == 1) return refuse();
      continue;
    }
    if (std::string("0123456789abcdefABCDEF").find(c) == std::string::npos) return refuse();
    digits += c;
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  if (!digits.empty() || bytes.empty() || bytes.size() > IsoTp::kMost) return refuse();
  return bytes;
}

/// Services of which an answer repeats bytes after the service: an identifier (of several the first one), a routine and
/// what is done, or a subfunction.
constexpr struct {
  std::uint8_t service;
  std::size_t bytes;
} kRepeated[] = {{0x22, 2}, {0x2E, 2}, {0x2F, 2}, {0x31, 3}, {0x10, 1}, {0x11, 1},
                 {0x19, 1}, {0x27, 1}, {0x28, 1}, {0x3E, 1}, {0x85, 1}};
constexpr std::size_t kIdentifier = 2;  // bytes

std::size_t repeated_bytes(std::uint8_t service) TACTUS_RT {
  for (const auto& each : kRepeated)
    if (each.service == service) return each.bytes;
  return 0;
}

/// Returns true if it is a positive answer to this request, as far as it repeats it.
bool is_answer_to(const std::vector<std::uint8_t>& request, std::span<const std::uint8_t> data) TACTUS_RT {
  const std::uint8_t service = request[0];
  if (data.empty() || data[0] != static_cast<std::uint8_t>(service + kAnswer)) return false;
  const bool has_identifier = repeated_bytes(service) == kIdentifier;
  const std::size_t last = std::min(repeated_bytes(service) + 1, request.size());
  if (data.size() < last) return false;
  for (std::size_t i = 1; i < last; ++i) {
    const bool is_subfunction = i == 1 && !has_identifier;
    if (data[i] != (is_subfunction ? request[i] & ~kQuiet & 0xFF : request[i])) return false;
  }
  return true;
}

}  // namespace

const tactus_label Station::kStates[6] = {
    {"idle", static_cast<int>(State::idle)},           {"waiting", static_cast<int>(State::waiting)},
    {"answered", static_cast<int>(State::answered)},   {"refused", static_cast<int>(State::refused)},
    {"timed_out", static_cast<int>(State::timed_out)}, {"failed", static_cast<int>(State::failed)}};

Station::Station(const StationSettings& settings, const Problems& problems)
    : name_(settings.name), timeout_(settings.timeout.count()) {
  const std::string path = "stations." + name_;
  const auto id = [&](const std::string& text, const char* key) {
    return static_cast<std::uint32_t>(whole_of(text, 0x1FFF'FFFF, path + "." + key, problems));
  };
  address_.request = id(settings.request, "request");
  address_.response = id(settings.response, "response");
  address_.extended = address_.request > 0x7FF || address_.response > 0x7FF;
  address_.padding = settings.padding;
  if (address_.request == address_.response)
    problems.add(path + ".response", "is the id of the request; a station answers with another one");
  for (const StationSettings::Request& each : settings.requests) {
    Request& made = requests_.emplace_back();
    made.name = each.name;
    made.bytes = bytes_of(each.bytes, path + ".requests." + each.name, problems);
  }
}

/// Names ids of stations that belong to messages or to other stations: frames go to one of them alone.
void CanModel::check_stations(const Problems& problems) const {
  for (std::size_t i = 0; i < stations_.size(); ++i) {
    const IsoTpAddress& address = stations_[i].address();
    const std::string path = "stations." + stations_[i].name();
    const std::pair<const char*, std::uint32_t> ids[] = {{".request", address.request},
                                                         {".response", address.response}};
    for (const auto& [key, id] : ids) {
      const std::uint64_t wanted = key_of(id, address.extended);
      for (const Known& each : known_)
        if (each.key == wanted) {
          problems.add(path + key,
                       "is the id of message " + each.message->message().name +
                           ", which is received; give the station another one, or leave the message out");
          break;
        }
      for (const auto& [sent, index] : tags_)
        if (sent == wanted)
          problems.add(path + key,
                       "is the id of message " + sent_[index].message().name +
                           ", which is sent; give the station another one, or leave the message out");
      for (std::size_t k = 0; k < i; ++k) {
        const IsoTpAddress& other = stations_[k].address();
        if (other.extended == address.extended && (id == other.request || id == other.response))
          problems.add(path + key, "is an id of station " + stations_[k].name() + "; each has its own two");
      }
    }
  }
}

void Station::declare(Declaring& d) {
  for (Request& each : requests_) {
    const std::string dot = name_ + "." + each.name + ".";
    d.input(dot + "send", each.send, "each change of the value sends the request once");
    d.words(dot + "state", each.state, "result of the last request", kStates);
    d.output(dot + "answers", each.answers, "positive answers");
    d.output(dot + "time", each.time, "s", "time from the last request to its result");
    d.output(dot + "refusal", each.refusal, "code of a negative answer (NRC of ISO 14229); 0: none");
    d.output(dot + "length", each.length, "bytes of the last positive answer");
    d.bytes(dot + "data", each.data.data(), static_cast<std::uint32_t>(each.data.size()),
            "first bytes of the last positive answer");
    if (each.bytes[0] != kReadFaults) continue;
    d.output(dot + "codes", each.codes, "fault codes of the last positive answer");
    d.output(dot + "first_code", each.first_code, "first of these fault codes, three bytes; 0: none");
  }
}

void Station::open(const std::string& interface, bool by_kernel) {
  if (by_kernel)
    transport_ = open_kernel_iso_tp(interface, address_);
  else
    transport_ = std::make_unique<FramedIsoTp>(address_);
}

bool Station::receive(const CanFrame& frame, std::int64_t now) TACTUS_RT {
  if (transport_ == nullptr) return false;
  if (transport_->receive(frame, now)) return true;
  return frame.extended == address_.extended &&
         (frame.id == address_.request || frame.id == address_.response);
}

bool Station::next(CanFrame& frame, std::int64_t now) TACTUS_RT {
  return transport_ != nullptr && transport_->next(frame, now);
}

void Station::begin(Request& request, std::int64_t now, bool is_off) TACTUS_RT {
  request.is_wanted = false;
  under_way_ = &request;
  begun_ = now;
  until_ = now + timeout_;
  if (!is_off) transport_->send(request.bytes, now);  // else nothing hears it
}

void Station::end(State state, std::int64_t now) TACTUS_RT {
  under_way_->state = static_cast<std::int32_t>(state);
  under_way_->time = static_cast<double>(now - begun_) * 1e-9;
  if (state != State::answered && state != State::refused) transport_->reset();
  under_way_ = nullptr;
}

void Station::read_codes(Request& request, std::span<const std::uint8_t> data) TACTUS_RT {
  request.codes = request.first_code = 0;
  if (request.bytes.size() < 2) return;
  const auto kind = static_cast<std::uint8_t>(request.bytes[1] & ~kQuiet);
  if (kind == 0x01 || kind == 0x07 || kind == 0x11 || kind == 0x12) {  // their number alone
    if (data.size() >= 6) request.codes = static_cast<std::uint32_t>(data[4] << 8U | data[5]);
    return;
  }
  const CodeList* const list = std::ranges::find(kCodeLists, kind, &CodeList::kind);
  constexpr std::size_t kCode = 3;  // bytes
  if (list == std::end(kCodeLists) || data.size() < list->head + list->code + kCode) return;
  request.codes = list->each == 0 ? 1U : static_cast<std::uint32_t>((data.size() - list->head) / list->each);
  const auto code = data.subspan(list->head + list->code, kCode);
  request.first_code = static_cast<std::uint32_t>(code[0] << 16U | code[1] << 8U | code[2]);
}

void Station::answer(std::span<const std::uint8_t> data, std::int64_t now) TACTUS_RT {
  Request& request = *under_way_;
  const std::uint8_t service = request.bytes[0];
  if (data.size() >= 3 && data[0] == kNegative && data[1] == service) {
    if (data[2] == kPending) {
      until_ = now + std::max(timeout_, kPendingTime);
      return;
    }
    request.refusal = data[2];
    return end(State::refused, now);
  }
  if (!is_answer_to(request.bytes, data)) return;  // of an earlier request
  ++request.answers;
  request.refusal = 0;
  request.length = static_cast<std::uint32_t>(data.size());
  request.data.fill(0);
  std::memcpy(request.data.data(), data.data(), std::min(data.size(), request.data.size()));
  if (service == kReadFaults) read_codes(request, data);
  end(State::answered, now);
}

void Station::step(std::int64_t now, bool is_off) TACTUS_RT {
  for (Request& each : requests_) {
    if (each.send == each.last_send) continue;
    each.last_send = each.send;
    each.is_wanted = true;
    each.state = static_cast<std::int32_t>(State::waiting);
  }
  IsoTpEvent event;
  while (transport_->take(event, now)) {
    if (under_way_ == nullptr || is_off) continue;
    if (event.kind == IsoTpEvent::Kind::answer) answer(event.data, now);
    if (event.kind == IsoTpEvent::Kind::failed)
      end(event.error == ETIMEDOUT ? State::timed_out : State::failed, now);
  }
  if (under_way_ != nullptr && now > until_) end(State::timed_out, now);
  for (std::size_t i = 0; under_way_ == nullptr && i < requests_.size(); ++i) {
    Request& each = requests_[looked_];
    looked_ = (looked_ + 1) % requests_.size();
    if (each.is_wanted) begin(each, now, is_off);
  }
}

void Station::restart() TACTUS_RT {
  if (transport_ != nullptr) transport_->reset();
  under_way_ = nullptr;
  for (Request& each : requests_) {
    each.is_wanted = false;
    each.last_send = each.send;
    if (each.state == static_cast<std::int32_t>(State::waiting))
      each.state = static_cast<std::int32_t>(State::idle);
  }
}

}  // namespace tactus::drivers::can
