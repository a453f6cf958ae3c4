// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/errors.hpp"

#include <stdexcept>

#include "config/place.hpp"
#include "drivers/silkit/wire/bytes.hpp"

namespace tactus::silkit {
namespace {

thread_local std::string last;
thread_local bool no_room = false;  // not even for the text

}  // namespace

const char* last_error() noexcept { return no_room ? "out of memory" : last.c_str(); }

SilKit_ReturnCode failed(Code code, const char* text) noexcept {
  try {
    last = text;
    no_room = false;
  } catch (...) {
    no_room = true;
  }
  return static_cast<SilKit_ReturnCode>(code);
}

SilKit_ReturnCode failed_by_exception() noexcept {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return failed(refusal.code, refusal.what());
  } catch (const config::ConfigError& error) {
    return failed(Code::configuration, error.what());
  } catch (const WireError& error) {
    return failed(Code::protocol, error.what());
  } catch (const std::length_error& error) {
    return failed(Code::length, error.what());
  } catch (const std::out_of_range& error) {
    return failed(Code::out_of_range, error.what());
  } catch (const std::exception& error) {
    return failed(Code::unspecified, error.what());
  } catch (...) {
    return failed(Code::unspecified, "something that is not a std::exception was thrown");
  }
}

void refuse_null(const char* name) {
  throw Refusal(Code::bad_parameter, std::string(name) + " must not be null");
}

void require_header(const SilKit_StructHeader& header, const char* name) {
  const auto byte = [&](int index) { return static_cast<unsigned>(header.version >> (8 * index)) & 0xFFU; };
  const bool good =
      byte(7) == 'S' && byte(6) == 'K' && byte(5) >= 1 && byte(5) <= 8 && byte(4) != 0 && byte(3) != 0;
  if (!good)
    throw Refusal(Code::bad_parameter,
                  std::string(name) + " has no valid structure header; SilKit_Struct_Init() makes one");
}

}  // namespace tactus::silkit
