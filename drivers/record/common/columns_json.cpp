// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/common/columns_json.hpp"

#include <cstdint>
#include <stdexcept>

#include "config/date.hpp"
#include "config/json_of.hpp"
#include "drivers/record/common/row.hpp"

namespace tactus::drivers::record {
namespace {

using executive::RecordColumn;

RecordColumn column_from_json(const Json& json) {
  RecordColumn column{json.at("name").get<std::string>(), json.value("unit", std::string()), TACTUS_DOUBLE,
                      0};
  const auto type = json.at("type").get<std::string>();
  const tactus_type* const known = type_named(type);
  if (known == nullptr)
    throw std::runtime_error("column " + column.name + " has an unknown type: '" + type + "'");
  column.type = *known;
  column.about = json.value("about", std::string());
  column.as_words = json.value("words", false);
  if (json.contains("labels"))
    for (const auto& [name, value] : json["labels"].items())
      column.labels.push_back({name, value.get<std::int64_t>()});
  return column;
}

}  // namespace

Json head_json(const executive::RecordingHead& head) {
  Json columns = Json::array();
  for (const RecordColumn& column : head.columns) {
    Json each{{"name", column.name}, {"type", executive::name_of(column.type)}, {"unit", column.unit}};
    if (!column.about.empty()) each["about"] = column.about;
    for (const executive::VariableLabel& label : column.labels) each["labels"][label.name] = label.value;
    if (column.as_words) each["words"] = true;
    columns.push_back(std::move(each));
  }
  return {{"recording", head.name}, {"epoch", config::print_date(head.epoch_ns)}, {"columns", columns}};
}

executive::RecordingHead head_from_json(const Json& json) {
  try {
    executive::RecordingHead head{.name = json.at("recording").get<std::string>()};
    const auto epoch = config::parse_date(json.value("epoch", std::string("1970-01-01T00:00:00Z")));
    if (!epoch) throw std::runtime_error("its epoch " + epoch.problem);
    head.epoch_ns = *epoch.ns;
    for (const Json& each : json.at("columns")) head.columns.push_back(column_from_json(each));
    return packed(std::move(head));
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("the description of its columns is wrong: ") + error.what());
  }
}

executive::RecordingHead head_from_text(std::string_view text) {
  Json json = config::json_of(text);
  if (!json.is_object()) throw std::runtime_error("the description of its columns is not JSON");
  return head_from_json(json);
}

}  // namespace tactus::drivers::record
