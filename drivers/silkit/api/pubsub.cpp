// SPDX-License-Identifier: Apache-2.0
/// Publish and subscribe of the C API.
#include <algorithm>
#include <span>

#include "drivers/silkit/api/configured.hpp"
#include "drivers/silkit/api/labels.hpp"
#include "drivers/silkit/api/objects.hpp"

using namespace tactus::silkit;

namespace {

TopicSpec topic_spec(const SilKit_DataSpec& spec) {
  require_text(spec.topic, "dataSpec->topic");
  require_text(spec.mediaType, "dataSpec->mediaType");
  return {spec.topic, spec.mediaType, labels_of(spec.labelList, "dataSpec->labelList.labels")};
}

/// Applies the configuration of the service of this name, which wins. Returns it, or null.
const ServiceSettings* configured(Participant& participant, const char* kind,
                                  const std::vector<ServiceSettings>& services, const std::string& name,
                                  TopicSpec& topic) {
  const auto found = std::ranges::find(services, name, &ServiceSettings::name);
  if (found == services.end()) return nullptr;
  configure(participant, "topic", kind + name, found->topic, topic.topic);
  configure(participant, "labels", kind + name, found->labels, topic.labels);
  return &*found;
}

DataHandler data_handler(SilKit_DataSubscriber* subscriber, void* context,
                         SilKit_DataMessageHandler_t handler) {
  if (handler == nullptr) return nullptr;
  return handler_of<DataHandler>([=](ByteView data, std::int64_t time_ns) {
    SilKit_DataMessageEvent event = tactus_silkit_DataMessageEvent();
    event.timestamp = static_cast<SilKit_NanosecondsTime>(time_ns);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): std::byte and uint8_t are the same bytes
    if (!data.empty()) event.data = {reinterpret_cast<const std::uint8_t*>(data.data()), data.size()};
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
        TopicSpec topic = topic_spec(*dataSpec);
        const ServiceSettings* const own =
            configured(participant->participant, "publisher ",
                       participant->participant.configuration().publishers, controllerName, topic);
        const std::int64_t length = own == nullptr ? history : own->history.value_or(history);
        if (length > 1)
          throw Refusal(Code::configuration, "history: " + std::to_string(length) + " is outside 0 .. 1");
        const bool with_history = length == 1;
        make_kept(outPublisher, *participant, &SilKit_Participant::publishers,
                  [&](Engine& engine, SilKit_DataPublisher& made) {
                    made.publisher = &engine.pubsub().create_publisher(controllerName, topic, with_history);
                  });
      });
}

SilKit_ReturnCode SilKit_DataPublisher_Publish(SilKit_DataPublisher* publisher,
                                               const SilKit_ByteVector* data) {
  return guarded({{publisher, "publisher"}, {data, "data"}}, [&] {
    if (data->size > 0) require(data->data, "data->data");
    publisher->owner.participant.with_engine([&](Engine& engine) {
      engine.pubsub().publish(*publisher->publisher, std::as_bytes(std::span(data->data, data->size)));
    });
  });
}

SilKit_ReturnCode SilKit_DataSubscriber_Create(SilKit_DataSubscriber** outSubscriber,
                                               SilKit_Participant* participant, const char* controllerName,
                                               SilKit_DataSpec* dataSpec, void* context,
                                               SilKit_DataMessageHandler_t handler) {
  return guarded({{outSubscriber, "outSubscriber"},
                  {participant, "participant"},
                  {controllerName, "controllerName"},
                  {dataSpec, "dataSpec"}},
                 [&] {
                   TopicSpec topic = topic_spec(*dataSpec);
                   (void)configured(participant->participant, "subscriber ",
                                    participant->participant.configuration().subscribers, controllerName,
                                    topic);
                   make_kept(outSubscriber, *participant, &SilKit_Participant::subscribers,
                             [&](Engine& engine, SilKit_DataSubscriber& made) {
                               made.subscriber = &engine.pubsub().create_subscriber(
                                   controllerName, topic, data_handler(&made, context, handler));
                             });
                 });
}

SilKit_ReturnCode SilKit_DataSubscriber_SetDataMessageHandler(SilKit_DataSubscriber* subscriber,
                                                              void* context,
                                                              SilKit_DataMessageHandler_t handler) {
  return in_engine(subscriber, {{subscriber, "subscriber"}, {handler, "handler"}}, [&](Engine& engine) {
    engine.pubsub().on_data(*subscriber->subscriber, data_handler(subscriber, context, handler));
  });
}
