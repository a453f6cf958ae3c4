// SPDX-License-Identifier: Apache-2.0
/// The registry of the C API.
#include "drivers/silkit/net/registry.hpp"

#include "drivers/silkit/api/objects.hpp"
#include "drivers/silkit/wire/uri.hpp"

using namespace tactus::silkit;

namespace {

RegistrySettings registry_settings(const Configuration& configuration) {
  RegistrySettings settings{.domain_sockets = configuration.mesh.domain_sockets,
                            .backlog = configuration.mesh.backlog,
                            .host_timeout = configuration.mesh.sockets.host_timeout,
                            .passes_requests = configuration.mesh.remote_connect,
                            .relays = configuration.mesh.registry_relays,
                            .io_thread = configuration.mesh.io_thread};
  settings.io_thread.name = kRegistryName;
  return settings;
}

thread_local const SilKit_Vendor_Vector_SilKitRegistry* in_handler_of = nullptr;

}  // namespace

struct SilKit_Vendor_Vector_SilKitRegistry {
  explicit SilKit_Vendor_Vector_SilKitRegistry(const Configuration& configuration)
      : log(std::string(kRegistryName), configuration.logging),
        registry(make_registry(registry_settings(configuration), log)) {}

  Logger log;
  SilKit_Logger logger{log};
  const std::unique_ptr<Registry> registry;
};

SilKit_ReturnCode SilKit_Vendor_Vector_SilKitRegistry_Create(
    SilKit_Vendor_Vector_SilKitRegistry** outRegistry, SilKit_ParticipantConfiguration* configuration) {
  return guarded({{outRegistry, "outRegistry"}, {configuration, "configuration"}},
                 [&] { *outRegistry = new SilKit_Vendor_Vector_SilKitRegistry(configuration->value); });
}

SilKit_ReturnCode SilKit_Vendor_Vector_SilKitRegistry_Destroy(SilKit_Vendor_Vector_SilKitRegistry* registry) {
  return guarded({{registry, "registry"}}, [&] {
    if (in_handler_of == registry)
      throw Refusal(Code::logic, "a registry cannot be destroyed from its handler: it would wait for itself");
    delete registry;
  });
}

SilKit_ReturnCode SilKit_Vendor_Vector_SilKitRegistry_StartListening(
    SilKit_Vendor_Vector_SilKitRegistry* registry, const char* listenUri, const char** outActualUri) {
  thread_local std::string actual;
  return guarded({{registry, "registry"}, {listenUri, "listenUri"}, {outActualUri, "outActualUri"}}, [&] {
    actual = registry->registry->listen(listenUri);
    *outActualUri = actual.c_str();
  });
}

SilKit_ReturnCode SilKit_Vendor_Vector_SilKitRegistry_SetAllDisconnectedHandler(
    SilKit_Vendor_Vector_SilKitRegistry* registry, void* context,
    SilKit_Vendor_Vector_SilKitRegistry_AllDisconnectedHandler_t handler) {
  return guarded({{registry, "registry"}, {handler, "handler"}}, [&] {
    registry->registry->on_all_disconnected([=] {
      in_handler_of = registry;
      handler(context, registry);
      in_handler_of = nullptr;
    });
  });
}

SilKit_ReturnCode SilKit_Vendor_Vector_SilKitRegistry_GetLogger(
    SilKit_Logger** outLogger, SilKit_Vendor_Vector_SilKitRegistry* registry) {
  return guarded({{outLogger, "outLogger"}, {registry, "registry"}}, [&] { *outLogger = &registry->logger; });
}
