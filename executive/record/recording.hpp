// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "executive/driver/record_sink.hpp"
#include "executive/model/variable.hpp"
#include "executive/record/record_filter.hpp"
#include "rtsync/exchange/block_ring.hpp"
#include "rtsync/host/held_file.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// Choices of a recording beside its variables.
struct RecordingChoices {
  std::int64_t epoch_ns = 0;           ///< the date of simulated time 0
  std::vector<VariableRef> watched{};  ///< variables for filters: sampled, too, after the columns; scalars
  std::vector<std::unique_ptr<RecordFilter>> filters{};  ///< filters in their order
  rtsync::Nanoseconds every{0};                          ///< real time between two samples; 0: not known
};

/// The path of some variables from the frames to a file: sampled inside the frame into a ring, written by the
/// recorder's thread, which asks its filters what is written. A full ring loses the new record and counts it;
/// the frame never waits for the disk.
class Recording final : private RecordTaker {
 public:
  Recording(std::string name, const std::vector<VariableRef>& variables, std::unique_ptr<RecordSink> sink,
            RecordingChoices choices = {});

  const std::string& name() const { return head_.name; }

  /// Touches the memory of all samples, so that no frame faults a page in. Before the first one. @when setup
  void make_present() { ring_.make_present(); }

  /// Takes one sample, of that simulated time.                                                     @when rt
  void take_sample(std::int64_t sim_time_ns);
  /// The same as a tactus_job_function (self = Recording*).                                        @when rt
  static int sample(void* self, const tactus_call* call);
  /// Moves while a sample waits, so that the wait does not look like a standstill. @when setup
  void set_progress(std::atomic<std::uint64_t>& progress) { progress_ = &progress; }
  /// Outside of real time nothing is lost: a sample then waits for room in the ring.               @when rt
  bool waits_for_room() const { return waits_for_room_.load(std::memory_order_relaxed); }
  void wait_for_room(bool wait) TACTUS_RT { waits_for_room_.store(wait, std::memory_order_relaxed); }

  /// Off: samples are not taken, and not counted as lost.                                         @when any
  void switch_to(bool on) TACTUS_RT { on_.store(on, std::memory_order_relaxed); }
  bool is_on() const TACTUS_RT { return on_.load(std::memory_order_relaxed); }
  /// Simulated time of the first sample that was taken, or left out, since it was switched the last time; -1: none was,
  /// or it was never switched.                                                                    @when any
  std::int64_t switched_ns() const {
    const std::int64_t seen = seen_switch_.load(std::memory_order_relaxed);
    return (seen & 1) == (is_on() ? 1 : 0) ? seen >> 1 : -1;
  }
  /// Forgets that time: it belongs to frames that are gone.                                      @when setup
  void forget_switch() { seen_switch_.store(is_on() ? -1 : -2, std::memory_order_relaxed); }

  /// Records that the frames took; those that are neither written nor lost were left out by its filters, or
  /// became parts of others.
  std::uint64_t sampled() const { return sampled_.load(std::memory_order_relaxed); }
  std::uint64_t written() const;
  std::uint64_t lost() const;
  /// Names the call of a driver on the file that has not returned now, in brackets after a space; empty: none. @when any
  std::string present_call() const {
    const std::string call = sink_->present_call();
    return call.empty() ? "" : " (" + call + ")";
  }
  /// Reason why the file could not be written; empty while it can.                              @when service
  std::string error() const;
  /// Says what became of its file where the run folder does not have it any more; empty: it had it at the last flush.
  /// What is written goes on into the file, wherever it is.                                     @when service
  std::string missing() const;
  /// Returns "7467 of 10000 records lost: no space left on device"; empty: none was.            @when service
  std::string losses() const;
  /// The file was closed in order, and holds all that was written. After the recorder has stopped.
  /// @when service
  bool ended() const { return ended_.load(); }

  /// Reads variables elsewhere: `where` answers with the place for a model's memory, or nullptr. @when setup
  void redirect(const std::function<const void*(const ModelInstance*, const void*, std::size_t)>& where);

  /// The date of simulated time 0, for files that have one. Before open(). @when setup
  void set_epoch(std::int64_t epoch_ns) {
    if (sink_->has_dates()) head_.epoch_ns = epoch_ns;
  }
  void open(const std::filesystem::path& folder);  ///< throws what the sink throws          @when setup
  /// Writes what the ring holds; returns how many records it took. @when service
  std::size_t drain();
  void flush();  // @when service
  void close();  // @when service
  /// Waits for the file no longer: what was not handed to the operating system before counts as lost. The thread that
  /// drains may be in a call that never returns.  @when service
  void give_up(std::string why);

 private:
  struct Source {
    const ModelInstance* model;
    const void* data;
    std::uint32_t bytes;
    std::uint32_t offset;
  };
  /// Takes a record after the filters: to the file.
  void take(const std::byte* record) override;
  RecordTaker& entrance();
  void fail(const std::exception& error);
  const char* what_became_of_file() const;
  void look_at_file();
  void look_at_length();

  RecordingHead head_;  // as it is sampled
  std::vector<Source> sources_;
  std::unique_ptr<RecordSink> sink_;
  std::vector<std::unique_ptr<RecordFilter>> filters_;
  rtsync::BlockRing ring_;
  std::atomic<std::uint64_t>* progress_ = nullptr;
  std::atomic<bool> waits_for_room_{false};
  std::atomic<bool> failed_{false};
  std::atomic<bool> on_{true};
  std::atomic<std::int64_t> seen_switch_{
      -1};  // twice the time in ns, and 1 if it is on; -1, -2: on, off without a time
  std::atomic<std::uint64_t> sampled_{0};
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> lost_{0};
  std::string error_;                      // set once, before failed_
  std::atomic<std::uint64_t> flushed_{0};  // of written_
  std::atomic<bool> given_up_{false};
  std::string why_given_up_;  // set once, before given_up_
  std::atomic<bool> ended_{false};
  std::atomic<const char*> missing_{nullptr};  // what_became_of_file() at the last flush
  std::string file_name_;
  rtsync::HeldFile folder_;  // of its file, whatever name it has by now
  dev_t device_ = 0;         // and the numbers of the file
  ino_t number_ = 0;
  off_t length_ = 0;  // of the file at the latest look
  bool cut_ = false;  // it is shorter than what was written: its sink may do anything with it
};

}  // namespace tactus::executive
