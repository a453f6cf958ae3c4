#pragma once
/// What the bus controllers of the C API have in common. `Object`: SilKit_CanController and the like.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "drivers/silkit/api/errors.hpp"
#include "drivers/silkit/api/objects.hpp"
#include "drivers/silkit/core/bus.hpp"

namespace tactus::silkit {

/// `handler`: what the user has given; `function`: calls it with an Event of the engine's.
template <class Object, class UserHandler, class Controller, class Event, class Function>
SilKit_ReturnCode add_handler(Object* controller, UserHandler handler, SilKit_HandlerId* out_id,
                              HandlerList<Event> Controller::*list, Function function,
                              std::uint32_t mask = ~0U) {
  return guarded([&] {
    require(controller, "controller");
    require(handler, "handler");
    require(out_id, "outHandlerId");
    auto made = handler_of<Handler<const Event&>>(std::move(function));
    controller->owner.participant.with_engine(
        [&](Engine&) { *out_id = (controller->controller->*list).add(std::move(made), mask); });
  });
}

template <class Object, class Controller, class Event>
SilKit_ReturnCode remove_handler(Object* controller, SilKit_HandlerId id,
                                 HandlerList<Event> Controller::*list) {
  return guarded([&] {
    require(controller, "controller");
    const bool removed = controller->owner.participant.with_engine(
        [&](Engine&) { return (controller->controller->*list).remove(id); });
    if (!removed)
      controller->owner.participant.logger().say(
          LogSink::Level::warn, "controller " + controller->controller->name + ": there is no handler " +
                                    std::to_string(id) + " to be removed");
  });
}

}  // namespace tactus::silkit
