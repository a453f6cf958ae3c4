// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/failure_ring.hpp"

#include <algorithm>
#include <cstring>

namespace tactus::executive {
namespace {

std::size_t record_size(const std::vector<VariableRef>& variables) {
  std::size_t bytes = sizeof(std::int64_t);
  for (const VariableRef& each : variables) bytes += size_of(each.variable->type);
  return bytes;
}

/// A failure has `longest` records before its last frame, and `around` on both sides. Two of them are copied in each
/// frame, so each is copied before the ring comes to it again.
std::int64_t rows_for(std::int64_t around, std::int64_t longest) { return 2 * around + longest + 3; }

/// The frames of `longest` for which there is room beside others.
std::int64_t fitting(std::int64_t longest, std::size_t record, std::size_t failures) {
  const std::size_t copies = std::clamp<std::size_t>(failures, 1, FailureRing::kMostKept) + 1;
  return std::min(longest, static_cast<std::int64_t>(FailureRing::kMostLonger / (record * copies)));
}

}  // namespace

std::size_t FailureRing::bytes_of(const std::vector<VariableRef>& variables, std::int64_t frames_around) {
  return record_size(variables) * static_cast<std::size_t>(rows_for(frames_around, 0)) * 2;
}

FailureRing::FailureRing(const std::vector<VariableRef>& variables, std::int64_t frames_around,
                         std::int64_t longest, std::size_t failures)
    : variables_(variables),
      around_(frames_around),
      longest_(fitting(longest, record_size(variables), failures)),
      rows_(rows_for(frames_around, longest_)),
      bytes_(record_size(variables)),
      ring_(static_cast<std::size_t>(rows_) * bytes_) {
  std::uint32_t offset = sizeof(std::int64_t);
  for (const VariableRef& ref : variables_) {
    const auto bytes = static_cast<std::uint32_t>(size_of(ref.variable->type));
    sources_.push_back({ref.model, ref.data(), bytes, offset});
    offset += bytes;
  }
  const std::size_t room = std::max<std::size_t>(kMostBytes / ring_.size(), 2) - 1;
  copies_.resize(std::min({failures, room, kMostKept}));
  for (Copy& copy : copies_) copy.bytes.resize(ring_.size());
}

void FailureRing::joined(FrameServices& services) {
  for (Source& source : sources_) source.data = services.place_of(source.model, source.data, source.bytes);
}

void FailureRing::copy_one(Copy& copy) TACTUS_RT {
  if (copy.next == copy.end || copy.next == taken_) return;
  std::memcpy(copy.bytes.data() + static_cast<std::size_t>(copy.next - copy.first) * bytes_,
              record(copy.next), bytes_);
  ++copy.next;
}

void FailureRing::take(std::int64_t time_ns) TACTUS_RT {
  std::byte* const to = record(taken_++);
  std::memcpy(to, &time_ns, sizeof time_ns);
  for (const Source& source : sources_) std::memcpy(to + source.offset, source.data, source.bytes);
  for (std::size_t i = 0; i < used_; ++i) {
    copy_one(copies_[i]);
    copy_one(copies_[i]);
  }
}

void FailureRing::fail(std::size_t id, std::int64_t frames_ago) TACTUS_RT {
  if (used_ == copies_.size() || taken_ == 0) return;
  Copy& copy = copies_[used_++];
  copy.id = id;
  copy.first = copy.next =
      std::max(begun_, taken_ - 1 - around_ - std::clamp(frames_ago, std::int64_t{0}, longest_));
  copy.end = taken_ + around_;
}

void FailureRing::begin_anew() TACTUS_RT {
  begun_ = taken_;
  for (std::size_t i = 0; i < used_; ++i) copies_[i].end = std::min(copies_[i].end, taken_);
}

void FailureRing::finish() {
  for (std::size_t i = 0; i < used_; ++i) {
    Copy& copy = copies_[i];
    copy.end = std::min(copy.end, taken_);
    while (copy.next != copy.end) copy_one(copy);
  }
}

std::vector<FailureRing::Kept> FailureRing::kept() const {
  std::vector<Kept> all;
  for (std::size_t i = 0; i < used_; ++i) {
    const Copy& copy = copies_[i];
    Kept& kept = all.emplace_back(Kept{copy.id, {}});
    for (std::int64_t number = copy.first; number < copy.next; ++number)
      kept.records.push_back(copy.bytes.data() + static_cast<std::size_t>(number - copy.first) * bytes_);
  }
  return all;
}

RecordingHead FailureRing::head() const {
  RecordingHead head;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = *variables_[i].variable;
    head.columns.push_back({variables_[i].name(), variable.unit_text, variable.type, sources_[i].offset,
                            variable.labels, variable.recorded_as_word, variable.about});
  }
  return head;
}

}  // namespace tactus::executive
