// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Common part of the bus controllers of the C API. `Object`: SilKit_CanController and the like.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "drivers/silkit/api/configured.hpp"
#include "drivers/silkit/api/errors.hpp"
#include "drivers/silkit/api/objects.hpp"
#include "drivers/silkit/core/bus.hpp"

namespace tactus::silkit {

/// Creates a controller of any kind. `kind`: as users call it; `settings`: those of this kind in the
/// configuration; `bus`: where the engine has it.
template <class Object, class BusKind>
SilKit_ReturnCode create_controller(const std::string& kind, Object** out, SilKit_Participant* participant,
                                    const char* name, const char* network,
                                    std::vector<ControllerSettings> ServicesSettings::*settings,
                                    BusKind& (Engine::*bus)()) {
  return guarded(
      {{out, "outController"}, {participant, "participant"}, {name, "name"}, {network, "network"}}, [&] {
        const ControllerSettings* const said =
            settings_of(participant->participant.configuration().services.*settings, name);
        std::string on = network;
        if (said != nullptr)
          configure(participant->participant, "network", kind + " controller " + name, said->network, on);
        make_kept(
            out, *participant, [&](Engine & engine, Object&) -> auto& {
              return (engine.*bus)().create(name, on);
            });
        participant->participant.wait_until_known();
      });
}

/// Does `work` with the engine and its controller.
template <class Object, class Work>
SilKit_ReturnCode with_controller(Object* controller, Work work) {
  return in_engine(controller, {{controller, "controller"}},
                   [&](Engine& engine) { work(engine, *controller->service); });
}

/// The same with an argument that must not be null and has a header; `name`: as users call it.
template <class Object, class Argument, class Work>
SilKit_ReturnCode with_controller(Object* controller, const Argument* argument, const char* name, Work work) {
  return guarded({{controller, "controller"}, {argument, name}}, [&] {
    require_header(argument->structHeader, name);
    controller->owner.participant.with_engine([&](Engine& engine) { work(engine, *controller->service); });
  });
}

/// `handler`: what the user has given; `function`: calls it with an Event of the engine's.
template <class Object, class UserHandler, class Controller, class Event, class Function>
SilKit_ReturnCode add_handler(Object* controller, UserHandler handler, SilKit_HandlerId* out_id,
                              HandlerList<Event> Controller::*list, Function function,
                              std::uint32_t mask = ~0U) {
  return guarded({{controller, "controller"}, {handler, "handler"}, {out_id, "outHandlerId"}}, [&] {
    auto made = handler_of<Handler<const Event&>>(std::move(function));
    controller->owner.participant.with_engine(
        [&](Engine&) { *out_id = (controller->service->*list).add(std::move(made), mask); });
  });
}

/// The same for events that are copied member by member: `made` makes the user's one, `fill` sets what it has
/// beside the time stamp.
template <class Object, class UserHandler, class Controller, class Event, class UserEvent, class Fill>
SilKit_ReturnCode add_event_handler(Object* controller, void* context, UserHandler handler,
                                    SilKit_HandlerId* out_id, HandlerList<Event> Controller::*list,
                                    UserEvent (*made)(), Fill fill, std::uint32_t mask = ~0U) {
  return add_handler(
      controller, handler, out_id, list,
      [=](const Event& from) {
        UserEvent event = made();
        event.timestamp = static_cast<SilKit_NanosecondsTime>(from.time_ns);
        fill(event, from);
        handler(context, controller, &event);
      },
      mask);
}

template <class Object, class Controller, class Event>
SilKit_ReturnCode remove_handler(Object* controller, SilKit_HandlerId id,
                                 HandlerList<Event> Controller::*list) {
  return guarded({{controller, "controller"}}, [&] {
    if (!controller->owner.participant.remove_handler(
            [&](Engine&) { return (controller->service->*list).remove(id); }))
      controller->owner.participant.logger().say_about(controller->service->topic, LogSink::Level::warn,
                                                       "controller " + controller->service->name +
                                                           ": there is no handler " + std::to_string(id) +
                                                           " to be removed");
  });
}

/// Defines the function of the C API that adds a handler of `list`, a member of the engine's controllers of a `Bus`.
/// `set`: sets what `event`, the user's SilKit_<What>Event, has of `from`, the engine's, beside the time stamp.
#define TACTUS_SILKIT_ADDS(name, Bus, list, What, set)                                                      \
  SilKit_ReturnCode name(SilKit_##Bus##Controller* controller, void* context,                               \
                         SilKit_##What##Handler_t handler, SilKit_HandlerId* outHandlerId) {                \
    return add_event_handler(controller, context, handler, outHandlerId, &Bus##Controller::list,            \
                             tactus_silkit_##What##Event,                                                   \
                             []([[maybe_unused]] auto& event, [[maybe_unused]] const auto& from) { set; }); \
  }
/// The same, to remove one.
#define TACTUS_SILKIT_REMOVES(name, Bus, list)                                               \
  SilKit_ReturnCode name(SilKit_##Bus##Controller* controller, SilKit_HandlerId handlerId) { \
    return remove_handler(controller, handlerId, &Bus##Controller::list);                    \
  }

}  // namespace tactus::silkit
