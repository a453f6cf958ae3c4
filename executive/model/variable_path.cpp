#include "executive/model/variable_path.hpp"

#include <charconv>

namespace tactus::executive {

std::optional<VariablePath> VariablePath::parse(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return VariablePath{text, std::nullopt};
  if (text.back() != ']') return std::nullopt;
  std::uint32_t index = 0;
  const char* const last = text.data() + text.size() - 1;
  const auto [end, error] = std::from_chars(text.data() + open + 1, last, index);
  if (error != std::errc{} || end != last) return std::nullopt;
  return VariablePath{text.substr(0, open), index};
}

}  // namespace tactus::executive
