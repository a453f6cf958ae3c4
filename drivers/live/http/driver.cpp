// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/driver.hpp"

#include <filesystem>
#include <utility>

#include "config/text.hpp"
#include "drivers/live/http/listener.hpp"
#include "drivers/live/http/server.hpp"

namespace tactus::drivers::live_http {

std::unique_ptr<executive::LiveServer> HttpDriver::make(const config::Node& settings, const std::string& path,
                                                        const executive::LiveContext& context,
                                                        config::Problems& problems) {
  auto read = load(settings, path, problems);
  if (!read) return nullptr;
  const auto refuse = [&](const std::string& why) {
    const config::Node* const node = settings.find("listen");
    problems.add(node == nullptr ? settings.place() : node->place(), path + ".listen", why);
    return nullptr;
  };
  std::string problem;
  auto address = parse_address(read->listen, problem);
  if (!address) return refuse(problem);
  if (address->path.starts_with("/")) {  // a relative one begins in the run folder, which is not known yet
    address->path = std::filesystem::path(address->path).lexically_normal().string();
    if (const std::string too_long = path_problem(*address, false); !too_long.empty())
      return refuse(too_long);
  }
  if (!address->is_local() && !read->token_file)
    return refuse(config::show(read->listen) +
                  " can be reached from other machines, so every client needs a token: "
                  "name a file with one in token_file, or listen on 127.0.0.1 or unix:PATH");
  std::optional<std::string> token_file;
  if (read->token_file) token_file = (context.base / *read->token_file).lexically_normal().string();
  return make_server(std::move(*read), std::move(*address), std::move(token_file));
}

}  // namespace tactus::drivers::live_http
