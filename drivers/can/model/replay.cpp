// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/replay.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "drivers/can/log/log_format.hpp"
#include "drivers/can/model/id_index.hpp"

namespace tactus::drivers::can {
namespace {

constexpr std::size_t kMostFrames = 2'000'000;  // 96 bytes each

// Parts of a key, which is an id with the bit of 29-bit ids.
constexpr std::uint64_t kAllBits = ~std::uint64_t{0}, kPriority = std::uint64_t{7} << 26U, kSource = 0xFF;

/// Frames that the rig sends or receives itself: those whose key is this one but for the bits that are not in the mask.
struct Own {
  std::uint64_t key, mask;
};

}  // namespace

Replay::Replay(const ReplaySettings& settings, const std::string& folder, const Database& database,
               const Selection& selection, const Problems& problems)
    : at_(settings.at.count()), is_looped_(settings.loop) {
  read((std::filesystem::path(folder) / settings.file).string(), settings,
       wanted(settings, database, selection, problems), problems);
}

Replay::Wanted Replay::wanted(const ReplaySettings& settings, const Database& database,
                              const Selection& selection, const Problems& problems) const {
  std::set<std::uint64_t> keys;
  const auto key = [](const Message& message) { return key_of(message.id, message.extended); };
  if (settings.messages.empty()) {
    std::vector<Own> own;
    for (const auto& each : selection.sent) own.push_back({key(*each.message), kAllBits});
    for (const auto& each : selection.received)
      own.push_back({key(*each.message),
                     kAllBits & ~(each.any_priority ? kPriority : 0) & ~(each.any_source ? kSource : 0)});
    return [own](const CanFrame& frame) {
      const std::uint64_t is = key_of(frame.id, frame.extended);
      return std::ranges::none_of(own, [is](const Own& each) { return ((each.key ^ is) & each.mask) == 0; });
    };
  }
  const auto refuse_sent = [&](std::uint64_t wanted, const std::string& path) {
    for (const auto& each : selection.sent)
      if (key(*each.message) == wanted)
        problems.add(path, "message " + each.message->name +
                               " is sent by the rig, too; remove it here, or from what the rig sends");
  };
  for (std::size_t i = 0; i < settings.messages.size(); ++i) {
    const std::string& name = settings.messages[i];
    const std::string path = "replay.messages[" + std::to_string(i) + "]";
    if (name.starts_with("0x")) {
      const std::uint64_t id = whole_of(name, 0x1FFF'FFFF, path, problems);
      keys.insert(key_of(static_cast<std::uint32_t>(id), id > 0x7FF));
      refuse_sent(key_of(static_cast<std::uint32_t>(id), id > 0x7FF), path);
      continue;
    }
    bool any = false;
    for (const Message& message : database.messages) {
      if (!fits(name, message.name)) continue;
      any = true;
      keys.insert(key(message));
      refuse_sent(key(message), path);
    }
    if (!any)
      problems.add(path, "the database has no message that fits '" + name +
                             "'; write a name, a pattern, or an id, 0x123");
  }
  return [keys](const CanFrame& frame) { return keys.count(key_of(frame.id, frame.extended)) != 0; };
}

void Replay::read(const std::string& file, const ReplaySettings& settings, const Wanted& is_wanted,
                  const Problems& problems) {
  std::ifstream in(file);
  const auto refuse = [&](const std::string& why) { problems.add("replay.file", file + ": " + why); };
  if (!in) return refuse("cannot be read: " + reason_of(errno));
  LogReader reader;
  std::string line;
  bool has_first = false;
  std::int64_t first = 0;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.size() > 4096) return refuse("line " + std::to_string(number) + " is longer than 4096 bytes");
    if (!line.empty() && line.back() == '\r') line.pop_back();
    bool is_wrong = false;
    const auto logged = reader.read(line, is_wrong);
    if (is_wrong) return refuse("line " + std::to_string(number) + " " + reader.complaint());
    if (!logged) continue;
    if (!settings.channel.empty() && logged->channel != settings.channel) continue;
    if (!has_first) first = logged->time;
    has_first = true;
    length_ = std::max(length_, logged->time - first);
    if (!is_wanted(logged->frame)) continue;
    if (frames_.size() == kMostFrames) return refuse("has more than 2000000 frames");
    frames_.push_back({logged->time - first, logged->frame});
  }
  if (frames_.empty())
    refuse(!has_first && !settings.channel.empty() ? "has no frames of channel '" + settings.channel + "'"
                                                   : "has no frames that are to be sent again");
  std::ranges::stable_sort(frames_, [](const Due& a, const Due& b) { return a.time < b.time; });
  if (!frames_.empty() && frames_.front().time < 0) {  // lines that are not in order
    const std::int64_t before = frames_.front().time;
    for (Due& each : frames_) each.time -= before;
    length_ -= before;
  }
  length_ = std::max<std::int64_t>(length_, 1'000'000);  // a round, at least
  round_ = at_;
}

bool Replay::has_fd() const {
  return std::ranges::any_of(frames_, [](const Due& each) { return each.frame.fd; });
}

void Replay::declare(Declaring& d) {
  d.input("replay.enabled", is_enabled_, "no: its frames are not sent, and their time continues");
  d.output("replay.sent", sent_, "frames that were handed over");
}

bool Replay::next(CanFrame& frame, std::int64_t& offset, std::int64_t now, std::int64_t period) TACTUS_RT {
  while (true) {
    if (next_ == frames_.size()) {
      if (!is_looped_) return false;
      next_ = 0;
      round_ += length_;
    }
    const std::int64_t time = round_ + frames_[next_].time;
    if (time >= now + period) return false;
    const Due& due = frames_[next_++];
    if (!is_enabled_ || time < now) continue;  // `time` < `now`: the rig began after it
    frame = due.frame;
    offset = time - now;
    return true;
  }
}

void Replay::restart(std::int64_t now) TACTUS_RT {
  const std::int64_t rounds = is_looped_ && now > at_ ? (now - at_) / length_ : 0;
  round_ = at_ + rounds * length_;
  const auto at = std::ranges::lower_bound(frames_, now - round_, {}, &Due::time);
  next_ = static_cast<std::size_t>(at - frames_.begin());
}

}  // namespace tactus::drivers::can
