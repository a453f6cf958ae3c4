// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/can_convert.hpp"

#include <cstring>

#include "drivers/link/can_rules.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::drivers::link {
namespace {

constexpr unsigned kMostClassic = 8;
constexpr unsigned kMostFd = 64;
constexpr unsigned kLengths[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64};  // by DLC

std::uint16_t dlc_of(unsigned length) {
  std::uint16_t dlc = 0;
  while (kLengths[dlc] < length && dlc < 15) ++dlc;
  return dlc;
}

}  // namespace

SilKit_CanFrame to_silkit(const can::CanFrame& frame) {
  SilKit_CanFrame made = tactus_silkit_CanFrame();
  made.id = frame.id;
  if (frame.remote) made.flags |= SilKit_CanFrameFlag_rtr;
  if (frame.extended) made.flags |= SilKit_CanFrameFlag_ide;
  if (frame.fd) made.flags |= SilKit_CanFrameFlag_fdf;
  if (frame.bit_rate_switch) made.flags |= SilKit_CanFrameFlag_brs;
  made.dlc = dlc_of(frame.length);
  made.data = {frame.data.at, frame.remote ? 0U : frame.length};
  return made;
}

std::string from_silkit(const SilKit_CanFrame& frame, bool fd, can::CanFrame& to) {
  const auto has = [&](SilKit_CanFrameFlag flag) { return (frame.flags & flag) != 0; };
  const std::string name = "frame " + rtsync::format_text("0x%X", frame.id);
  to = {};
  to.id = frame.id;
  to.extended = has(SilKit_CanFrameFlag_ide);
  to.fd = has(SilKit_CanFrameFlag_fdf);
  to.bit_rate_switch = to.fd && has(SilKit_CanFrameFlag_brs);
  to.remote = has(SilKit_CanFrameFlag_rtr);
  if (has(SilKit_CanFrameFlag_xlf)) return name + " is of CAN XL, which the bus does not carry";
  if (frame.id > (to.extended ? kMostExtendedId : kMostStandardId))
    return name + " has an identifier of more than " + (to.extended ? "29" : "11") + " bits";
  if (to.fd && !fd)
    return name + " is of CAN FD, and no message of the model is: its bus does not carry CAN FD";
  if (to.fd && to.remote) return name + " is a remote frame of CAN FD, which there is not";
  const std::size_t size = to.remote ? frame.dlc : frame.data.size;
  const unsigned most = to.fd ? kMostFd : kMostClassic;
  if (size > most)
    return name + " has " + std::to_string(size) + " bytes; " + std::to_string(most) + " at most";
  if (!to.remote && size > 0 && frame.data.data == nullptr) return name + " has no data";
  to.length = static_cast<std::uint8_t>(to.fd ? can::wire_length(static_cast<unsigned>(size)) : size);
  if (!to.remote && size > 0) std::memcpy(to.data.at, frame.data.data, size);
  return "";
}

}  // namespace tactus::drivers::link
