#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>

#include "config/json.hpp"
#include "drivers/silkit/command/participant.hpp"
#include "drivers/silkit/command/print_line.hpp"

namespace tactus::silkit::command {
namespace {

struct Destroy {
  void operator()(SilKit_Vendor_Vector_SilKitRegistry* registry) const {
    (void)SilKit_Vendor_Vector_SilKitRegistry_Destroy(registry);
  }
};
using Registry = std::unique_ptr<SilKit_Vendor_Vector_SilKitRegistry, Destroy>;

/// "a" of silkit://[::1]:8500/a.
std::string simulation_of(const std::string& uri) {
  const std::size_t scheme = uri.find("://");
  const std::size_t slash = uri.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  return slash == std::string::npos ? "" : uri.substr(slash + 1);
}

/// A participant configuration that leads here; complete before it is there, as somebody may wait for it.
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
    app.description("SIL Kit: introduces the participants of simulations to each other");
    arguments_.declare(app, "-u,--listen-uri", "where to listen; port 0: any that is free");
    app.add_option("-g,--generate-configuration", generate_,
                   "write a participant configuration that leads here")
        ->type_name("FILE");
  }

  int run() override {
    SignalWaiter attention;
    const Configuration configuration(arguments_);
    const std::string wanted = configuration.uri();
    SilKit_Vendor_Vector_SilKitRegistry* made = nullptr;
    must(SilKit_Vendor_Vector_SilKitRegistry_Create(&made, configuration.get()), "registry");
    const Registry registry(made);
    const char* uri = nullptr;
    const SilKit_ReturnCode code =
        SilKit_Vendor_Vector_SilKitRegistry_StartListening(registry.get(), wanted.c_str(), &uri);
    if (code == SilKit_ReturnCode_UNSPECIFIEDERROR)
      throw CommandError(kEndedEarly, "--listen-uri " + wanted + ": " + SilKit_GetLastErrorString());
    must(code, "--listen-uri " + wanted);
    if (const std::string simulation = simulation_of(wanted); !simulation.empty())
      std::fprintf(stderr,
                   "tactus: warning: a registry hosts all simulations; the name '%s' of %s is not used\n",
                   simulation.c_str(), wanted.c_str());
    if (!generate_.empty()) write_configuration(generate_, uri);
    if (const int error = print_line("listening on " + std::string(uri)); error != 0)
      std::fprintf(stderr, "tactus: stdout cannot be written: %s; listening on %s\n",
                   error_text(error).c_str(), uri);
    while (attention.wait() != SignalWaiter::Call::signal) {
    }
    return kOk;
  }

 private:
  Arguments arguments_;
  std::string generate_;  ///< file that is to hold a participant configuration with the URI; empty: none
};

}  // namespace
}  // namespace tactus::silkit::command

TACTUS_DRIVER(tactus::executive::CommandDriver, "registry", tactus::silkit::command::RegistryCommand)
