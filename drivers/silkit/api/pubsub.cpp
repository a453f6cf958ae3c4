// SPDX-License-Identifier: Apache-2.0
/// Publish and subscribe of the C API.
#include "drivers/silkit/api/bytes.hpp"
#include "drivers/silkit/api/configured.hpp"
#include "drivers/silkit/api/objects.hpp"

using namespace tactus::silkit;

namespace {

TopicSpec data_topic(Participant& participant, const std::string& service, const ServiceSettings* settings,
                     const SilKit_DataSpec& spec) {
  return topic_of(participant, service, settings, spec, "dataSpec", spec.topic, "topic", "topic");
}

DataHandler data_handler(SilKit_DataSubscriber* subscriber, void* context,
                         SilKit_DataMessageHandler_t handler) {
  if (handler == nullptr) return nullptr;
  return handler_of<DataHandler>([=](ByteView data, std::int64_t time_ns) {
    SilKit_DataMessageEvent event = tactus_silkit_DataMessageEvent();
    event.timestamp = static_cast<SilKit_NanosecondsTime>(time_ns);
    event.data = byte_vector(data);
    handler(context, subscriber, &event);
  });
}

}  // namespace

SilKit_ReturnCode SilKit_DataPublisher_Create(SilKit_DataPublisher** outPublisher,
                                              SilKit_Participant* participant, const char* controllerName,
                                              SilKit_DataSpec* dataSpec, uint8_t history) {
  return guarded(
      {{outPublisher, "outPublisher"},
       {participant, "participant"},
       {controllerName, "controllerName"},
       {dataSpec, "dataSpec"}},
      [&] {
        const ServiceSettings* const own =
            settings_of(participant->participant.configuration().publishers, controllerName);
        const TopicSpec topic =
            data_topic(participant->participant, std::string("publisher ") + controllerName, own, *dataSpec);
        const std::int64_t length = own == nullptr ? history : own->history.value_or(history);
        if (length > 1)
          throw Refusal(Code::configuration, "history: " + std::to_string(length) + " is outside 0 .. 1");
        const bool with_history = length == 1;
        make_kept(
            outPublisher, *participant, [&](Engine & engine, SilKit_DataPublisher&) -> auto& {
              return engine.pubsub().create_publisher(controllerName, topic, with_history);
            });
      });
}

SilKit_ReturnCode SilKit_DataPublisher_Publish(SilKit_DataPublisher* publisher,
                                               const SilKit_ByteVector* data) {
  return guarded({{publisher, "publisher"}}, [&] {
    const ByteView bytes = byte_view(data, "data");
    publisher->owner.participant.with_engine(
        [&](Engine& engine) { engine.pubsub().publish(*publisher->service, bytes); });
  });
}

SilKit_ReturnCode SilKit_DataSubscriber_Create(SilKit_DataSubscriber** outSubscriber,
                                               SilKit_Participant* participant, const char* controllerName,
                                               SilKit_DataSpec* dataSpec, void* context,
                                               SilKit_DataMessageHandler_t handler) {
  return guarded(
      {{outSubscriber, "outSubscriber"},
       {participant, "participant"},
       {controllerName, "controllerName"},
       {dataSpec, "dataSpec"}},
      [&] {
        const TopicSpec topic = data_topic(
            participant->participant, std::string("subscriber ") + controllerName,
            settings_of(participant->participant.configuration().subscribers, controllerName), *dataSpec);
        make_kept(
            outSubscriber, *participant, [&](Engine & engine, SilKit_DataSubscriber & made) -> auto& {
              return engine.pubsub().create_subscriber(controllerName, topic,
                                                       data_handler(&made, context, handler));
            });
      });
}

SilKit_ReturnCode SilKit_DataSubscriber_SetDataMessageHandler(SilKit_DataSubscriber* subscriber,
                                                              void* context,
                                                              SilKit_DataMessageHandler_t handler) {
  return in_engine(subscriber, {{subscriber, "subscriber"}, {handler, "handler"}}, [&](Engine& engine) {
    engine.pubsub().on_data(*subscriber->service, data_handler(subscriber, context, handler));
  });
}
