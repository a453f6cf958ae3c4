// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/signal.hpp"

#include <cstring>
#include <map>

#include "drivers/gpio/lines.hpp"
#include "drivers/gpio/text.hpp"

namespace tactus::drivers::gpio {

Signal::Signal(const LineGroup& group, const std::string& chip, unsigned first)
    : name_(group.name),
      first_(first),
      width_(static_cast<unsigned>(group.lines.size())),
      single_(group.single),
      invert_(0) {
  if (group.active_low) invert_ = largest();
  std::string numbers;
  for (const std::string& line : group.lines) numbers += (numbers.empty() ? "" : ", ") + line;
  about_ = chip + (single_ ? " line " : " lines ") + numbers + (group.active_low ? ", active low" : "");
}

template <class Visit>
void Signal::with_data(Visit visit) {
  if (single_) {
    visit(flag_);
  } else if (width_ <= 8) {
    visit(u8_);
  } else if (width_ <= 16) {
    visit(u16_);
  } else if (width_ <= 32) {
    visit(u32_);
  } else {
    visit(u64_);
  }
}

void Signal::declare_input(Declare& d) {
  with_data([this, &d](auto& data) { d.input(name_.c_str(), data, "", about_.c_str()); });
}

void Signal::declare_output(Declare& d) {
  with_data([this, &d](auto& data) { d.output(name_.c_str(), data, "", about_.c_str()); });
}

std::uint64_t Signal::value() const TACTUS_RT {
  if (single_) return flag_ ? 1 : 0;
  return width_ <= 8 ? u8_ : width_ <= 16 ? u16_ : width_ <= 32 ? u32_ : u64_;
}

void Signal::set(std::uint64_t value) TACTUS_RT {
  flag_ = value != 0;
  u8_ = static_cast<std::uint8_t>(value);
  u16_ = static_cast<std::uint16_t>(value);
  u32_ = static_cast<std::uint32_t>(value);
  u64_ = value;
}

std::vector<unsigned> find_lines(const Chip& chip, const std::vector<LineGroup>& all) {
  std::vector<unsigned> found;
  std::map<unsigned, std::string> users;
  for (const LineGroup& group : all) {
    for (const std::string& line : group.lines) {
      const unsigned offset = find_line(chip, line);
      const auto [at, fresh] = users.emplace(offset, group.name);
      if (!fresh)
        throw GpioError(line_text(chip, offset) + " is used twice in one model, by '" + at->second +
                        "' and by '" + group.name + "'");
      found.push_back(offset);
    }
  }
  return found;
}

const char* error_text(int error) TACTUS_RT {
  const char* const text = ::strerrordesc_np(error);
  return text == nullptr ? "unknown error" : text;
}

}  // namespace tactus::drivers::gpio
