// SPDX-License-Identifier: Apache-2.0
#include <tactus/silkit.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "config/document.hpp"
#include "config/json.hpp"
#include "drivers/silkit/command/commands.hpp"
#include "drivers/silkit/command/participant.hpp"
#include "drivers/silkit/command/print_line.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::silkit::command {
namespace {

/// An object of the library's, with the function that destroys it.
template <class Object, auto destroy>
using Owned = std::unique_ptr<Object, decltype([](Object* object) { (void)destroy(object); })>;

/// Settings of a registry: the command line, and the file of --registry-configuration, which wins.
struct RegistrySettings {
  std::string uri;
  std::string uri_from;  ///< source of the URI, for messages: "--listen-uri", "FILE:1:1: ListenUri"
  Owned<SilKit_ParticipantConfiguration, &SilKit_ParticipantConfiguration_Destroy> configuration;
};

/// ListenUri of a file that the library has read; nothing when it has none, or is empty.
std::optional<config::Node::Entry> listen_uri(const std::string& file) try {
  const config::Document document = config::Document::from_file(file);
  for (const config::Node::Entry& entry : document.root().entries())
    if (entry.key == "ListenUri" && !entry.value.text().empty()) return entry;
  return std::nullopt;
} catch (const config::ConfigError&) {
  return std::nullopt;
}

/// Reads `file` (YAML or JSON; empty: none), with ListenUri, EnableDomainSockets, Logging and Tactus. Warns on
/// stderr of keys that are unknown or have no effect. Throws CommandError for what cannot be.
RegistrySettings registry_settings(const std::string& file, const std::string& uri, const std::string& log) {
  config::Json text{{"Logging", {{"Sinks", {{{"Type", "Stdout"}, {"Level", level_key(log)}}}}}},
                    {"Tactus", {{"LogToStderr", true}}}};
  if (!file.empty()) text["Tactus"]["RegistryConfiguration"] = file;
  SilKit_ParticipantConfiguration* made = nullptr;
  must(SilKit_ParticipantConfiguration_FromString(&made, text.dump().c_str()),
       file.empty() ? "--log" : "--registry-configuration " + file);
  RegistrySettings settings{uri, "--listen-uri", {}};
  settings.configuration.reset(made);
  if (file.empty()) return settings;
  if (const std::optional<config::Node::Entry> said = listen_uri(file)) {
    settings.uri = said->value.text();
    settings.uri_from = said->place.text() + ": ListenUri";
  }
  return settings;
}

/// A file whose only content is what becomes of this process: "starting", "running", then it is removed. An
/// empty path: none.
class StatusFile {
 public:
  explicit StatusFile(const std::string& path) {
    std::error_code error;
    if (!path.empty()) path_ = std::filesystem::absolute(path, error).string();
    write("starting");
  }
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;
  ~StatusFile() {
    if (path_.empty()) return;
    write("stopped");
    std::error_code error;
    std::filesystem::remove(path_, error);
  }

  /// Writes the status. A failure is reported on stderr.
  void write(const std::string& status) const {
    if (path_.empty()) return;
    errno = 0;
    std::ofstream file(path_, std::ios::trunc | std::ios::binary);
    file << status;
    file.close();
    if (!file)
      (void)rtsync::print_plain(stderr, "tactus: --x-status-file %s cannot be written: %s\n", path_.c_str(),
                                error_text(errno).c_str());
  }

 private:
  std::string path_;  ///< absolute
};

/// "a" of silkit://[::1]:8500/a.
std::string simulation_of(const std::string& uri) {
  const std::size_t scheme = uri.find("://");
  const std::size_t slash = uri.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  return slash == std::string::npos ? "" : uri.substr(slash + 1);
}

/// A participant configuration that leads here; complete before it is there, as a program may wait for it.
void write_configuration(const std::string& file, const std::string& uri) {
  const std::string part = file + ".part";
  errno = 0;
  std::ofstream stream(part);
  stream << config::Json{{"Middleware", {{"RegistryUri", uri}}}}.dump(2) << "\n";
  stream.close();
  if (!stream || std::rename(part.c_str(), file.c_str()) != 0)
    throw CommandError(kEndedEarly,
                       "--generate-configuration " + file + ": cannot be written: " + error_text(errno));
}

class RegistryCommand final : public executive::CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("introduce the participants of SIL Kit simulations to each other");
    declare_version(app);
    app.add_option("-u,--listen-uri", uri_, "listen here; port 0: any that is free")
        ->type_name("URI")
        ->capture_default_str();
    app.add_option("-g,--generate-configuration", generate_,
                   "write a participant configuration that names this registry")
        ->type_name("FILE");
    declare_log(app, log_);
    app.add_option(
           "-c,--registry-configuration", configuration_,
           "read the registry configuration from this file (YAML or JSON); it overrides the command line")
        ->type_name("FILE");
    app.add_option("-d,--dashboard-uri", dashboard_, "not supported: there is no dashboard")
        ->type_name("URI");
    app.add_option("-C,--directory", directory_)->group("");
    app.add_option("--x-status-file", status_file_)->group("");
    declare_ignored(app, "-Q,--enable-dashboard", with_dashboard_);
    declare_ignored(app, "-s,--use-signal-handler", with_signals_);
  }

  int run() override {
    if (!directory_.empty()) {
      std::error_code error;
      std::filesystem::current_path(directory_, error);
      if (error)
        throw CommandError(kWrongInput, "--directory " + directory_ + ": " + error_text(error.value()));
    }
    if (!dashboard_.empty() || with_dashboard_)
      throw CommandError(kWrongInput,
                         std::string(dashboard_.empty() ? "-Q, --enable-dashboard" : "-d, --dashboard-uri") +
                             ": this registry does not report to a dashboard; remove the option, and watch "
                             "simulations with tactus monitor");
    if (with_signals_)
      (void)rtsync::print_plain(
          stderr, "tactus: warning: --use-signal-handler: not needed any more; signals end it\n");
    const StatusFile status(status_file_);
    SignalWaiter attention;
    const RegistrySettings settings = registry_settings(configuration_, uri_, log_);
    const std::string& wanted = settings.uri;
    const Owned<SilKit_Vendor_Vector_SilKitRegistry, &SilKit_Vendor_Vector_SilKitRegistry_Destroy> registry(
        make(settings));
    const char* uri = nullptr;
    const SilKit_ReturnCode code =
        SilKit_Vendor_Vector_SilKitRegistry_StartListening(registry.get(), wanted.c_str(), &uri);
    if (code == SilKit_ReturnCode_UNSPECIFIEDERROR)
      throw CommandError(kEndedEarly, settings.uri_from + ' ' + wanted + ": " + SilKit_GetLastErrorString());
    must(code, settings.uri_from + ' ' + wanted);
    if (const std::string simulation = simulation_of(wanted); !simulation.empty())
      (void)rtsync::print_plain(
          stderr, "tactus: warning: a registry hosts all simulations; the name '%s' of %s is not used\n",
          simulation.c_str(), wanted.c_str());
    if (!generate_.empty()) write_configuration(generate_, uri);
    if (const int error = print_line("listening on " + std::string(uri)); error != 0)
      (void)rtsync::print_plain(stderr, "tactus: stdout cannot be written: %s; listening on %s\n",
                                error_text(error).c_str(), uri);
    status.write("running");
    while (attention.wait() != SignalWaiter::Call::signal) {
    }
    return kOk;
  }

 private:
  static SilKit_Vendor_Vector_SilKitRegistry* make(const RegistrySettings& settings) {
    SilKit_Vendor_Vector_SilKitRegistry* made = nullptr;
    must(SilKit_Vendor_Vector_SilKitRegistry_Create(&made, settings.configuration.get()), "registry");
    return made;
  }

  std::string uri_ = kDefaultUri;
  std::string log_ = "info";
  std::string configuration_;  ///< file
  std::string generate_;       ///< file that is to hold a participant configuration with the URI; empty: none
  std::string dashboard_;
  std::string directory_;
  std::string status_file_;
  bool with_dashboard_ = false;
  bool with_signals_ = false;
};

}  // namespace

executive::Driver* make_registry() { return new RegistryCommand; }

}  // namespace tactus::silkit::command
