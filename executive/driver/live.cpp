#include "executive/driver/live.hpp"

namespace tactus::executive {

std::string_view name_of(LiveWrite::Kind kind) {
  switch (kind) {
    case LiveWrite::Kind::set:
      return "set";
    case LiveWrite::Kind::force:
      return "force";
    case LiveWrite::Kind::release:
      return "release";
    case LiveWrite::Kind::release_all:
      break;
  }
  return "release_all";
}

std::string_view name_of(LiveOrder order) {
  switch (order) {
    case LiveOrder::pause:
      return "pause";
    case LiveOrder::resume:
      return "resume";
    case LiveOrder::step:
      return "step";
    case LiveOrder::run_until:
      return "run_until";
    case LiveOrder::reset:
      return "reset";
    case LiveOrder::stop:
      return "stop";
    case LiveOrder::checkpoint:
      break;
  }
  return "checkpoint";
}

}  // namespace tactus::executive
