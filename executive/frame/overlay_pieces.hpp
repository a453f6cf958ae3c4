// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "executive/model/model_overlay.hpp"
#include "executive/state/state_image.hpp"

namespace tactus::executive {

/// Adds the state of an overlay, all cells of which are known: what each shows, and the truth under it. @when setup
inline void add_overlay_pieces(ModelOverlay& overlay, std::vector<Piece>& pieces) {
  overlay.order_cells();
  for (const ModelOverlay::Named& each : overlay.cells()) {
    OverlayArrays& in = *each.cell->in;
    const std::size_t place = each.cell->place;
    pieces.push_back(own_piece("@overlay." + each.name + ".truth", in.truth[place]));
    pieces.push_back(own_piece("@overlay." + each.name + ".shown", in.shown[place]));
    pieces.push_back(own_piece("@overlay." + each.name + ".is_shown", in.is_shown[place]));
  }
}

}  // namespace tactus::executive
