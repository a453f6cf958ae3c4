// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "drivers/can/dbc/database.hpp"
#include "drivers/can/model/declaring.hpp"
#include "drivers/can/model/settings.hpp"
#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {

/// Frames of a log that are sent again, at the times that they had from its first frame on.
///
/// Units    ns of simulated time.
/// Threads  setup; the thread of the sending job.
/// RT       next(), handed_over(), restart().
class Replay {
 public:
  /// Reads the log. `selection`: what the rig sends and receives itself, which is left out unless `messages` names it.
  /// @when setup
  Replay(const ReplaySettings& settings, const std::string& folder, const Database& database,
         const Selection& selection, const Problems& problems);
  void declare(Declaring& d);  ///< @when setup

  /// Returns true if it has frames of CAN FD.
  bool has_fd() const;
  /// Takes the next frame that is due before `now + period`, with its time after `now`; false: none is.
  bool next(CanFrame& frame, std::int64_t& offset, std::int64_t now, std::int64_t period) TACTUS_RT;
  /// Counts a frame that next() gave: the port took it.
  void handed_over() TACTUS_RT { ++sent_; }
  void restart(std::int64_t now) TACTUS_RT;

 private:
  struct Due {
    std::int64_t time;
    CanFrame frame;
  };
  using Wanted = std::function<bool(const CanFrame&)>;
  Wanted wanted(const ReplaySettings& settings, const Database& database, const Selection& selection,
                const Problems& problems) const;
  void read(const std::string& file, const ReplaySettings& settings, const Wanted& is_wanted,
            const Problems& problems);

  std::int64_t at_ = 0, length_ = 0;
  bool is_looped_ = false;
  std::vector<Due> frames_;
  std::size_t next_ = 0;
  std::int64_t round_ = 0;  // begin of the present one
  // Variables.
  bool is_enabled_ = true;
  std::uint64_t sent_ = 0;
};

}  // namespace tactus::drivers::can
