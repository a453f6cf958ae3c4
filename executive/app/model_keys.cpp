// SPDX-License-Identifier: Apache-2.0
#include "executive/app/model_keys.hpp"

#include <exception>
#include <utility>

#include "executive/driver/model_driver.hpp"

namespace tactus::app {

ModelKeys::ModelKeys(const config::Document& document, const std::string& only) {
  config::Problems mistakes;
  const executive::RigSettings settings = executive::rig_fields().load(document, mistakes);
  for (const executive::ModelSettings& each : settings.models)
    if (only.empty() || each.name == only) all_.push_back(keys_of(each));
}

ModelKeys::Of ModelKeys::keys_of(const executive::ModelSettings& settings) {
  Of made{settings.name, executive::model_fields().shared_section(), {}, ""};
  if (settings.driver.value.empty()) return made;
  try {
    auto library =
        std::make_unique<executive::DriverLibrary>(executive::ModelDriver::kKind, settings.driver.value);
    const auto driver = library->make<executive::ModelDriver>();
    libraries_.push_back(std::move(library));
    auto section = std::make_shared<config::Section>(*made.section);
    section->rest.clear();
    const auto own = driver->section();
    if (own != nullptr) {
      try {
        made.names = driver->names(settings.device, settings.origin.path);
      } catch (const std::exception& error) {
        made.problem = error.what();
      }
      const auto named = executive::with_names(own, made.names);
      section->keys.insert(section->keys.end(), named->keys.begin(), named->keys.end());
      section->refused = own->refused;
    }
    made.section = section;
  } catch (const std::exception& error) {
    made.problem = error.what();
  }
  return made;
}

const ModelKeys::Of* ModelKeys::find(const std::string& model) const {
  for (const Of& each : all_)
    if (each.model == model) return &each;
  return nullptr;
}

config::Section ModelKeys::section_of_rig() const {
  using config::Shape;
  config::Section rig = executive::rig_fields().section();
  for (config::KeyShape& key : rig.keys) {
    if (key.key != "models") continue;
    auto models = std::make_shared<config::Section>();
    models->about = key.meaning;
    models->rest = "other models";
    models->rest_shape = key.shape->item;
    for (const Of& each : all_)
      models->keys.push_back({.key = each.model,
                              .meaning = each.section->about,
                              .shape = std::make_shared<const Shape>(Shape{
                                  .form = Shape::Form::section, .type = "map", .section = each.section})});
    key.shape = std::make_shared<const Shape>(
        Shape{.form = Shape::Form::section, .type = "map", .section = std::move(models)});
  }
  return rig;
}

}  // namespace tactus::app
