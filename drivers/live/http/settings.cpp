// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/settings.hpp"

namespace tactus::drivers::live_http {

using namespace std::chrono_literals;
using namespace config;

const config::Fields<HttpSettings>& http_fields() {
  using H = HttpSettings;
  static const config::Fields<H> fields{
      "The control port: variables, commands and episodes as JSON over HTTP.",
      {
          optional("listen", &H::listen, length(1, 4096),
                   "unix:PATH, relative to the run folder, or ADDRESS:PORT; port 0: any free one. An address "
                   "that is not loopback needs a token"),
          optional("token_file", &H::token_file, or_word("none", length(1, 4096), "no token is needed"),
                   "file with the token that clients must show: one line of 16 to 256 characters, readable "
                   "by its owner only; relative to the rig file"),
          optional("max_clients", &H::max_clients, range(1, 4096), "connections at the same time"),
          optional("max_body", &H::max_body, config::bytes(1024, 64 << 20), "size of a request's body"),
          optional("max_rate", &H::max_rate, range(1, 1'000'000),
                   "requests per second of one client: a process by unix socket, else an address; stop, "
                   "pause and releases are always taken"),
          optional("max_watch_rate", &H::max_watch_rate,
                   range(config::Period{1'000, 1}, config::Period{1'000'000'000, 1}),
                   "highest rate of the events of one stream, as a rate or a period"),
          optional("request_timeout", &H::request_timeout, range(10ms, 1min),
                   "drop a request that is not complete after this time"),
          optional("answer_timeout", &H::answer_timeout, range(10ms, 1h),
                   "longest time a request waits for a frame of the rig"),
      }};
  return fields;
}

}  // namespace tactus::drivers::live_http
