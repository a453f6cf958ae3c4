// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "config/json_of.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/sdk_call.hpp"
#include "rtsync/crash/current_call.hpp"

namespace tactus::executive {
namespace {

constexpr const char* kParameters = "parameters";  // a key of all models, so no driver has one of this name

/// The device seen by a rig that ends.
class SdkOutput final : public SafeOutput {
 public:
  SdkOutput(const SdkEntry& entry, void* self, int (*function)(void*, int))
      : text_("driver '" + entry.name + "' drove its outputs safe (" + entry.library + ")"),
        code_(entry.code()),
        self_(self),
        drive_safe_(function) {}
  bool drive_safe() TACTUS_RT override {
    const rtsync::CurrentCall call(text_.c_str());
    return drive_safe_(self_, ended() ? 1 : 0) == 0;
  }

  std::string code() const override { return code_; }

 private:
  const std::string text_, code_;
  void* self_;
  int (*drive_safe_)(void*, int);
};

class SdkModel final : public DrivenModel {
 public:
  SdkModel(std::shared_ptr<SdkInstance> instance, const tactus_model_functions& functions)
      : instance_(std::move(instance)), functions_(functions) {
    if (functions_.drive_safe != nullptr && has_safe_values())
      output_ = std::make_unique<SdkOutput>(instance_->entry(), instance_->self(), functions_.drive_safe);
    if (functions_.outputs != nullptr) read_outputs();
  }

  Face face() override { return {instance_->self(), functions_.declare}; }
  void declare(Declare&) override {}  // the face does

  void open(const OpenRequest& request) override {
    const tactus_open_request asked{sizeof(tactus_open_request), request.rig.c_str(),
                                    request.safe_outputs == SafeOutputs::guardian ? 0U : 1U,
                                    request.folder.c_str()};
    const rtsync::Doing doing("driver '" + instance_->entry().name + "' opened its device");
    call_or_throw<DeviceError>(instance_->entry(), "open", functions_.open, instance_->self(), &asked);
  }
  void planned(const std::string& job, const rtsync::Period& cycle) override {
    if (functions_.planned == nullptr) return;
    call_or_throw<std::runtime_error>(instance_->entry(), "planned", functions_.planned, instance_->self(),
                                      job.c_str(), cycle.num(), cycle.den());
  }
  std::string code() const override { return instance_->entry().code(); }
  bool has_messages() const override { return functions_.take_message != nullptr; }
  std::optional<ModelMessage> take_message() override {
    if (functions_.take_message == nullptr) return std::nullopt;
    const rtsync::CurrentCall call(messages_.c_str());
    SdkText<1024> text;
    tactus_message message{sizeof(tactus_message), SdkText<1024>::room(), text.data(), TACTUS_MESSAGE_INFO};
    const int status =
        call_sdk(instance_->entry(), "take_message", functions_.take_message, instance_->self(), &message);
    text.expect_inside(instance_->entry(), "take_message");
    if (status != 0) return std::nullopt;
    return ModelMessage{message.level != TACTUS_MESSAGE_INFO, text.line()};
  }
  std::vector<OfferedFault> faults() override;
  void disturb(std::uint32_t number, bool acts, double amount) TACTUS_RT override {
    functions_.disturb(instance_->self(), number, acts ? 1 : 0, amount);
  }
  std::uint64_t disturbed(std::uint32_t number) override {
    return functions_.disturbed == nullptr ? 0 : functions_.disturbed(instance_->self(), number);
  }
  std::vector<ModelHistogram> histograms() override;
  std::vector<ModelMessage> remarks() override;
  SafeOutput* safe_output() override { return output_.get(); }
  std::vector<DrivenOutput> outputs() const override { return outputs_; }

 private:
  bool has_safe_values() const {
    return functions_.has_safe_values == nullptr ||
           call_sdk(instance_->entry(), "has_safe_values", functions_.has_safe_values, instance_->self()) !=
               0;
  }
  /// Returns the structs that a function counts. `one`: what each is.
  template <class Item>
  std::span<const Item* const> items_of(const char* function, const char* one,
                                        const Item* const* (*list)(void*, std::uint32_t*)) const {
    const std::string driver = "driver '" + instance_->entry().name + "': ";
    std::uint32_t count = 0;
    const Item* const* const all = call_sdk(instance_->entry(), function, list, instance_->self(), &count);
    if (all == nullptr && count > 0)
      throw std::runtime_error(driver + "its function " + function +
                               "() failed: an exception, or a null pointer for " + function +
                               " that it counts");
    const std::span items(all, count);
    if (std::ranges::any_of(items,
                            [](const Item* each) { return each == nullptr || each->size < sizeof(Item); }))
      throw std::runtime_error(driver + one + " has another size");
    return items;
  }
  void read_outputs() {
    for (const tactus_driven_output* each : items_of("outputs", "an output of it", functions_.outputs)) {
      DrivenOutput& made = outputs_.emplace_back();
      made.variable = sdk_text(each->variable);
      made.what = sdk_text(each->what);
      if (each->safe == nullptr) continue;
      made.safe = config::json_of(each->safe);
      if (!made.safe.is_primitive()) made.safe = each->safe;
    }
  }

  std::shared_ptr<SdkInstance> instance_;
  const tactus_model_functions functions_;
  const std::string messages_ =
      "driver '" + instance_->entry().name + "' was asked for messages (" + instance_->entry().library + ")";
  std::unique_ptr<SdkOutput> output_;
  std::vector<DrivenOutput> outputs_;
};

std::vector<OfferedFault> SdkModel::faults() {
  std::vector<OfferedFault> offered;
  if (functions_.faults == nullptr) return offered;
  if (functions_.disturb == nullptr)
    throw std::runtime_error("driver '" + instance_->entry().name +
                             "' offers faults, and has no function disturb()");
  for (const tactus_offered_fault* each : items_of("faults", "a fault that it offers", functions_.faults)) {
    OfferedFault& made = offered.emplace_back();
    made.target = sdk_text(each->target);
    made.kind = sdk_text(each->kind);
    made.meaning = sdk_text(each->meaning);
    made.has_amount = each->has_amount != 0;
    made.unit = sdk_text(each->unit);
    made.least = each->least;
    made.most = each->most;
    if (!std::isnan(each->fallback)) made.fallback = each->fallback;
    made.refused = sdk_text(each->refused);
  }
  return offered;
}

std::vector<ModelHistogram> SdkModel::histograms() {
  std::vector<ModelHistogram> all;
  if (functions_.histogram == nullptr) return all;
  for (std::uint32_t number = 0;; ++number) {
    const tactus_histogram* const shown =
        call_sdk(instance_->entry(), "histogram", functions_.histogram, instance_->self(), number);
    if (shown == nullptr) return all;
    if (shown->size < sizeof(tactus_histogram))
      throw std::runtime_error("driver '" + instance_->entry().name +
                               "': a histogram of it has another size");
    ModelHistogram& made = all.emplace_back();
    made.name = sdk_text(shown->name);
    made.about = sdk_text(shown->about);
    made.unit = sdk_text(shown->unit);
    made.not_measured = sdk_text(shown->not_measured);
    made.count = shown->count;
    made.longest = shown->longest;
    made.limit = shown->limit;
    for (std::uint32_t i = 0; i < shown->class_count; ++i)
      made.classes.push_back({shown->classes[i].end, shown->classes[i].count});
    for (std::uint32_t i = 0; i < shown->share_count; ++i)
      made.shares.push_back({sdk_text(shown->shares[i].cause), shown->shares[i].count});
  }
}

std::vector<ModelMessage> SdkModel::remarks() {
  std::vector<ModelMessage> all;
  if (functions_.remarks == nullptr) return all;
  const auto hear = [](void* to, std::uint32_t level, const char* text) {
    static_cast<std::vector<ModelMessage>*>(to)->push_back(
        {level != TACTUS_MESSAGE_INFO, config::one_line(sdk_text(text))});
  };
  call_or_throw<std::runtime_error>(instance_->entry(), "remarks", functions_.remarks, instance_->self(),
                                    &all, hear);
  return all;
}

class SdkModelDriver final : public ModelDriver {
 public:
  explicit SdkModelDriver(std::shared_ptr<const SdkEntry> entry)
      : entry_(std::move(entry)),
        functions_(functions_of<tactus_model_functions>(*entry_, offsetof(tactus_model_functions, planned))) {
    need(functions_.declare, "declare");
    need(functions_.open, "open");
  }

  std::shared_ptr<const config::Section> section() const override { return entry_->keys.section(); }

  bool takes_parameters() const override { return true; }
  std::string extension() const override {
    return functions_.examine == nullptr ? "" : sdk_text(functions_.extension);
  }
  void examine(const std::string& file, const FileLine& line, ExamineOptions& options) const override {
    struct Sink {
      const FileLine& line;
      ExamineOptions& options;
    } sink{line, options};
    const tactus_examination to{
        sizeof(tactus_examination), &sink,
        [](void* at, const char* text) { static_cast<Sink*>(at)->line(false, sdk_text(text)); },
        [](void* at, const char* text) { static_cast<Sink*>(at)->line(true, sdk_text(text)); },
        [](void* at, const char* name) { return static_cast<Sink*>(at)->options.ask(sdk_text(name)); }};
    call_or_throw<std::runtime_error>(*entry_, "examine", functions_.examine, file.c_str(), &to);
  }

  KeyNames names(const config::Node& settings, const std::string& path) const override {
    KeyNames all;
    if (functions_.names == nullptr) return all;
    const auto [keys, parameters] = without_parameters(settings);
    config::Problems mistakes;  // of a file that is being written
    const KeptValue section = entry_->keys.load(keys, path, mistakes);
    const SdkSettings asked(section, parameters, nullptr, [](void*, const char*, const char*) {});
    const tactus_key_names to{sizeof(tactus_key_names), &all,
                              [](void* context, const char* key, const char* name, const char* about) {
                                (*static_cast<KeyNames*>(context))[sdk_text(key)].names.push_back(
                                    {config::one_line(sdk_text(name)), config::one_line(sdk_text(about))});
                              },
                              [](void* context, const char* key, const char* unless) {
                                NamesOfKey& of = (*static_cast<KeyNames*>(context))[sdk_text(key)];
                                of.only = true;
                                of.unless = sdk_text(unless);
                              }};
    call_or_throw<std::runtime_error>(*entry_, "names", functions_.names, asked.get(), &to);
    return all;
  }

  std::unique_ptr<DrivenModel> make(const config::Node& settings, const std::string& path,
                                    config::Problems& problems) override {
    const std::size_t before = problems.count();
    const auto [keys, parameters] = without_parameters(settings);
    const KeptValue section = entry_->keys.load(keys, path, problems);
    if (problems.count() != before) return nullptr;
    auto instance = make_instance(entry_, section, problems, parameters);
    if (instance == nullptr) return nullptr;
    try {
      return std::make_unique<SdkModel>(std::move(instance), functions_);
    } catch (const std::exception& error) {
      problems.add(section.origin, error.what());
      return nullptr;
    }
  }

 private:
  std::shared_ptr<const SdkEntry> entry_;
  const tactus_model_functions functions_;
};

}  // namespace

config::Node with_parameters(const config::Node& settings, const config::Node& parameters) {
  if (!parameters.is_map() || !settings.is_map()) return settings;
  std::vector<config::Node::Entry> entries = settings.entries();
  entries.push_back({kParameters, parameters.place(), parameters});
  return config::Node::map(std::move(entries), settings.place());
}

std::pair<config::Node, config::Node> without_parameters(const config::Node& settings) {
  config::Node parameters;
  if (!settings.is_map()) return {settings, parameters};
  std::vector<config::Node::Entry> entries;
  for (const config::Node::Entry& entry : settings.entries())
    if (entry.key == kParameters)
      parameters = entry.value;
    else
      entries.push_back(entry);
  return {config::Node::map(std::move(entries), settings.place()), parameters};
}

std::unique_ptr<Driver> make_sdk_model(std::shared_ptr<const SdkEntry> entry) {
  return std::make_unique<SdkModelDriver>(std::move(entry));
}

}  // namespace tactus::executive
