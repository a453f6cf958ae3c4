// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Objects behind the opaque types of the C API. Services live as long as their participant.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "drivers/silkit/api/configuration.hpp"
#include "drivers/silkit/api/errors.hpp"
#include "drivers/silkit/api/participant.hpp"
#include "tactus/silkit.h"
#include "tactus/silkit_can.h"
#include "tactus/silkit_ethernet.h"
#include "tactus/silkit_lin.h"
#include "tactus/silkit_rpc.h"

namespace tactus::silkit {
class CanController;
class EthernetController;
class LinController;
class RpcClient;
class RpcServer;

/// An object that its participant keeps, with the service that the engine has for it.
template <class Service>
struct KeptObject {
  SilKit_Participant& owner;
  Service* service = nullptr;
};
}  // namespace tactus::silkit

struct SilKit_ParticipantConfiguration {
  tactus::silkit::Configuration value;
};

struct SilKit_Logger {
  tactus::silkit::Logger& logger;
  tactus::silkit::Participant* participant = nullptr;  ///< null: the registry's
};

struct SilKit_LifecycleService {
  SilKit_Participant& owner;
  tactus::silkit::Status shown{};  ///< status to which the texts of the last Status() point
};

struct SilKit_TimeSyncService {
  SilKit_Participant& owner;
};

struct SilKit_SystemMonitor {
  SilKit_Participant& owner;
  /// Status by participant, to which the texts of the last Status() point.
  std::map<std::string, tactus::silkit::Status, std::less<>> shown{};
};

struct SilKit_Experimental_SystemController {
  SilKit_Participant& owner;
};

struct SilKit_DataPublisher : tactus::silkit::KeptObject<tactus::silkit::DataPublisher> {};
struct SilKit_DataSubscriber : tactus::silkit::KeptObject<tactus::silkit::DataSubscriber> {};
struct SilKit_RpcServer : tactus::silkit::KeptObject<tactus::silkit::RpcServer> {};
struct SilKit_RpcClient : tactus::silkit::KeptObject<tactus::silkit::RpcClient> {};
struct SilKit_CanController : tactus::silkit::KeptObject<tactus::silkit::CanController> {};
struct SilKit_EthernetController : tactus::silkit::KeptObject<tactus::silkit::EthernetController> {};
struct SilKit_LinController : tactus::silkit::KeptObject<tactus::silkit::LinController> {};

struct SilKit_Participant {
  SilKit_Participant(tactus::silkit::Configuration configuration, const char* name, const char* uri)
      : participant(std::move(configuration), name, uri) {}

  // The services come first: a handler that runs until the participant has left may still use them.
  SilKit_LifecycleService lifecycle{*this};
  SilKit_TimeSyncService time_sync{*this};
  SilKit_SystemMonitor monitor{*this};
  SilKit_Experimental_SystemController controller{*this};
  /// Publishers, subscribers, servers, clients and controllers; access under the participant's lock.
  std::vector<std::shared_ptr<const void>> kept;
  tactus::silkit::Participant participant;
  SilKit_Logger logger{participant.logger(), &participant};
};

namespace tactus::silkit {

/// A function of the user's as the engine takes it.
template <class EngineHandler, class Function>
EngineHandler handler_of(Function function) {
  return std::make_shared<typename EngineHandler::element_type>(std::move(function));
}

/// Does `work` with the engine of an object, unless one of `all` is null.
template <class Object, class Work>
SilKit_ReturnCode in_engine(Object* object, std::initializer_list<Given> all, Work work) noexcept {
  return guarded(all, [&] { object->owner.participant.with_engine(std::move(work)); });
}

/// The same; `work` returns what is put into `out`.
template <class Object, class Out, class Work>
SilKit_ReturnCode ask_engine(Object* object, std::initializer_list<Given> all, Out* out, Work work) noexcept {
  return guarded(all,
                 [&] { *out = static_cast<Out>(object->owner.participant.with_engine(std::move(work))); });
}

/// Makes an object of a participant, which keeps it. `create` is called with the engine and the object, and returns the
/// engine's service.
template <class Object, class Create>
void make_kept(Object** out, SilKit_Participant& participant, Create create) {
  const auto made = std::make_shared<Object>(Object{{participant}});
  participant.participant.with_engine([&](Engine& engine) {
    made->service = &create(engine, *made);
    participant.kept.push_back(made);
    *out = made.get();
  });
}

/// Fills all but the header. The texts are those of `status`.
void show(const Status& status, SilKit_ParticipantStatus& out);

}  // namespace tactus::silkit
