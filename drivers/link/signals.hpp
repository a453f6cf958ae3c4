// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drivers/link/can_network.hpp"
#include "drivers/link/settings.hpp"
#include "executive/driver/link.hpp"
#include "executive/model/variable.hpp"

namespace tactus::drivers::link {

/// One variable in a message. The values of a message are in a row in memory, each at its offset, without
/// gaps, in the machine's own representation: the "block". Messages are made from blocks and read into them.
struct Element {
  std::string name;  ///< "controller.setpoint": the key in a JSON object
  tactus_type type = TACTUS_DOUBLE;
  std::uint32_t elements = 1;
  bool array = false;
  std::size_t offset = 0;           ///< offset in the block
  std::optional<double> low, high;  ///< outside of them a value is refused
};

/// Size in bytes.
inline std::size_t size_of(const Element& element) {
  return executive::size_of(element.type) * element.elements;
}

/// Layout of a message; docs/link.md has it for users.
struct Layout {
  Encoding encoding = Encoding::serdes;
  bool group = false;  ///< `variables`: a struct, an object; else a bare value
  std::vector<Element> elements;
  std::size_t bytes = 0;  ///< size of the block
};

/// The payload of a message. Replaces what `payload` holds. @when service
void encode(const Layout& layout, const std::byte* block, std::vector<std::uint8_t>& payload);
/// Fills the block; empty: done. Else why the payload does not fit, in words for the log ("has 7 bytes; 8 are
/// expected"); the block is then worth nothing. Never throws, whatever the payload is. @when service
std::string decode(const Layout& layout, std::span<const std::uint8_t> payload, std::byte* block);

/// A signal with everything decided.
struct Signal {
  std::string name;
  std::string topic;
  std::string media_type;
  std::vector<LabelSettings> labels;
  Layout layout;
  std::vector<executive::VariableRef> variables;  ///< variables, as layout.elements
};

struct Publication : Signal {
  bool history = false;
  std::vector<const void*> sources;  ///< addresses where the values are read, as variables
};

struct Subscription : Signal {
  std::string peer;  ///< participant that sends it; empty: not said
  OnLate on_late = OnLate::hold;
  std::vector<std::byte> default_block;  ///< empty: none was given
  std::optional<Nanoseconds> max_age;
  AtMaxAge at_max_age = AtMaxAge::hold;
};

/// All that a link carries, in the order of declaration.
struct Signals {
  std::vector<Publication> publications;
  std::vector<Subscription> subscriptions;
  std::vector<CanNetwork> networks;

  std::vector<executive::VariableRef> inputs() const;  ///< the variables of all subscriptions
  std::vector<executive::LinkSignal> list() const;     ///< all of them, for faults
  std::size_t bytes_out() const;                       ///< size of the blocks of all publications together
  std::size_t largest_in() const;                      ///< size of the largest block that comes in
};

/// Looks the variables up and checks everything that needs them: unknown ones, outputs that are subscribed
/// to, an input twice, default values (and that there are some where a policy needs them), extrapolation of
/// what is not floating-point, both or neither of `variable` and `variables`. @when setup
Signals bind(const LinkSettings& settings, const std::string& path, const executive::LinkContext& context,
             config::Problems& problems);

}  // namespace tactus::drivers::link
