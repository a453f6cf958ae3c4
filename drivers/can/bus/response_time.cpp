// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/bus/response_time.hpp"

#include <algorithm>
#include <cmath>

namespace tactus::drivers::can {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
/// Steps of all iterations together: near a full bus a busy period may be longer than anyone waits for.
constexpr std::int64_t kMostSteps = 200'000'000;

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t time_of(std::int64_t bits, std::int64_t rate) { return up(bits * kSecond, rate); }

/// The order in which arbitration lets frames go: the first bits of a 29-bit id against all of an 11-bit one, which wins
/// where these are the same.
std::uint64_t rank(const Message& message) {
  return message.extended ? std::uint64_t{message.id} << 1U | 1U : std::uint64_t{message.id} << 19U;
}

class Analysis {
 public:
  Analysis(std::vector<MessageLoad>& all, std::int64_t bit) : all_(all), bit_(bit) {}

  void run() {
    double used = 0;
    for (std::size_t m = 0; m < all_.size(); ++m) {
      if (!all_[m].period) continue;
      used += static_cast<double>(all_[m].frame) / static_cast<double>(*all_[m].period);
      if (used < 1) all_[m].response = response(m);
    }
  }

 private:
  /// Frames of more important messages that come up to `time`.
  std::int64_t before(std::size_t m, std::int64_t time) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < m; ++k)
      if (all_[k].period) sum += up(time, *all_[k].period) * all_[k].frame;
    steps_ += static_cast<std::int64_t>(m) + 1;
    return sum;
  }

  std::optional<std::int64_t> response(std::size_t m) {
    const std::int64_t own = all_[m].frame;
    const std::int64_t period = *all_[m].period;
    std::int64_t blocked = 0;  // a less important frame that has just begun
    for (std::size_t k = m + 1; k < all_.size(); ++k) blocked = std::max(blocked, all_[k].frame);
    std::int64_t busy = own;
    for (std::int64_t next = 0;; busy = next) {
      next = blocked + before(m, busy) + up(busy, period) * own;
      if (next == busy) break;
      if (steps_ > kMostSteps) return std::nullopt;
    }
    std::int64_t worst = 0;
    std::int64_t wait = blocked;
    for (std::int64_t q = 0; q < up(busy, period); ++q) {
      wait = std::max(wait, blocked + q * own);
      for (std::int64_t next = 0;; wait = next) {
        next = blocked + q * own + before(m, wait + bit_);
        if (next == wait) break;
        if (steps_ > kMostSteps) return std::nullopt;
      }
      worst = std::max(worst, wait - q * period + own);
    }
    return worst;
  }

  std::vector<MessageLoad>& all_;
  std::int64_t bit_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::int64_t longest_frame(const Message& message, const BitRates& rates) {
  if (!message.fd) {
    const std::int64_t stuffed = (message.extended ? 54 : 34) + 8 * std::int64_t{message.length};
    return time_of(stuffed + 13 + (stuffed - 1) / 4, rates.nominal);
  }
  const unsigned bytes = wire_length(message.length);
  const std::int64_t head = message.extended ? 36 : 17;            // up to the bit that switches the rate
  const std::int64_t data = 5 + 8 * std::int64_t{bytes};           // ESI, DLC, data
  const std::int64_t crc = bytes <= 16 ? 4 + 17 + 6 : 4 + 21 + 7;  // with its fixed stuff bits
  const std::int64_t fast = data + (head + data - 1) / 4 - (head - 1) / 4 + crc;
  const std::int64_t slow = head + (head - 1) / 4 + 13;  // delimiter, ACK, end, space
  const bool switches = message.bit_rate_switch && rates.data > 0;
  return switches ? time_of(slow, rates.nominal) + time_of(fast, rates.data)
                  : time_of(slow + fast, rates.nominal);
}

BusLoad bus_load(const Database& database, const BitRates& rates) {
  BusLoad result;
  for (std::size_t m = 0; m < database.messages.size(); ++m) {
    const Message& message = database.messages[m];
    MessageLoad each{.message = m, .frame = longest_frame(message, rates), .period = {}, .response = {}};
    if (message.cycle && *message.cycle >= 0.001 && *message.cycle < 1e9) {
      each.period = static_cast<std::int64_t>(std::llround(*message.cycle * 1e6));
      result.load += static_cast<double>(each.frame) / static_cast<double>(*each.period);
    } else {
      ++result.without_cycle;
    }
    result.messages.push_back(each);
  }
  std::ranges::stable_sort(result.messages, [&](const MessageLoad& a, const MessageLoad& b) {
    return rank(database.messages[a.message]) < rank(database.messages[b.message]);
  });
  Analysis(result.messages, time_of(1, rates.nominal)).run();
  return result;
}

}  // namespace tactus::drivers::can
