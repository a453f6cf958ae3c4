// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/lin_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

namespace tactus::silkit {

bool LinNode::update(std::span<const LinResponse> with) {
  bool all = true;
  for (const LinResponse& response : with) {
    if (response.frame.id < responses.size()) {
      responses[response.frame.id] = response;
    } else {
      all = false;
    }
  }
  return all;
}

LinNode& LinNodes::at(const Address& address) {
  const auto found = nodes_.find(address);
  if (found != nodes_.end()) return found->second;
  const auto first = nodes_.lower_bound({address.first, 0});
  const auto last = nodes_.upper_bound({address.first, std::numeric_limits<std::uint64_t>::max()});
  if (std::distance(first, last) >= std::ptrdiff_t{kMostPerParticipant})
    throw WireError("it has more than " + std::to_string(kMostPerParticipant) + " nodes on a LIN network");
  return nodes_[address];
}

LinNodes::Answer LinNodes::answer(std::uint8_t id) const {
  Answer answer;
  answer.frame.id = id;
  for (const auto& [address, node] : nodes_) {
    const LinResponse& response = node.responses.at(id);
    if (node.mode == LinMode::inactive || node.status != LinStatus::operational ||
        response.mode != LinResponseMode::send)
      continue;
    ++answer.nodes;
    answer.frame = response.frame;
  }
  return answer;
}

bool LinNodes::has_dynamic() const {
  return std::ranges::any_of(nodes_, [](const auto& each) { return each.second.dynamic; });
}

}  // namespace tactus::silkit
