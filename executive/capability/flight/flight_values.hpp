// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "executive/flight/flight_file.hpp"
#include "executive/frame/frame_services.hpp"
#include "executive/model/variable.hpp"

namespace tactus::executive {

/// The variables that a flight recorder keeps, a value each.
///
/// Threads  setup, then the rig's main thread.
class FlightValues {
 public:
  /// An array counts as its elements. @when setup
  explicit FlightValues(const std::vector<VariableRef>& variables);

  /// Names as in the file of the recorder.
  const std::vector<FlightVariable>& names() const { return names_; }
  std::size_t count() const TACTUS_RT { return sources_.size(); }
  /// Redirects reads of asynchronous threads' memory to where it is published.  @when setup
  void redirect(FrameServices& services);
  void put(FlightRing& ring) const TACTUS_RT;

 private:
  struct Source {
    const ModelInstance* model;
    const void* data;
    tactus_type type;
  };
  std::vector<Source> sources_;
  std::vector<FlightVariable> names_;
};

}  // namespace tactus::executive
