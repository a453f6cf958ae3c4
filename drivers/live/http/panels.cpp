// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/panels.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "config/document.hpp"
#include "config/number.hpp"
#include "config/text.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::drivers::live_http {
namespace {

using namespace schema;
using config::Node;

constexpr std::size_t kMostDesks = 64, kMostWidgets = 256, kMostCurves = 16;
constexpr std::int64_t kColumns = 12, kMostRow = 999, kMostHeight = 24;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 20;

/// Keys that a kind of widget needs, and may have.
struct WidgetKind {
  const char* name;
  bool variable = false;
  std::size_t least = 0, most = 0;  ///< least and largest number of `variables`
  bool text = false;
  bool range = false;  ///< it may have from and to
  bool value = false;
};
constexpr std::array<WidgetKind, 9> kWidgetKinds = {{{"knob", true, 0, 0, false, true},
                                                     {"slider", true, 0, 0, false, true},
                                                     {"switch", true},
                                                     {"button", true, 0, 0, false, false, true},
                                                     {"number", true, 0, 0, false, true},
                                                     {"lamps", false, 1, kMostCurves},
                                                     {"plot", false, 1, kMostCurves, false, true},
                                                     {"xy", false, 2, 2},
                                                     {"text", false, 0, 0, true}}};

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const WidgetKind& kind : kWidgetKinds) names.emplace_back(kind.name);
  return names;
}

const WidgetKind* widget_kind(const Json& widget) {
  const auto& name = widget.at("kind").get_ref<const std::string&>();
  const auto found =
      std::ranges::find_if(kWidgetKinds, [&](const WidgetKind& one) { return name == one.name; });
  return found == kWidgetKinds.end() ? nullptr : &*found;
}

void check_key(const Json& widget, const char* key, bool needed, bool allowed, const std::string& path,
               std::vector<std::string>& problems) {
  const std::string kind = widget.at("kind").get<std::string>();
  if (needed && !widget.contains(key)) note(problems, path + ": a " + kind + " needs '" + key + "'");
  if (!allowed && widget.contains(key))
    note(problems, path + "." + key + ": has no meaning for a " + kind + "; remove it");
}

void check_place(const Json& widget, const std::string& path, std::vector<std::string>& problems) {
  const Json& at = widget.at("at");
  if (at.size() != 4)
    return note(problems, path + ".at: has " + std::to_string(at.size()) +
                              " numbers; 4 are expected: column, row, width, height");
  const auto number = [&](std::size_t i) { return at[i].get<std::int64_t>(); };
  const std::int64_t x = number(0), y = number(1), width = number(2), height = number(3);
  const bool fits = x >= 0 && width >= 1 && x <= kColumns && width <= kColumns && x + width <= kColumns &&
                    y >= 0 && y <= kMostRow && height >= 1 && height <= kMostHeight;
  if (!fits)
    note(problems, path + ".at: [" + std::to_string(x) + ", " + std::to_string(y) + ", " +
                       std::to_string(width) + ", " + std::to_string(height) +
                       "] does not fit: 12 columns, rows 0 .. 999, heights 1 .. 24");
}

void check_name(const Json& name, const executive::LiveRig& rig, const std::string& path,
                std::vector<std::string>& problems) {
  std::string problem;
  if (!rig.find(name.get<std::string>(), problem)) note(problems, path + ": " + problem);
}

void check_widget(const Json& widget, const executive::LiveRig& rig, const std::string& path,
                  std::vector<std::string>& problems) {
  const WidgetKind* const kind = widget_kind(widget);
  if (kind == nullptr) return;  // the schema has said so
  check_place(widget, path, problems);
  check_key(widget, "variable", kind->variable, kind->variable, path, problems);
  check_key(widget, "variables", kind->most > 0, kind->most > 0, path, problems);
  check_key(widget, "text", kind->text, kind->text, path, problems);
  check_key(widget, "from", false, kind->range, path, problems);
  check_key(widget, "to", false, kind->range, path, problems);
  check_key(widget, "value", kind->value, kind->value, path, problems);
  if (widget.contains("from") && widget.contains("to") &&
      !(widget["from"].get<double>() < widget["to"].get<double>()))
    note(problems, path + ".from: is not less than 'to'");
  if (kind->variable && widget.contains("variable"))
    check_name(widget["variable"], rig, path + ".variable", problems);
  if (kind->most == 0 || !widget.contains("variables")) return;
  const Json& names = widget["variables"];
  if (names.size() < kind->least || names.size() > kind->most)
    note(problems,
         path + ".variables: has " + std::to_string(names.size()) + " names; " +
             (kind->least == kind->most ? std::to_string(kind->least)
                                        : std::to_string(kind->least) + " to " + std::to_string(kind->most)) +
             " are expected");
  for (std::size_t i = 0; i < names.size(); ++i)
    check_name(names[i], rig, path + ".variables[" + std::to_string(i) + "]", problems);
}

// ---- YAML

bool is_number_key(const std::string& key) { return key == "from" || key == "to" || key == "value"; }

Json scalar_json(const Node& node, bool number, std::vector<std::string>& problems) {
  if (!node.is_scalar()) {
    note(problems, node.place().text() + ": is " + config::kind_name(node.kind()) + "; a value is expected");
    return nullptr;
  }
  if (!number) return node.text();
  if (const auto whole = config::parse_integer(node.text())) return *whole.value;
  if (const auto real = config::parse_real(node.text())) return *real.value;
  note(problems, node.place().text() + ": " + config::show(node.text()) + " is not a number");
  return nullptr;
}

Json list_json(const Node& node, bool numbers, std::vector<std::string>& problems) {
  Json all = Json::array();
  if (!node.is_list())
    note(problems, node.place().text() + ": is " + config::kind_name(node.kind()) + "; a list is expected");
  for (const Node& item : node.items()) all.push_back(scalar_json(item, numbers, problems));
  return all;
}

Json widget_json(const Node& node, std::vector<std::string>& problems) {
  Json widget = Json::object();
  if (!node.is_map())
    note(problems, node.place().text() + ": is " + config::kind_name(node.kind()) + "; a map is expected");
  for (const Node::Entry& entry : node.entries()) {
    if (entry.key == "at" || entry.key == "variables")
      widget[entry.key] = list_json(entry.value, entry.key == "at", problems);
    else
      widget[entry.key] = scalar_json(entry.value, is_number_key(entry.key), problems);
  }
  return widget;
}

Json desks_json(const Node& node, std::vector<std::string>& problems) {
  Json desks = Json::object();
  if (!node.is_map() && !node.is_null())
    note(problems,
         node.place().text() + ": is " + config::kind_name(node.kind()) + "; a map of desks is expected");
  for (const Node::Entry& entry : node.entries()) {
    Json& desk = desks[entry.key] = Json::array();
    if (!entry.value.is_list())
      note(problems, entry.value.place().text() + ": is " + config::kind_name(entry.value.kind()) +
                         "; a list of widgets is expected");
    for (const Node& widget : entry.value.items()) desk.push_back(widget_json(widget, problems));
  }
  return desks;
}

Node node_of(const Json& json) {
  if (json.is_object()) {
    std::vector<Node::Entry> entries;
    for (const auto& [key, value] : json.items()) entries.push_back({key, {}, node_of(value)});
    return Node::map(std::move(entries));
  }
  if (json.is_array()) {
    std::vector<Node> items;
    for (const Json& item : json) items.push_back(node_of(item));
    return Node::list(std::move(items));
  }
  if (json.is_string()) return Node::scalar(json.get<std::string>(), {}, true);
  return Node::scalar(json.dump());
}

/// A tag of these bytes: as good as none has another meaning and the same tag.
std::string tag_of(const std::string& bytes) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return rtsync::format_text("\"%zu-%016" PRIx64 "\"", bytes.size(), hash);
}

}  // namespace

const Schema& panels_schema() {
  static const Schema widget = object(
      "A widget.", {must("kind", word("Kind of widget", kind_names())),
                    must("at", list("Column (of 12), row, width and height", integer(""), 4)),
                    may("variable", text("Variable of a knob, slider, switch, button or number")),
                    may("variables", list("Variables of lamps, a plot or an xy", text(""), kMostCurves)),
                    may("text", text("Text that a widget of kind text shows")),
                    may("label", text("Label that is shown instead of the variable's name")),
                    may("from", number("Least value that the widget shows or sets")),
                    may("to", number("Greatest value that the widget shows or sets")),
                    may("value", number("Value that a button sets"))});
  static const Schema schema = object(
      "The desks of the rig.",
      {must("panels", map("Desks by name", list("Widgets of the desk", widget, kMostWidgets), kMostDesks))});
  return schema;
}

void check_panels(const Json& json, const executive::LiveRig& rig, std::vector<std::string>& problems) {
  for (const auto& [name, desk] : json.at("panels").items()) {
    if (name.empty() || name.size() > 64 || config::one_line(name) != name)
      note(problems,
           "panels." + config::show(name) + ": a desk has a name of 1 to 64 characters on one line");
    for (std::size_t i = 0; i < desk.size() && !is_full(problems); ++i)
      check_widget(desk[i], rig, "panels." + name + "[" + std::to_string(i) + "]", problems);
  }
}

std::filesystem::path PanelFile::beside(const std::filesystem::path& rig_file) {
  if (rig_file.empty()) return {};
  return rig_file.parent_path() / (rig_file.stem().string() + ".panels.yaml");
}

Json read_panels(const std::string& name, const std::string& text, std::vector<std::string>& problems) {
  Json panels;
  try {
    const auto document = config::Document::from_text(name, text);
    for (const config::Repeated& twice : document.repeated())
      note(problems, twice.place.text() + ": " + twice.key + ": is there twice, " + twice.where_first());
    const Node* const desks = document.root().find("panels");
    if (desks == nullptr) note(problems, name + ":1:1: there is no key 'panels', a map of desks");
    for (const Node::Entry& entry : document.root().entries())
      if (entry.key != "panels")
        note(problems, entry.place.text() + ": " + entry.key + ": unknown key; 'panels' is expected");
    if (desks != nullptr) panels = desks_json(*desks, problems);
  } catch (const config::ConfigError& wrong) {
    for (const config::Problem& problem : wrong.problems().sorted()) note(problems, problem.text());
  }
  if (problems.empty()) {
    std::vector<std::string> wrong;
    check(panels_schema(), {{"panels", panels}}, "", wrong);
    for (const std::string& problem : wrong) note(problems, name + ": " + problem);
  }
  return problems.empty() ? panels : Json::object();
}

PanelFile::Contents PanelFile::read() const {
  Contents contents{"\"none\"", Json::object(), {}};
  std::error_code error;
  const std::filesystem::path& file = used();
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error == std::errc::no_such_file_or_directory) return contents;
  std::ifstream in(file, std::ios::binary);
  if (error || !in || size > kMostBytes) {
    contents.problems = {file.string() + ": " +
                         (size > kMostBytes && !error
                              ? std::string("is longer than 4 MiB")
                              : std::generic_category().message(error ? error.value() : errno))};
    std::error_code ignored;
    const auto written = std::filesystem::last_write_time(file, ignored).time_since_epoch().count();
    contents.tag = tag_of(std::to_string(size) + " bytes of " + std::to_string(written));
    return contents;
  }
  const std::string text(std::istreambuf_iterator<char>(in), {});
  contents.tag = tag_of(text);
  contents.panels = read_panels(name(), text, contents.problems);
  return contents;
}

std::string panels_yaml(const Json& panels) {
  return "# The desks of the control port's page, which writes this file (documentation: http-api.md).\n" +
         config::to_yaml(Node::map({{"panels", {}, node_of(panels)}}));
}

std::filesystem::path PanelFile::state_folder() {
  const char* const text = std::getenv("STATE_DIRECTORY");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  const std::string folders = text == nullptr ? "" : text;
  return folders.substr(0, folders.find(':'));
}

const std::filesystem::path& PanelFile::used() const {
  std::error_code ignored;
  return !other_.empty() && std::filesystem::exists(other_, ignored) ? other_ : file_;
}

std::string PanelFile::name() const {
  const std::filesystem::path& file = used();
  return &file == &file_ ? file.filename().string() : file.string();
}

namespace {

std::string write_to(const std::filesystem::path& file, const Json& panels) {
  // Rigs of other processes, and of other users, may keep panels in the same folder.
  const std::string part = "." + std::to_string(::getpid()) + ".part";
  const int error = rtsync::replace_folder_file(file, panels_yaml(panels), AT_FDCWD, part);
  if (error == 0) return "";
  const bool forbidden = error == EACCES || error == EPERM || error == EROFS;
  return file.string() + " cannot be written: " + std::generic_category().message(error) +
         (forbidden ? "; let the user of the rig write into that folder" : "");
}

}  // namespace

std::string PanelFile::write(const Json& panels) const {
  const std::filesystem::path& file = used();
  std::string why = write_to(file, panels);
  if (why.empty() || other_.empty() || &file == &other_) return why;
  const std::string also = write_to(other_, panels);
  return also.empty() ? "" : why + "; and " + also;
}

}  // namespace tactus::drivers::live_http
