// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/port/iso_tp.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tactus::drivers::can {
namespace {

constexpr unsigned kSingle = 0, kFirst = 1, kNext = 2, kFlow = 3;  // kinds of a frame
constexpr std::size_t kMostSingle = 7;

/// The least time between two frames that a flow control asks for.
std::int64_t gap_of(std::uint8_t code) TACTUS_RT {
  if (code <= 0x7F) return code * std::int64_t{1'000'000};
  if (code >= 0xF1 && code <= 0xF9) return (code - 0xF0) * std::int64_t{100'000};
  return 127'000'000;
}

}  // namespace

void FramedIsoTp::reset() TACTUS_RT {
  sending_ = Sending::nothing;
  receiving_ = Receiving::nothing;
}

void FramedIsoTp::fail(int error) TACTUS_RT {
  sending_ = Sending::failed;
  receiving_ = Receiving::nothing;
  error_ = error;
}

void FramedIsoTp::send(std::span<const std::uint8_t> message, std::int64_t) TACTUS_RT {
  reset();
  out_size_ = std::min(message.size(), kMost);
  std::memcpy(out_.data(), message.data(), out_size_);
  out_at_ = 0;
  sending_ = Sending::first;
}

bool FramedIsoTp::take(IsoTpEvent& event, std::int64_t now) TACTUS_RT {
  if ((sending_ == Sending::awaits_flow && now > until_) ||
      (receiving_ == Receiving::rest && now > in_until_))
    fail(ETIMEDOUT);
  if (sending_ == Sending::failed) {
    sending_ = Sending::nothing;
    event = {IsoTpEvent::Kind::failed, error_, {}};
    return true;
  }
  if (sending_ == Sending::done) {
    sending_ = Sending::nothing;
    event = {IsoTpEvent::Kind::sent, 0, {}};
    return true;
  }
  if (receiving_ != Receiving::done) return false;
  receiving_ = Receiving::nothing;
  event = {IsoTpEvent::Kind::answer, 0, std::span<const std::uint8_t>(in_).first(in_size_)};
  return true;
}

bool FramedIsoTp::receive(const CanFrame& frame, std::int64_t now) TACTUS_RT {
  if (frame.id != address_.response || frame.extended != address_.extended || frame.remote) return false;
  if (frame.length == 0) return true;
  const std::uint8_t* const data = std::begin(frame.data.at);
  const unsigned low = data[0] & 0x0FU;
  switch (data[0] >> 4U) {
    case kSingle:
      if (low == 0 || low > kMostSingle || frame.length < low + 1) break;
      in_size_ = low;
      std::memcpy(in_.data(), data + 1, low);
      receiving_ = Receiving::done;
      break;
    case kFirst:
      if (frame.length < 8) break;
      in_size_ = static_cast<std::size_t>(low) << 8U | data[1];
      if (in_size_ <= kMostSingle) break;
      std::memcpy(in_.data(), data + 2, 6);
      in_at_ = 6;
      in_number_ = 1;
      receiving_ = Receiving::flow_due;
      break;
    case kNext:
      take_rest(frame, now);
      break;
    case kFlow:
      take_flow(frame, now);
      break;
    default:
      break;
  }
  return true;
}

void FramedIsoTp::take_rest(const CanFrame& frame, std::int64_t now) TACTUS_RT {
  if (receiving_ != Receiving::rest) return;
  const std::uint8_t* const data = std::begin(frame.data.at);
  if ((data[0] & 0x0FU) != (in_number_ & 0x0FU)) return fail(EILSEQ);  // a frame is missing
  ++in_number_;
  const std::size_t bytes = std::min<std::size_t>(in_size_ - in_at_, 7);
  if (frame.length < bytes + 1) return fail(EBADMSG);
  std::memcpy(in_.data() + in_at_, data + 1, bytes);
  in_at_ += bytes;
  in_until_ = now + kTimeout;
  if (in_at_ == in_size_) receiving_ = Receiving::done;
}

void FramedIsoTp::take_flow(const CanFrame& frame, std::int64_t now) TACTUS_RT {
  if (sending_ != Sending::awaits_flow || frame.length < 3) return;
  const std::uint8_t* const data = std::begin(frame.data.at);
  switch (data[0] & 0x0FU) {
    case 0:
      block_ = block_left_ = data[1];
      gap_ = gap_of(data[2]);
      earliest_ = now;
      sending_ = Sending::rest;
      return;
    case 1:  // wait
      until_ = now + kTimeout;
      return;
    default:
      return fail(EMSGSIZE);  // it has no room for the message
  }
}

void FramedIsoTp::head(CanFrame& frame) const TACTUS_RT {
  frame = CanFrame{};
  frame.id = address_.request;
  frame.extended = address_.extended;
}

void FramedIsoTp::fill(CanFrame& frame, unsigned used) const TACTUS_RT {
  frame.length = static_cast<std::uint8_t>(address_.padding < 0 ? used : 8);
  for (unsigned i = used; i < frame.length; ++i)
    frame.data.at[i] = static_cast<std::uint8_t>(address_.padding);
}

bool FramedIsoTp::next(CanFrame& frame, std::int64_t now) TACTUS_RT {
  std::uint8_t* const data = std::begin(frame.data.at);
  if (receiving_ == Receiving::flow_due) {
    head(frame);
    data[0] = kFlow << 4U;  // go on, all at once, without gaps
    fill(frame, 3);
    receiving_ = Receiving::rest;
    in_until_ = now + kTimeout;
    return true;
  }
  if (sending_ == Sending::first) {
    head(frame);
    if (out_size_ <= kMostSingle) {
      data[0] = static_cast<std::uint8_t>(out_size_);
      std::memcpy(data + 1, out_.data(), out_size_);
      fill(frame, static_cast<unsigned>(out_size_) + 1);
      sending_ = Sending::done;
      return true;
    }
    data[0] = static_cast<std::uint8_t>(kFirst << 4U | out_size_ >> 8U);
    data[1] = static_cast<std::uint8_t>(out_size_);
    std::memcpy(data + 2, out_.data(), 6);
    fill(frame, 8);
    out_at_ = 6;
    out_number_ = 1;
    until_ = now + kTimeout;
    sending_ = Sending::awaits_flow;
    return true;
  }
  if (sending_ != Sending::rest || now < earliest_) return false;
  head(frame);
  const std::size_t bytes = std::min<std::size_t>(out_size_ - out_at_, 7);
  data[0] = static_cast<std::uint8_t>(kNext << 4U | (out_number_++ & 0x0FU));
  std::memcpy(data + 1, out_.data() + out_at_, bytes);
  fill(frame, static_cast<unsigned>(bytes) + 1);
  out_at_ += bytes;
  earliest_ = now + gap_;
  if (out_at_ == out_size_) {
    sending_ = Sending::done;
  } else if (block_ > 0 && --block_left_ == 0) {
    sending_ = Sending::awaits_flow;
    until_ = now + kTimeout;
  }
  return true;
}

}  // namespace tactus::drivers::can
