// SPDX-License-Identifier: Apache-2.0
#include "executive/client/event_stream.hpp"

#include <utility>

namespace tactus::client {

void EventStream::take(std::string_view bytes, const std::function<void(const Event&)>& event) {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  buffer_ += bytes;
  std::size_t at = 0;
  for (std::size_t end = buffer_.find('\n'); end != std::string::npos; end = buffer_.find('\n', at)) {
    std::string_view line = std::string_view(buffer_).substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) {
      if (!event_.kind.empty() || !event_.data.empty()) event(std::exchange(event_, {}));
      continue;
    }
    if (line.starts_with(':')) continue;  // it lives
    const std::size_t colon = line.find(':');
    const std::string_view field = line.substr(0, colon);
    std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "event") event_.kind = value;
    if (field == "data" && event_.data.size() < kMost)
      event_.data += (event_.data.empty() ? "" : "\n") + std::string(value);
  }
  buffer_.erase(0, at);
  if (buffer_.size() > kMost) buffer_.clear();
}

}  // namespace tactus::client
