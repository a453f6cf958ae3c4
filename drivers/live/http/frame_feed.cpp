// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/frame_feed.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "drivers/live/http/replies.hpp"
#include "executive/model/with_type.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::drivers::live_http {
namespace {

using executive::LiveFrames;
using executive::LiveRig;

constexpr std::chrono::seconds kBeat{1};

template <class T>
void put(std::string& to, T value) {
  static_assert(std::endian::native == std::endian::little, "blocks are written as they lie in memory");
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  to.append(bytes.data(), bytes.size());
}

void pad(std::string& text) { text.resize((text.size() + 7) / 8 * 8); }

const char* format_name(FrameFormat format, tactus_type type) {
  if (format == FrameFormat::f64) return "f64";
  if (format == FrameFormat::f32) return "f32";
  static constexpr rtsync::Worded<tactus_type> kNames[] = {
      {TACTUS_BOOL, "u8"},    {TACTUS_UINT8, "u8"},  {TACTUS_INT8, "i8"},    {TACTUS_INT16, "i16"},
      {TACTUS_UINT16, "u16"}, {TACTUS_INT32, "i32"}, {TACTUS_UINT32, "u32"}, {TACTUS_INT64, "i64"},
      {TACTUS_UINT64, "u64"}, {TACTUS_FLOAT, "f32"}};
  return rtsync::word_of(kNames, type, "f64");
}

std::size_t width_of(FrameFormat format, tactus_type type) {
  return format == FrameFormat::f64 ? 8 : format == FrameFormat::f32 ? 4 : executive::size_of(type);
}

/// State of the rig in a beat.
std::uint32_t standing(executive::State state) {
  using executive::State;
  const bool runs = state == State::step_begin || state == State::step_simulator ||
                    state == State::step_controller || state == State::step_end;
  return runs ? 0 : state == State::pause ? 1 : 2;
}

}  // namespace

std::size_t FrameFeed::columns_of(const std::vector<Named>& names) {
  std::size_t columns = 0;
  for (const Named& one : names) columns += one.expression ? 1 : one.ref.elements;
  return columns;
}

FrameFeed::FrameFeed(const LiveRig& rig, const std::vector<Named>& names, FrameFormat format,
                     std::optional<std::int64_t> from, std::shared_ptr<LiveFrames> frames)
    : rig_(rig),
      format_(format),
      asked_from_(from.value_or(-1)),
      from_(from),
      frames_(std::move(frames)),
      names_(names),
      layout_(layout_of(rig, names)),
      spoke_(Clock::now()) {
  for (std::size_t at = 0; at < names.size(); ++at) {
    const Named& one = names[at];
    if (one.expression) {
      columns_.push_back({one.name, one.expression->unit(), TACTUS_DOUBLE, 0, width_of(format, TACTUS_DOUBLE),
                          one.expression});
      continue;
    }
    std::size_t offset = layout_.offsets[at];
    const executive::Variable& variable = *rig.variables()[one.ref.variable].variable;
    for (std::uint32_t i = 0; i < one.ref.elements; ++i) {
      const std::string index = variable.count > 0 ? executive::index_text(variable, one.ref.first + i) : "";
      columns_.push_back({variable.name + index, variable.unit_text, variable.type, offset,
                          width_of(format, variable.type), nullptr});
      offset += executive::size_of(variable.type);
    }
  }
  block_.resize(columns_.size());
}

void FrameFeed::say(Kind kind, std::uint32_t count, std::int64_t frame, std::int64_t frames,
                    const std::string& body) {
  out_ += "TSB1";
  put(out_, static_cast<std::uint32_t>(kHeader + body.size()));
  put(out_, static_cast<std::uint32_t>(kind));
  put(out_, count);
  put(out_, frame);
  put(out_, frames);
  out_ += body;
}

void FrameFeed::say_head() {
  Json columns = Json::array();
  for (const Column& column : columns_)
    columns.push_back({{"name", column.name},
                       {"type", column.expression ? std::string(column.expression->type())
                                                  : std::string(executive::name_of(column.type))},
                       {"unit", column.unit},
                       {"format", format_name(format_, column.type)}});
  const executive::LiveFacts& facts = rig_.facts();
  std::string text = text_of({{"columns", std::move(columns)},
                              {"period", {{"num_ns", facts.frame.num()}, {"den", facts.frame.den()}}},
                              {"realtime", facts.realtime},
                              {"blocks_per_second", kBlocksPerSecond}});
  const auto size = static_cast<std::uint32_t>(text.size());
  pad(text);
  say(Kind::head, size, asked_from_, 0, text);
}

void FrameFeed::say_end() {
  std::string text = text_of({{"state", state_text(rig_.state())}, {"reason", *end_}});
  const auto size = static_cast<std::uint32_t>(text.size());
  pad(text);
  say(Kind::end, size, last_frame_.value_or(-1), 0, text);
  over_ = true;
}

/// False: the first frame that is wanted has not come.
bool FrameFeed::skip_to_first() {
  if (!from_) return true;
  for (auto row = frames_->front(); row; row = frames_->front()) {
    if (row->frame >= *from_) {
      if (row->frame > *from_) say_gap(Gap::not_kept, *from_, row->frame - *from_);
      from_.reset();
      return true;
    }
    frames_->release();
  }
  return false;
}

/// The row continues where the last one ended; else says what is missing between them.
bool FrameFeed::follows(const LiveFrames::Row& row) {
  if (!last_frame_) return true;
  const std::int64_t expected = *last_frame_ + 1;
  const auto lost = static_cast<std::int64_t>(row.number - last_number_ - 1);
  if (lost == 0 && row.frame == expected) return true;
  if (lost > 0) say_gap(Gap::slow_reader, expected, lost);
  if (row.frame != expected + lost) say_gap(Gap::other_frame, row.frame, 0);
  return false;
}

void FrameFeed::append(std::string& to, const Column& column, const std::byte* values) const {
  const std::byte* const from = values + column.offset;
  if (format_ == FrameFormat::exact && !column.expression) {
    std::array<char, 8> bytes;
    std::memcpy(bytes.data(), from, column.width);
    to.append(bytes.data(), column.width);
    return;
  }
  const double value =
      column.expression ? column.expression->number() : executive::with_type(column.type, [from](auto zero) {
        return static_cast<double>(executive::load_element<decltype(zero)>(from));
      });
  if (format_ == FrameFormat::f32)
    put(to, static_cast<float>(value));
  else
    put(to, value);
}

/// A block of rows without a hole. False: there is none.
bool FrameFeed::say_rows() {
  auto row = frames_->front();
  if (!row) return false;
  if (!follows(*row)) {
    last_frame_.reset();
    begin_anew(names_);
  }
  const std::int64_t first = row->frame;
  std::size_t rows = 0;
  for (std::string& column : block_) column.clear();
  for (; row && rows < kMostRows; row = frames_->front(), ++rows) {
    const bool next = !last_frame_ || (row->frame == *last_frame_ + 1 && row->number == last_number_ + 1);
    if (!next) break;
    run_expressions(names_, layout_, row->values);
    for (std::size_t i = 0; i < columns_.size(); ++i) append(block_[i], columns_[i], row->values);
    last_frame_ = row->frame;
    last_number_ = row->number;
    frames_->release();
  }
  std::string body;
  for (std::string& column : block_) {
    pad(column);
    body += column;
  }
  say(Kind::rows, static_cast<std::uint32_t>(rows), first, 0, body);
  return true;
}

std::string FrameFeed::next(Clock::time_point now) {
  if (over_) return {};
  constexpr std::size_t kEnough = 256 << 10;  // the rest waits in the ring
  if (!std::exchange(head_said_, true)) say_head();
  if (frames_ != nullptr && skip_to_first())
    while (out_.size() < kEnough && say_rows()) continue;
  if (out_.empty() && end_) say_end();
  if (out_.empty() && now - spoke_ >= kBeat)
    say(Kind::beat, standing(rig_.state()), last_frame_.value_or(-1), 0, {});
  if (!out_.empty()) spoke_ = now;
  return std::exchange(out_, {});
}

}  // namespace tactus::drivers::live_http
