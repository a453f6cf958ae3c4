// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Exceptions inside, return codes outside.
///
/// Threads  any; the last error is each thread's own.
#include <initializer_list>
#include <string>

#include "drivers/silkit/core/error.hpp"
#include "tactus/silkit.h"

namespace tactus::silkit {

/// Text that SilKit_GetLastErrorString() returns on this thread.
const char* last_error() noexcept;
/// Keeps the text for last_error().
SilKit_ReturnCode failed(Code code, const char* text) noexcept;
/// Sets the error of the exception that is being handled; for a catch block.
SilKit_ReturnCode failed_by_exception() noexcept;

/// Throws Refusal naming the parameter that is null.
[[noreturn]] void refuse_null(const char* name);

/// Does `work`; success, or what it threw as a return code.
template <class Work>
SilKit_ReturnCode guarded(Work&& work) noexcept {
  try {
    work();
    return SilKit_ReturnCode_SUCCESS;
  } catch (...) {
    return failed_by_exception();
  }
}

/// A parameter that must not be null.
struct Given {
  template <class Pointee>
  Given(Pointee* pointer, const char* its_name) : is_null(pointer == nullptr), name(its_name) {}

  bool is_null;
  const char* name;
};

/// Does `work` unless one of `all` is null; the first one is named.
template <class Work>
SilKit_ReturnCode guarded(std::initializer_list<Given> all, Work&& work) noexcept {
  return guarded([&] {
    for (const Given& each : all)
      if (each.is_null) refuse_null(each.name);
    work();
  });
}

/// Throws Refusal naming the parameter when it is null.
template <class Pointer>
void require(Pointer pointer, const char* name) {
  if (pointer == nullptr) refuse_null(name);
}

/// The same for a text of a structure, for which SIL Kit has another code: Code::unspecified.
inline void require_text(const char* text, const char* name) {
  if (text == nullptr) throw Refusal(Code::unspecified, std::string(name) + " must not be null");
}

/// Throws Refusal unless the header is one of the API's structures; which one does not count.
void require_header(const SilKit_StructHeader& header, const char* name);

}  // namespace tactus::silkit
