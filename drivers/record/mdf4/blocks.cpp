// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/mdf4/blocks.hpp"

#include "drivers/record/common/bytes.hpp"

namespace tactus::drivers::record {
namespace {

std::string place(std::uint64_t at) { return "at byte " + std::to_string(at); }

}  // namespace

std::string mdf_block(std::string_view type, const std::vector<std::uint64_t>& links, std::string_view data) {
  std::string block = "##" + std::string(type);
  put(block, std::uint32_t{0}, std::uint64_t{kMdfBlockHeader + 8 * links.size() + data.size()},
      std::uint64_t{links.size()});
  for (const std::uint64_t link : links) put(block, link);
  block += data;
  return block;
}

std::uint64_t MdfBlocks::add(std::string_view type, const std::vector<std::uint64_t>& links,
                             std::string_view data) {
  while (end() % 8 != 0) bytes_ += '\0';
  const std::uint64_t at = end();
  bytes_ += mdf_block(type, links, data);
  return at;
}

std::uint64_t MdfBlocks::text(const std::string& text) {
  return text.empty() ? 0 : add("TX", {}, text + '\0');
}

MdfBlock mdf_read(std::string_view file, std::uint64_t at, std::string_view type) {
  if (at % 8 != 0 || at < kMdfHeadAt) throw std::runtime_error("a link leads nowhere: " + place(at));
  if (at > file.size() || file.size() - at < kMdfBlockHeader)
    throw MdfCutOff("a block " + place(at) + " is cut off");
  ByteReader reader(file, static_cast<std::size_t>(at));
  if (reader.take(2) != "##") throw std::runtime_error("there is no block " + place(at));
  MdfBlock block{.at = at, .type = reader.take(2)};
  reader.skip(4);
  const auto length = reader.take<std::uint64_t>();
  const auto links = reader.take<std::uint64_t>();
  if (length < kMdfBlockHeader || links > (length - kMdfBlockHeader) / 8)
    throw std::runtime_error("there is no block " + place(at));
  if (length > file.size() - at) throw MdfCutOff("the block " + place(at) + " is cut off");
  if (!type.empty() && block.type != type)
    throw std::runtime_error("there is a block " + std::string(block.type) + " instead of " +
                             std::string(type) + " " + place(at));
  for (std::uint64_t i = 0; i < links; ++i) block.links.push_back(reader.take<std::uint64_t>());
  block.data = reader.take(length - kMdfBlockHeader - 8 * links);
  block.end = at + length;
  return block;
}

std::string mdf_text(std::string_view file, std::uint64_t at) {
  if (at == 0) return "";
  const MdfBlock block = mdf_read(file, at);
  if (block.type != "TX" && block.type != "MD") throw std::runtime_error("there is no text " + place(at));
  return std::string(block.data.substr(0, block.data.find('\0')));
}

}  // namespace tactus::drivers::record
