// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/preemption_model.hpp"

#include <utility>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {
namespace {

constexpr const char* kRealtime = "PREEMPT_RT";

bool built_with(const KernelConfig& config, const char* option) {
  return config.has(option) == std::optional{true};
}

/// Returns the sign that this is a PREEMPT_RT kernel.
std::optional<std::string> sign_of_preempt_rt(const std::filesystem::path& root, const KernelConfig& config) {
  if (read_host_file(root, "/sys/kernel/realtime").text == "1") return "/sys/kernel/realtime is 1";
  if (built_with(config, "CONFIG_PREEMPT_RT")) return config.file();
  // Only now by its name: a mainline kernel with PREEMPT_RT has neither file when it hides its configuration.
  const FileText version = read_host_file(root, "/proc/version");
  for (const char* const name : {"PREEMPT_RT", "PREEMPT RT"}) {
    if (version.text.find(name) != std::string::npos) return "by its name in /proc/version";
  }
  return std::nullopt;
}

std::optional<PreemptionModel> model_in_force(const std::filesystem::path& root) {
  const FileText models =
      read_host_file(root, "/sys/kernel/debug/sched/preempt");  // "none voluntary (full) lazy"
  const auto name = chosen(models.text, '(', ')');
  return name ? std::optional{PreemptionModel{*name, models.file}} : std::nullopt;
}

std::optional<PreemptionModel> model_given_at_boot(const std::filesystem::path& root,
                                                   const KernelConfig& config) {
  if (!built_with(config, "CONFIG_PREEMPT_DYNAMIC")) return std::nullopt;
  const auto given = boot_parameter(read_host_file(root, "/proc/cmdline").text, "preempt");
  return given && !given->empty() ? std::optional{PreemptionModel{*given, "preempt= at boot"}} : std::nullopt;
}

std::optional<PreemptionModel> model_built_in(const KernelConfig& config) {
  constexpr std::pair<const char*, const char*> kModels[] = {{"CONFIG_PREEMPT_LAZY", "lazy"},
                                                             {"CONFIG_PREEMPT_VOLUNTARY", "voluntary"},
                                                             {"CONFIG_PREEMPT_NONE", "none"},
                                                             {"CONFIG_PREEMPT", "full"}};
  for (const auto& [option, model] : kModels) {
    if (built_with(config, option)) return PreemptionModel{model, config.file()};
  }
  return std::nullopt;
}

}  // namespace

std::optional<PreemptionModel> read_preemption_model(const std::filesystem::path& root) {
  const KernelConfig config = read_kernel_config(root);
  if (const auto sign = sign_of_preempt_rt(root, config)) return PreemptionModel{kRealtime, *sign};
  if (auto model = model_in_force(root)) return model;
  if (auto model = model_given_at_boot(root, config)) return model;
  return model_built_in(config);
}

}  // namespace tactus::rtsync
