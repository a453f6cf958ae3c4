// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace tactus::campaign {

/// The state of a case in the database.
enum class CaseState : std::uint8_t {
  open,     ///< it has no result that counts
  running,  ///< an attempt was claimed, and its end is not known
  done,
};

/// One state for each case. Cases lie in blocks of 4096, and a block whose cases all have the same state takes no room
/// for them: with cases that end in about their order, any number of them takes as much memory as those that run.
///
/// Threads  that of the runner.
class CaseStates {
 public:
  explicit CaseStates(std::int64_t count = 0) : count_(count) {}

  CaseState at(std::int64_t number) const {
    const auto found = blocks_.find(number / kBlock);
    if (found == blocks_.end()) return CaseState::open;
    const Block& block = found->second;
    return block.each ? (*block.each)[static_cast<std::size_t>(number % kBlock)] : CaseState::done;
  }

  void set(std::int64_t number, CaseState state) {
    if (at(number) == state) return;
    const std::int64_t at_block = number / kBlock;
    const std::int64_t size = std::min(kBlock, count_ - at_block * kBlock);
    const auto [found, fresh] = blocks_.try_emplace(at_block);
    Block& block = found->second;
    if (!block.each) {
      block.each = std::make_unique<States>();
      block.each->fill(fresh ? CaseState::open : CaseState::done);
      block.of = {fresh ? size : 0, 0, fresh ? 0 : size};
    }
    CaseState& here = (*block.each)[static_cast<std::size_t>(number % kBlock)];
    --block.of[static_cast<std::size_t>(here)];
    here = state;
    ++block.of[static_cast<std::size_t>(here)];
    if (block.of[static_cast<std::size_t>(CaseState::done)] == size)
      block.each.reset();
    else if (block.of[static_cast<std::size_t>(CaseState::open)] == size)
      blocks_.erase(found);
  }

  /// Number of blocks that take room.
  std::size_t mixed() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(blocks_, [](const auto& each) { return each.second.each != nullptr; }));
  }

 private:
  static constexpr std::int64_t kBlock = 4096;
  using States = std::array<CaseState, kBlock>;
  struct Block {
    std::unique_ptr<States> each;      // nothing: all are done
    std::array<std::int64_t, 3> of{};  // cases in each state
  };

  std::int64_t count_;
  std::map<std::int64_t, Block> blocks_;  // one that is not there: all are open
};

}  // namespace tactus::campaign
