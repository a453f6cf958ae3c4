// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "executive/driver/link.hpp"
#include "executive/driver/model_driver.hpp"
#include "rtsync/clock/disturbed_edge_source.hpp"
#include "rtsync/interface.hpp"

namespace tactus::executive {

/// A part of the machine, and no variable, that a fault disturbs.
///
/// Threads  act(), rest(): the frames' main thread. summarize(): after the frames.
/// RT       act(), rest().
class FaultTarget : public rtsync::Interface {
 public:
  /// The fault has its effect from here on, or has it no more. The same may be said again.
  virtual void act(bool yes) TACTUS_RT = 0;
  /// The rig is paused: nothing is disturbed until act() is called again.
  virtual void rest() TACTUS_RT {}
  /// Adds what became of it to the fault's row of summary.json.
  virtual void summarize(config::Json& row) const = 0;
};

/// The edges of the external clock.
class EdgeFault final : public FaultTarget {
 public:
  /// `line`: nullptr: the run is never in real time, and has no edges. Else it outlives this. Takes the longest `late`
  /// of a late edge.
  EdgeFault(rtsync::DisturbedEdgeSource* line, rtsync::EdgeDisturbance kind, rtsync::Nanoseconds late)
      : line_(line), kind_(kind), late_(late) {}
  void act(bool yes) TACTUS_RT override {
    if (line_ != nullptr) yes ? line_->begin(kind_, late_) : line_->end(kind_);
  }
  void rest() TACTUS_RT override {
    if (line_ != nullptr) line_->rest(kind_);
  }
  void summarize(config::Json& row) const override {
    row["edges"] = line_ == nullptr ? 0 : line_->disturbed(kind_);
  }

 private:
  rtsync::DisturbedEdgeSource* const line_;
  const rtsync::EdgeDisturbance kind_;
  const rtsync::Nanoseconds late_;
};

/// The messages of a peer of the link.
class PeerFault final : public FaultTarget {
 public:
  /// `received`: numbers of the signals that the peer sends. `link` outlives this.
  PeerFault(LinkFrames& link, std::vector<std::size_t> received)
      : link_(link), received_(std::move(received)) {}
  void act(bool yes) TACTUS_RT override {
    for (const std::size_t signal : received_) link_.silence(signal, yes);
  }
  void summarize(config::Json& row) const override {
    std::int64_t messages = 0;
    for (const std::size_t signal : received_) messages += link_.withheld(signal);
    row["messages"] = messages;
  }

 private:
  LinkFrames& link_;
  const std::vector<std::size_t> received_;
};

/// Something of a driver's device.
class OfferedTarget final : public FaultTarget {
 public:
  /// `model` outlives this.
  OfferedTarget(DrivenModel& model, std::uint32_t number, double amount)
      : model_(model), number_(number), amount_(amount) {}
  void act(bool yes) TACTUS_RT override { model_.disturb(number_, yes, amount_); }
  void rest() TACTUS_RT override { model_.disturb(number_, false, amount_); }
  void summarize(config::Json& row) const override { row["disturbed"] = model_.disturbed(number_); }

 private:
  DrivenModel& model_;
  const std::uint32_t number_;
  const double amount_;
};

}  // namespace tactus::executive
