// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include "rtsync/host/provision.hpp"

namespace tactus::rtsync {

inline bool all_granted(const std::vector<Provision>& provisions) {
  return std::all_of(provisions.begin(), provisions.end(), [](const Provision& p) { return p.granted; });
}

}  // namespace tactus::rtsync
