// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/codec/own_checksum.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "drivers/can/dbc/database.hpp"

namespace tactus::drivers::can {
namespace {

std::string loader_error() {
  const char* const text = ::dlerror();  // NOLINT(concurrency-mt-unsafe): one per thread
  return text == nullptr ? "no reason is given" : text;
}

}  // namespace

OwnChecksum OwnChecksum::of_library(const std::string& library, const std::string& function) {
  OwnChecksum made;
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw std::runtime_error("the library of a checksum cannot be loaded: " + loader_error());
  made.library_ = std::shared_ptr<void>(handle, [](void* each) { (void)::dlclose(each); });
  void* const symbol = ::dlsym(handle, function.c_str());
  if (symbol == nullptr)
    throw std::runtime_error(library + ": has no function '" + function +
                             "'; in C++ it needs extern \"C\", and it must be exported");
  made.function_ =
      reinterpret_cast<Function>(symbol);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): dlsym
  return made;
}

OwnChecksum OwnChecksum::of_table(const CrcRule& rule, std::vector<std::uint8_t> constants) {
  if (rule.width < 8 || rule.width > 64)
    throw std::invalid_argument("a CRC of " + std::to_string(rule.width) + " bits; 8 .. 64 are possible");
  OwnChecksum made;
  made.crc_ = std::make_shared<const Crc>(rule);
  made.constants_ = std::move(constants);
  return made;
}

std::uint64_t OwnChecksum::of(const std::uint8_t* data, unsigned length, std::uint32_t id,
                              std::uint32_t counter, unsigned at, unsigned bytes) const TACTUS_RT {
  length = std::min(length, kMostBytes);
  const unsigned from = std::min(at, length);
  const unsigned to = std::min(at + bytes, length);
  if (function_ != nullptr) {
    std::array<std::uint8_t, kMostBytes> copy{};
    std::copy_n(data, length, copy.begin());
    std::fill(copy.begin() + from, copy.begin() + to, std::uint8_t{0});
    return function_(copy.data(), length, id, counter);
  }
  std::uint64_t crc = crc_->add(crc_->begin(), std::span(data, from));
  crc = crc_->add(crc, std::span(data + to, length - to));
  if (!constants_.empty()) crc = crc_->add(crc, constants_[counter % constants_.size()]);
  return crc_->end(crc);
}

}  // namespace tactus::drivers::can
