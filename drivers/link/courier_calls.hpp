// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Calls of the library by the courier: for its own files alone.
#include <algorithm>
#include <string>
#include <vector>

#include "drivers/link/courier.hpp"

namespace tactus::drivers::link {

template <class Signature, class... Arguments>
SilKit_ReturnCode Courier::call(const ApiFunction<Signature>& function, Arguments... arguments) {
  begin_call(function.name);
  const SilKit_ReturnCode code = function.address(arguments...);
  std::string words;
  if (code != SilKit_ReturnCode_SUCCESS) {
    const char* const text = api_->GetLastErrorString.address();
    const std::string why = text == nullptr ? "" : text;  // before another call forgets it
    words = "(" + api_->name_of(code) + ")" + (why.empty() ? "" : ": " + why);
  }
  end_call(function.name, code, words);
  if (code == SilKit_ReturnCode_SUCCESS || std::ranges::find(told_, function.name) != told_.end())
    return code;
  told_.push_back(function.name);
  std::string what;
  {
    const std::scoped_lock held(ledger_.mutex);
    what = ledger_.facts.error;
  }
  ledger_.note(what + "; more of it is only counted");
  return code;
}

template <class Signature, class... Arguments>
void Courier::must(const ApiFunction<Signature>& function, Arguments... arguments) {
  if (asked_to_leave()) throw Refused{"joining was cancelled"};
  if (call(function, arguments...) == SilKit_ReturnCode_SUCCESS) return;
  const std::scoped_lock held(ledger_.mutex);
  throw Refused{ledger_.facts.error};
}

/// Labels as the library wants them; points into them.
std::vector<SilKit_Label> labels_of(const std::vector<LabelSettings>& settings);

}  // namespace tactus::drivers::link
