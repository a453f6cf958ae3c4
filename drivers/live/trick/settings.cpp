// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/settings.hpp"

#include <optional>

#include "config/text.hpp"
#include "drivers/live/trick/address.hpp"

namespace tactus::drivers::trick {

using namespace config;

const Fields<TrickSettings>& trick_fields() {
  using S = TrickSettings;
  static const Fields<S> fields{
      "Trick's variable server, for clients that were written for it.",
      {
          optional("listen", &S::listen, config::length(1, 100),
                   "ADDRESS:PORT, IPv4; port 0: any free one, which the log names"),
          optional("allow", &S::allow, config::length(1, 100),
                   "clients to serve: IPv4 addresses or blocks such as 10.1.0.0/16; required unless `listen` "
                   "is a loopback address, as the protocol has no password"),
          optional("writes", &S::writes, "no: clients read variables only"),
          optional("exit_status", &S::exit_status,
                   "use the code of exec_terminate_with_return as exit status of the run"),
          optional("max_clients", &S::max_clients, count("clients", 1, 1000), "clients at the same time"),
          optional("max_variables", &S::max_variables, count("variables", 1, 1'000'000),
                   "variables in the list of one client"),
      }};
  return fields;
}

void check(const TrickSettings& settings, const config::SourceLocation& place, const std::string& path,
           config::Problems& problems) {
  const std::optional<Endpoint> listen = Endpoint::parse(settings.listen);
  if (!listen)
    problems.add(place, path + ".listen",
                 config::show(settings.listen) +
                     " is not an address and port; write IPv4, like 127.0.0.1:7000 or localhost:7000");
  for (std::size_t i = 0; i < settings.allow.size(); ++i)
    if (!Block::parse(settings.allow[i]))
      problems.add(place, path + ".allow[" + std::to_string(i) + "]",
                   config::show(settings.allow[i]) +
                       " is not an IPv4 address or a block of them; write 10.1.2.3 or 10.1.0.0/16");
  if (listen && !listen->is_loopback() && settings.allow.empty())
    problems.add(place, path + ".listen",
                 config::show(settings.listen) +
                     " can be reached from other machines, and the protocol has no password; list the "
                     "clients in `allow: [10.1.2.3]`, or listen on 127.0.0.1");
}

}  // namespace tactus::drivers::trick
