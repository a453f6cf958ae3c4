// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/rig.hpp"

#include <algorithm>
#include <cstring>

#include "executive/driver/device_error.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {

Rig::Rig(RigSettings settings, const std::filesystem::path& base, config::Problems problems,
         const LinkOverrides& overrides) {
  parts_.settings = std::move(settings);
  Draft draft{parts_, problems, base, overrides};
  for (RigSection* const read : kRigSections) read(draft);
  if (!problems.empty()) throw config::ConfigError(std::move(problems));
}

std::vector<std::string> Rig::unconnected_inputs() const {
  std::vector<std::string> names;
  const std::vector<VariableRef> linked = link() == nullptr ? std::vector<VariableRef>{} : link()->inputs();
  for (const ModelInstance& model : parts_.models) {
    for (const Variable& variable : model.variables()) {
      if (variable.role != TACTUS_INPUT) continue;
      const bool fed =
          std::ranges::any_of(plan().connections,
                              [&](const Connection& c) { return c.to.variable == &variable; }) ||
          std::ranges::any_of(linked, [&](const VariableRef& ref) { return ref.variable == &variable; }) ||
          std::ranges::any_of(parts_.parameters,
                              [&](const ParameterValue& value) { return value.data == variable.data; });
      if (!fed) names.push_back(variable.name);
    }
  }
  return names;
}

std::vector<RigOutput> Rig::outputs() const {
  std::vector<RigOutput> all;
  const auto instance = [this](const std::string& name) {
    return std::ranges::find(parts_.models, name, &ModelInstance::name);
  };
  for (const DriverModel& made : parts_.driver_models) {
    const auto model = instance(made.name);
    if (model == parts_.models.end()) continue;
    for (DrivenOutput& output : made.model->outputs())
      for (const Variable& variable : model->variables())
        if (variable.name == made.name + "." + output.variable)
          all.push_back({made.driver, &*model, &variable, output.what, std::move(output.safe)});
  }
  if (parts_.isolation == nullptr) return all;
  for (const IsolatedModel& isolated : parts_.isolation->models()) {
    const auto model = instance(isolated.name());
    if (!isolated.process().has_outputs() || model == parts_.models.end()) continue;
    const std::string driver = isolated.process().origin().driver ? isolated.process().origin().model : "";
    for (const Variable& variable : model->variables())
      if (variable.role == TACTUS_INPUT)
        all.push_back({driver, &*model, &variable, "a device of model '" + isolated.name() + "'", nullptr});
  }
  return all;
}

void Rig::set_services(ModelServices& services) {
  for (ModelInstance& model : parts_.models) model.set_services(services);
}

void Rig::drop_services() {
  for (ModelInstance& model : parts_.models) model.drop_services();
}

void Rig::apply_parameters() {
  for (const ParameterValue& value : parts_.parameters)
    std::memcpy(value.data, value.bytes.data(), value.bytes.size());
}

OpenRequest Rig::open_request() const {
  return {settings().rig.value, settings().safe_outputs, settings().guardian_timeout, ""};
}

void Rig::open_devices(const std::string& folder) {
  OpenRequest request = open_request();
  request.folder = folder;
  for (DriverModel& driven : parts_.driver_models) {
    try {
      driven.model->open(request);
    } catch (const DeviceError& error) {
      throw DeviceError("models." + driven.name + ": " + error.what());
    }
  }
  if (parts_.isolation == nullptr) return;
  for (IsolatedModel& model : parts_.isolation->models()) {
    if (!model.process().origin().driver) continue;
    try {
      model.open(request);
    } catch (const DeviceError& error) {
      throw DeviceError("models." + model.name() + ": " + error.what());
    }
  }
  for (IsolatedOutput& output : parts_.isolated_outputs) output.opened(request);
}

std::unique_ptr<rtsync::EdgeSource> Rig::open_clock() {
  if (parts_.clock_driver == nullptr) return nullptr;
  try {
    return parts_.clock_driver->open(open_request());
  } catch (const DeviceError& error) {
    throw DeviceError(std::string("clock: ") + error.what());
  }
}

}  // namespace tactus::executive
