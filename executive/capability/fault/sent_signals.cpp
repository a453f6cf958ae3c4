// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/fault/sent_signals.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "executive/frame/overlay_pieces.hpp"

namespace tactus::executive {

VariableRef SentSignals::add(const SentVariable& at, const VariableRef& part) {
  const VariableRef& whole = at.whole;
  auto copy = std::ranges::find_if(
      copies_, [&](const Copy& each) { return each.at.signal == at.signal && each.at.index == at.index; });
  if (copy == copies_.end()) {
    copy = copies_.emplace(copies_.end());
    copy->at = at;
    copy->size = whole.elements * size_of(whole.variable->type);
    copy->bytes.assign((copy->size + 7) / 8, 0);
    copy->from = link_.send_from(at.signal, at.index, copy->bytes.data());
    std::memcpy(copy->bytes.data(), copy->from, copy->size);
    copy->variable = *whole.variable;
    copy->variable.role = TACTUS_OUTPUT;
    copy->variable.data = copy->bytes.data();
    copy->variable.count = whole.elements;
    copy->variable.columns = 0;
    copy->variable.name = "@sent." + std::to_string(at.signal) + "." + whole.name();
  }
  return {&copy->variable, part.first - whole.first, part.elements, false, nullptr};
}

std::vector<Piece> SentSignals::pieces() {
  std::vector<Piece> pieces;
  for (Copy& copy : copies_) pieces.push_back(own_piece(copy.variable.name, std::span(copy.bytes)));
  add_overlay_pieces(overlay_, pieces);
  return pieces;
}

void SentSignals::refresh() TACTUS_RT {
  overlay_.hide_all();
  for (Copy& copy : copies_) std::memcpy(copy.bytes.data(), copy.from, copy.size);
  overlay_.show_all();
}

}  // namespace tactus::executive
