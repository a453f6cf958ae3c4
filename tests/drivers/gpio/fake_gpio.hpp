// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "drivers/gpio/gpio.hpp"
#include "tests/drivers/gpio/terminal_line.hpp"

namespace tactus::test {

/// A chip with no hardware: what was asked of it, and the levels of its lines. The lines of a request for
/// outputs are a terminal too, for what is driven behind its back.
struct FakeChipState {
  drivers::gpio::ChipInfo info{};
  std::vector<drivers::gpio::LineInfo> lines{};
  int open_error = 0;     ///< of opening the chip
  int request_error = 0;  ///< of the next request
  int io_error = 0;       ///< of the next read or write
  std::uint64_t levels = 0;
  int reads = 0;
  int writes = 0;
  std::function<void()> before_write{};  ///< what another thread does meanwhile
  std::vector<unsigned> requested{};
  std::string consumer{};
  drivers::gpio::Bias bias = drivers::gpio::Bias::as_is;
  drivers::gpio::Drive drive = drivers::gpio::Drive::push_pull;
  drivers::gpio::Edges edges = drivers::gpio::Edges::rising;
  TerminalLine terminal{};
  bool held = false;
};

class FakeGpio final : public drivers::gpio::Gpio {
 public:
  FakeChipState& add(const std::string& name, const std::string& label, unsigned lines) {
    auto chip = std::make_shared<FakeChipState>();
    chip->info = {"/dev/" + name, name, label, lines};
    chip->lines.resize(lines);
    chips_.push_back(chip);
    return *chip;
  }

  std::vector<std::string> paths() const override {
    std::vector<std::string> paths;
    for (const auto& chip : chips_) paths.push_back(chip->info.path);
    return paths;
  }

  std::unique_ptr<drivers::gpio::Chip> open(const std::string& path) const override {
    for (const auto& chip : chips_) {
      if (chip->info.path != path) continue;
      throw_if(chip->open_error);
      return std::make_unique<FakeChip>(chip);
    }
    throw_if(path == "/dev/null" ? ENOTTY : ENOENT);
    return nullptr;
  }

 private:
  using State = std::shared_ptr<FakeChipState>;

  static void throw_if(int error) {
    if (error != 0) throw std::system_error(error, std::generic_category());
  }

  class Held {
   public:
    explicit Held(State state) : state_(std::move(state)) { state_->held = true; }
    ~Held() { state_->held = false; }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    FakeChipState& operator*() const { return *state_; }
    FakeChipState* operator->() const { return state_.get(); }

   private:
    State state_;
  };

  class FakeInputs final : public drivers::gpio::Inputs {
   public:
    explicit FakeInputs(const State& state) : held_(state) {}
    int read(std::uint64_t& levels) TACTUS_RT override {
      ++held_->reads;
      levels = held_->levels;
      return std::exchange(held_->io_error, 0);
    }

   private:
    Held held_;
  };

  class FakeOutputs final : public drivers::gpio::Outputs {
   public:
    FakeOutputs(const State& state, std::uint64_t levels) : held_(state) { put(levels); }
    int write(std::uint64_t levels) TACTUS_RT override {
      ++held_->writes;
      if (held_->before_write) std::exchange(held_->before_write, nullptr)();
      if (held_->io_error == 0) put(levels);
      return std::exchange(held_->io_error, 0);
    }
    drivers::gpio::SafeWrite prepare(std::uint64_t levels) const override {
      return terminal_write(held_->terminal.fd(), levels);
    }

   private:
    void put(std::uint64_t levels) {
      held_->levels = levels;
      held_->terminal.set(levels);
    }
    Held held_;
  };

  /// Never an edge.
  class FakeEdges final : public drivers::gpio::EdgeLine {
   public:
    explicit FakeEdges(const State& state) : held_(state) {}
    int fd() const TACTUS_RT override { return -1; }  // which poll passes over
    std::size_t buffer() const TACTUS_RT override { return 16; }
    Taken take(std::span<std::int64_t>) TACTUS_RT override { return {}; }

   private:
    Held held_;
  };

  class FakeChip final : public drivers::gpio::Chip {
   public:
    explicit FakeChip(State state) : state_(std::move(state)) {}
    const drivers::gpio::ChipInfo& info() const override { return state_->info; }
    drivers::gpio::LineInfo line(unsigned offset) const override { return state_->lines.at(offset); }
    std::unique_ptr<drivers::gpio::EdgeLine> request_edges(unsigned line, drivers::gpio::Edges edges,
                                                           drivers::gpio::Bias bias,
                                                           const std::string& consumer) override {
      requested({line}, consumer);
      state_->edges = edges;
      state_->bias = bias;
      return std::make_unique<FakeEdges>(state_);
    }
    std::unique_ptr<drivers::gpio::Inputs> request_inputs(const std::vector<unsigned>& lines,
                                                          drivers::gpio::Bias bias,
                                                          const std::string& consumer) override {
      requested(lines, consumer);
      state_->bias = bias;
      return std::make_unique<FakeInputs>(state_);
    }
    std::unique_ptr<drivers::gpio::Outputs> request_outputs(const std::vector<unsigned>& lines,
                                                            drivers::gpio::Drive drive, std::uint64_t levels,
                                                            const std::string& consumer) override {
      requested(lines, consumer);
      state_->drive = drive;
      return std::make_unique<FakeOutputs>(state_, levels);
    }

   private:
    void requested(const std::vector<unsigned>& lines, const std::string& consumer) {
      throw_if(std::exchange(state_->request_error, 0));
      for (const unsigned line : lines) throw_if(state_->lines.at(line).used ? EBUSY : 0);
      state_->requested = lines;
      state_->consumer = consumer;
    }
    State state_;
  };

  std::vector<State> chips_;
};

}  // namespace tactus::test
