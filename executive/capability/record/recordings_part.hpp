// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "executive/frame/frame_part.hpp"
#include "executive/frame/frame_services.hpp"
#include "executive/record/recording.hpp"

namespace tactus::executive {

/// The recordings of a rig: they wait for room only while it is not in real time, and see memory of other
/// threads where it is published. Those of the rig file are switched by name.
class RecordingsPart final : public FramePart {
 public:
  /// They must outlive it. The first `switched` of them are those of Plan::switches, in its order. @when setup
  explicit RecordingsPart(std::vector<Recording*> recordings, std::size_t switched = 0)
      : FramePart("recordings"), recordings_(std::move(recordings)), row_(recordings_, switched) {}

  const SwitchRow& switches() const { return row_; }
  void joined(FrameServices& services) override {
    services.add(row_);
    row_.set_frame(services.plan().frame);
    for (Recording* const recording : recordings_) {
      recording->set_progress(services.progress_counter());
      recording->redirect([&services](const ModelInstance* model, const void* data, std::size_t bytes) {
        return services.view(model, data, bytes);
      });
    }
  }
  void changed(RigChange& change) TACTUS_RT override {
    if (change.what == RigChange::went_back)
      for (Recording* const recording : recordings_) recording->forget_switch();
    if (change.what != RigChange::paced && change.what != RigChange::unpaced) return;
    for (Recording* const recording : recordings_)
      recording->wait_for_room(change.what == RigChange::unpaced);
  }

 private:
  /// One on or off, from the records of the next frame on; the others are as they were.
  class Row final : public SwitchRow {
   public:
    Row(const std::vector<Recording*>& recordings, std::size_t count)
        : SwitchRow("record"), recordings_(recordings), count_(count) {
      for (std::size_t i = 0; i < count; ++i) add_thing("", Is::on);
    }
    void set_frame(rtsync::Period frame) { frame_ = frame; }
    void turn(std::uint32_t number, bool on) TACTUS_RT override {
      if (number < count_) recordings_[number]->switch_to(on);
    }
    /// The recording knows: commands of clients switch it, too.
    Standing standing(std::size_t number) const override {
      const Recording& recording = *recordings_[number];
      const rtsync::Nanoseconds time{recording.switched_ns()};
      // The frame at that time, which its samples have rounded down to whole nanoseconds.
      return {recording.is_on() ? Is::on : Is::off, time.count() < 0 ? -1 : frame_.begun_in(time)};
    }

   private:
    const std::vector<Recording*>& recordings_;
    const std::size_t count_;
    rtsync::Period frame_{1, 1};
  };

  std::vector<Recording*> recordings_;
  Row row_;
};

/// A recording of the frames' own times: sampled once a frame, when they are known.
class FrameLogPart final : public FramePart {
 public:
  explicit FrameLogPart(Recording& log) : FramePart("the record of frames"), log_(log) {}

  void joined(FrameServices& services) override { frame_ = services.plan().frame; }
  void in_slack(const FrameEnd& end) TACTUS_RT override {
    if (end.rig.timing.paced) sample(end.frame);
  }
  void changed(RigChange& change) TACTUS_RT override {
    if (change.what == RigChange::broke_off) sample(change.frame);
  }

  /// Takes the row of frame k.
  void sample(std::int64_t k) TACTUS_RT {
    log_.take_sample(frame_.times(k).count());  // it counts what it loses
  }

 private:
  Recording& log_;
  rtsync::Period frame_{1, 1};
};

}  // namespace tactus::executive
