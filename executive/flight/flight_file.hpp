// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "executive/flight/flight_ring.hpp"
#include "rtsync/host/descriptor.hpp"

namespace tactus::executive {

/// A thread whose jobs are recorded.
struct FlightThread {
  std::string name;
  double records_per_second = 0;
};

/// A variable whose values are recorded.
struct FlightVariable {
  std::string name;
  std::string unit;
  bool real = false;    ///< a value is the bits of a double, else an integer
  bool uint64 = false;  ///< an integer without a sign
};

/// Threads that are recorded, and how much is kept of them. The first thread is the frame thread.
struct FlightPlan {
  std::string folder;  ///< folder of the run, absolute
  std::string rig;
  std::vector<std::string> jobs{};
  std::vector<FlightThread> threads{};
  double kernel_records_per_second = 0;
  std::vector<FlightVariable> variables{};
  std::int64_t period_ns = 0;
  std::uint64_t tick_scale = 0;  ///< ns per tick times 2^32; 0: ticks are nanoseconds
  std::int64_t before_ns = 0;
  std::int64_t after_ns = 0;
  std::int64_t whole_ns = 0;  ///< real time of all frames of the run; 0: not known
  std::uint64_t most_bytes = 0;
  bool present = true;  ///< all of it is made present when it is made, so that no frame faults a page in
};

/// Name of a thread that had a CPU.
struct FlightName {
  std::int32_t tid = 0;
  std::int32_t process = 0;
  std::int32_t priority = 120;  ///< priority as the kernel counts: below 100 is real-time, and less is more
  char name[20] = {};
  char process_name[20] = {};
};

/// Place of one name: written by one thread, read by any, of any process.
class FlightNamePlace {
 public:
  void put(const FlightName& name);
  /// The thread that it is about; 0: none.
  std::int32_t tid() const { return tid_.load(std::memory_order_acquire); }
  /// Nothing: there is none, or it is being replaced.
  std::optional<FlightName> get() const;

 private:
  static constexpr std::size_t kWords = sizeof(FlightName) / sizeof(std::uint32_t);
  std::atomic<std::int32_t> tid_{0};
  std::array<std::atomic<std::uint32_t>, kWords> words_{};
};

/// The frame under way.
struct FlightFrameNow {
  alignas(64) std::atomic<std::int64_t> frame{0};
  std::atomic<std::uint64_t> since{0};    ///< ticks; 0: none is under way
  std::atomic<std::int64_t> alive_ns{0};  ///< CLOCK_MONOTONIC, to some ms, when frames ran last
};

/// The memory of a flight recorder: a file in /dev/shm that stays when its process is killed, until its trace has
/// been written.
///
/// Threads  one owner; the rings: their writers; reading: any process of the same user.
/// The file is no memory of a flight recorder of this release: it is damaged, cut off, or of another form.
class NotFlightMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class FlightFile {
 public:
  /// Makes one for this process, with all its memory present. Throws std::runtime_error: there is no room.
  /// @when setup
  static std::unique_ptr<FlightFile> make(const FlightPlan& plan, pid_t witness);
  /// Throws NotFlightMemory; std::runtime_error: it could not be read.                         @when service
  static std::unique_ptr<FlightFile> open(const std::filesystem::path& file);
  /// Those of this user that other processes have made; some may be in use.                   @when service
  static std::vector<std::filesystem::path> all();

  ~FlightFile();
  FlightFile(const FlightFile&) = delete;
  FlightFile& operator=(const FlightFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const FlightPlan& plan() const { return plan_; }
  std::size_t bytes() const { return bytes_; }
  pid_t pid() const;
  pid_t witness() const;  ///< 0: there is none
  /// This process is its witness; another container's may have the same number.
  bool is_witnessed_here() const;
  /// Made in this container: the run folder has the same name here.
  bool is_made_here() const;
  /// The process that writes it, or its witness, lives: the trace of its end is theirs to write.
  bool in_use() const;
  /// Returns true if that process runs. False of one that is in use: it was killed and is taken apart, or its witness
  /// has not written the trace yet.                                                              @when service
  bool is_running() const;
  /// Number of rings: those of the threads, in their order, and after them the ring of what the kernel did.
  std::size_t rings() const { return plan_.threads.size(); }
  std::size_t kernel_ring() const { return plan_.threads.size(); }
  FlightRingHead& head(std::size_t ring) const;
  FlightCell* cells(std::size_t ring) const;
  FlightFrameNow& frame_now() const;
  std::span<FlightNamePlace> names() const;
  /// The process that made the file lives, in whichever container: it holds a lock of it.      @when service
  static bool is_locked(const std::filesystem::path& file);
  /// Returns the process after which the file is named, as all are; 0: it has another name.   @when any
  static pid_t named_after(const std::filesystem::path& file);
  /// Removes it from /dev/shm; the memory stays as long as this object does.
  void remove();
  /// A thread of this process may continue writing there for ever.
  void keep_mapped() { keep_mapped_ = true; }

 private:
  FlightFile(std::filesystem::path path, rtsync::Descriptor descriptor, std::size_t bytes, bool writes,
             bool present);
  void read_plan();

  std::filesystem::path path_;
  std::size_t bytes_;
  std::byte* memory_ = nullptr;
  FlightPlan plan_;
  bool keep_mapped_ = false;
  rtsync::Descriptor descriptor_;  // of the process that made it: it holds the lock
};

}  // namespace tactus::executive
