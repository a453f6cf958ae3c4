// SPDX-License-Identifier: Apache-2.0
#include "executive/state/checkpoint_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "config/json.hpp"
#include "config/unit.hpp"
#include "executive/state/crc64.hpp"
#include "executive/state/partial_file.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::executive {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are written as the machine has them");

using std::filesystem::path;

constexpr std::string_view kMagic = "tactusCK";
constexpr std::size_t kPreamble = 24;                     // magic, format, length of header, length of data
constexpr std::size_t kChecksum = sizeof(std::uint64_t);  // at the end
constexpr std::uint32_t kMostHeader = std::uint32_t{64} << 20;  // some 500'000 pieces

// ---- writing

template <class T>
std::span<const std::byte> as_bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

std::string header_text(const CheckpointHead& head, const StateImage& image) {
  Json pieces = Json::array();
  std::size_t offset = 0;
  for (const Piece& piece : image.pieces()) {
    pieces.push_back({{"name", piece.name},
                      {"type", piece.type},
                      {"count", piece.count},
                      {"unit", piece.unit},
                      {"offset", offset},
                      {"bytes", piece.bytes}});
    offset += piece.bytes;
  }
  const Json json = {{"rig", head.rig},
                     {"frame", head.frame},
                     {"sim_time_ns", head.sim_time_ns},
                     {"period_ns", {{"num", head.period.num()}, {"den", head.period.den()}}},
                     {"tactus", head.version},
                     {"created", head.created},
                     {"pieces", std::move(pieces)}};
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append(7 - (text.size() + 7) % 8, ' ');  // the data begins at a multiple of eight
  return text;
}

// ---- reading

/// Problem of a header, without the name of the file.
struct BadHeader : std::runtime_error {
  using std::runtime_error::runtime_error;
};

const Json& member(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) throw BadHeader("'" + std::string(key) + "' is missing");
  return *found;
}
std::string text_of(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_string() || !is_plain_text(value.get_ref<const std::string&>()))
    throw BadHeader("'" + std::string(key) + "' is not a text");
  return value.get<std::string>();
}
std::int64_t integer_of(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)))
    throw BadHeader("'" + std::string(key) + "' is not a whole number");
  return value.get<std::int64_t>();
}
std::uint64_t natural_of(const Json& object, const char* key) {
  const std::int64_t value = integer_of(object, key);
  if (value < 0) throw BadHeader("'" + std::string(key) + "' is negative");
  return static_cast<std::uint64_t>(value);
}

CheckpointPiece piece_of(const Json& json, std::uint64_t expected_offset) {
  CheckpointPiece piece{.name = text_of(json, "name")};
  if (piece.name.empty()) throw BadHeader("it has no name");
  piece.type = text_of(json, "type");
  piece.unit = text_of(json, "unit");
  const std::uint64_t count = natural_of(json, "count");
  const std::optional<tactus_type> type = type_of(piece.type);
  if (!type) throw BadHeader("there is no type '" + piece.type + "'");
  if (count > UINT32_MAX) throw BadHeader("'count' is too large");
  piece.count = static_cast<std::uint32_t>(count);
  piece.offset = natural_of(json, "offset");
  piece.bytes = natural_of(json, "bytes");
  if (piece.bytes != std::max<std::uint64_t>(count, 1) * size_of(*type))
    throw BadHeader("type, 'count' and 'bytes' do not agree");
  if (piece.offset != expected_offset) throw BadHeader("it does not begin where the one before it ends");
  return piece;
}

/// Checks that the simulated time follows from the frame: of two that contradict each other either may be
/// wrong.
void check_time(const CheckpointHead& head) {
  const rtsync::Wide frames = static_cast<rtsync::Wide>(head.frame) + 1;
  const rtsync::Wide end = frames * head.period.num() / head.period.den();
  if (frames > INT64_MAX || end > INT64_MAX)
    throw BadHeader("'frame' is " + std::to_string(head.frame) +
                    ", which ends after 9223372036.854775807 s, the longest simulated time there is");
  if (head.sim_time_ns != static_cast<std::int64_t>(end))
    throw BadHeader("'sim_time_ns' is " + std::to_string(head.sim_time_ns) + ", but frame " +
                    std::to_string(head.frame) + " ends at " +
                    std::to_string(static_cast<std::int64_t>(end)) + "; take the checkpoint again");
}

void parse_header(const std::string& text, std::uint64_t data_bytes, Checkpoint& into) {
  Json json;
  try {
    const auto shallow = [](int depth, Json::parse_event_t, Json&) {
      if (depth > 4) throw BadHeader("is nested too deep");
      return true;
    };
    json = Json::parse(text, shallow);
  } catch (const Json::exception&) {
    throw BadHeader("is not JSON");
  }
  CheckpointHead& head = into.head;
  head.rig = text_of(json, "rig");
  head.frame = integer_of(json, "frame");
  head.sim_time_ns = integer_of(json, "sim_time_ns");
  head.version = text_of(json, "tactus");
  head.created = text_of(json, "created");
  const Json& period = member(json, "period_ns");
  const std::int64_t num = integer_of(period, "num");
  const std::int64_t den = integer_of(period, "den");
  if (num < 1 || den < 1) throw BadHeader("'period_ns' is not a fraction greater than zero");
  head.period = rtsync::Period{num, den};
  if (head.frame < -1) throw BadHeader("'frame' is below -1");  // -1: none has run
  check_time(head);

  const Json& pieces = member(json, "pieces");
  if (!pieces.is_array()) throw BadHeader("'pieces' is not a list");
  std::unordered_set<std::string> names;
  std::uint64_t offset = 0;
  for (const Json& each : pieces) {
    try {
      CheckpointPiece& piece = into.pieces.emplace_back(piece_of(each, offset));
      if (!names.insert(piece.name).second) throw BadHeader("there is one of that name already");
      if (piece.bytes > data_bytes - offset) throw BadHeader("it reaches beyond the data");
      offset += piece.bytes;
    } catch (const BadHeader& why) {
      throw BadHeader("pieces[" + std::to_string(&each - &pieces.front()) + "]: " + why.what());
    }
  }
  if (offset != data_bytes)
    throw BadHeader("its pieces are " + std::to_string(offset) + " bytes, the data " +
                    std::to_string(data_bytes));
}

void read_all(const path& file, int descriptor, void* to, std::size_t bytes) {
  auto* at = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const ssize_t got = ::read(descriptor, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_at(file, errno);
    if (got == 0) fail_at(file, "became shorter while it was read");
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

// ---- comparing

std::string describe(const std::string& type, std::uint32_t count, const std::string& unit) {
  return type + (count > 0 ? "[" + std::to_string(count) + "]" : "") + (unit.empty() ? "" : " in " + unit);
}

bool same_unit(const std::string& a, const std::string& b) {
  if (a == b) return true;
  try {
    return same(config::Unit::parse(a), config::Unit::parse(b));
  } catch (const std::invalid_argument&) {
    return false;  // of a file that says so
  }
}

std::string text_of(const rtsync::Period& period) {
  return std::to_string(period.num()) + (period.is_whole() ? "" : "/" + std::to_string(period.den())) + " ns";
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[40];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, length};
}

std::uint64_t write_checkpoint(const path& file, const CheckpointHead& head, const StateImage& image,
                               std::span<const std::byte> bytes) {
  if (bytes.size() != image.bytes())
    throw std::logic_error("a checkpoint of " + std::to_string(bytes.size()) + " bytes for an image of " +
                           std::to_string(image.bytes()));
  if (!file.has_filename()) fail_at(file, "is not the name of a file");
  if (head.period.is_zero()) throw std::logic_error("a checkpoint without a frame period");
  const std::string header = header_text(head, image);
  if (header.size() > kMostHeader) fail_at(file, "too many variables for a checkpoint");
  PartialFile partial(file);
  partial.put(std::as_bytes(std::span(kMagic)));
  partial.put(as_bytes_of(kCheckpointFormat));
  partial.put(as_bytes_of(static_cast<std::uint32_t>(header.size())));
  partial.put(as_bytes_of(static_cast<std::uint64_t>(bytes.size())));
  partial.put(std::as_bytes(std::span(header)));
  for (std::size_t i = 0; i < image.pieces().size(); ++i)
    partial.put(bytes.subspan(image.offset(i), image.pieces()[i].bytes));
  const std::uint64_t checksum = partial.checksum();
  partial.put(as_bytes_of(checksum));
  partial.place();
  return partial.written();
}

namespace {

Checkpoint read_opened(const path& file, const rtsync::Descriptor& opened, std::uint64_t most_bytes) {
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0) fail_at(file, errno);
  if (S_ISDIR(status.st_mode)) fail_at(file, "is a folder");
  if (!S_ISREG(status.st_mode)) fail_at(file, "is not a file");
  const auto size = static_cast<std::uint64_t>(status.st_size);

  std::array<std::byte, kPreamble> preamble{};
  read_all(file, opened.get(), preamble.data(), std::min<std::uint64_t>(size, kPreamble));
  const std::size_t told = std::min<std::uint64_t>(size, kMagic.size());
  if (size > 0 && std::memcmp(preamble.data(), kMagic.data(), told) != 0)
    fail_at(file, "is not a checkpoint of tactus");
  if (size < kPreamble) fail_at(file, "is cut off: " + std::to_string(size) + " bytes");
  std::uint32_t format = 0;
  std::uint32_t header_bytes = 0;
  std::uint64_t data_bytes = 0;
  std::memcpy(&format, preamble.data() + 8, sizeof format);
  std::memcpy(&header_bytes, preamble.data() + 12, sizeof header_bytes);
  std::memcpy(&data_bytes, preamble.data() + 16, sizeof data_bytes);
  if (format > kCheckpointFormat)
    fail_at(file, "is of a newer tactus: its format is " + std::to_string(format) +
                      ", this tactus reads up to " + std::to_string(kCheckpointFormat));
  if (format != kCheckpointFormat)
    fail_at(file, "has format " + std::to_string(format) + ", which does not exist");
  if (size > most_bytes)
    fail_at(file, "is " + std::to_string(size) + " bytes, more than the " + std::to_string(most_bytes) +
                      " that are read at most");
  const std::uint64_t around = kPreamble + std::uint64_t{header_bytes} + kChecksum;
  if (around > size || data_bytes > size - around)
    fail_at(file, "is cut off after " + std::to_string(size) + " bytes");
  if (data_bytes < size - around)
    fail_at(file, "has " + std::to_string(size - around - data_bytes) + " bytes too many");
  if (header_bytes > kMostHeader) fail_at(file, "its header is too long");

  std::string header(header_bytes, '\0');
  Checkpoint checkpoint;
  checkpoint.data.resize(data_bytes);
  std::uint64_t checksum = 0;
  read_all(file, opened.get(), header.data(), header.size());
  read_all(file, opened.get(), checkpoint.data.data(), checkpoint.data.size());
  read_all(file, opened.get(), &checksum, sizeof checksum);
  if (checksum != crc64(checkpoint.data, crc64(std::as_bytes(std::span(header)), crc64(preamble))))
    fail_at(file, "is damaged: its checksum is wrong");
  try {
    parse_header(header, data_bytes, checkpoint);
  } catch (const BadHeader& why) {
    fail_at(file, "its header is wrong: " + std::string(why.what()));
  }
  return checkpoint;
}

}  // namespace

Checkpoint read_run_checkpoint(const path& file) {
  const rtsync::Descriptor opened = rtsync::open_folder_file(file, O_RDONLY);
  if (opened.get() < 0) throw std::runtime_error(rtsync::file_error(file, errno));
  return read_opened(file, opened, std::uint64_t{1} << 30);
}

Checkpoint read_checkpoint(const path& file, std::uint64_t most_bytes) {
  // O_NONBLOCK: a pipe of that name must not hold us up.
  const rtsync::Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (opened.get() < 0) fail_at(file, errno);
  return read_opened(file, opened, most_bytes);
}

std::vector<std::string> mismatches(const Checkpoint& checkpoint, const StateImage& image,
                                    const rtsync::Period& period) {
  std::vector<std::string> found;
  if (checkpoint.head.period != period)
    found.push_back("the frame is " + text_of(period) + " here, " + text_of(checkpoint.head.period) +
                    " in the checkpoint");
  std::vector<bool> present(image.pieces().size());
  std::vector<std::string> strangers;
  for (const CheckpointPiece& piece : checkpoint.pieces) {
    const std::size_t index = image.find(piece.name);
    if (index == image.pieces().size()) {
      if (piece.name.starts_with(kOptionalPiece)) continue;
      strangers.push_back(piece.name + ": in the checkpoint, but not in this rig");
      continue;
    }
    present[index] = true;
    const Piece& here = image.pieces()[index];
    if (here.type != piece.type || here.count != piece.count || !same_unit(here.unit, piece.unit))
      found.push_back(piece.name + ": " + describe(here.type, here.count, here.unit) + " here, " +
                      describe(piece.type, piece.count, piece.unit) + " in the checkpoint");
  }
  for (std::size_t i = 0; i < present.size(); ++i)
    if (!present[i] && !image.pieces()[i].optional)
      found.push_back(image.pieces()[i].name + ": in this rig, but not in the checkpoint");
  found.insert(found.end(), strangers.begin(), strangers.end());
  return found;
}

std::vector<std::byte> image_for(const Checkpoint& checkpoint, const StateImage& image) {
  std::unordered_map<std::string_view, const CheckpointPiece*> by_name;
  for (const CheckpointPiece& piece : checkpoint.pieces) by_name.emplace(piece.name, &piece);
  std::vector<std::byte> bytes(image.bytes());
  for (std::size_t i = 0; i < image.pieces().size(); ++i) {
    const Piece& here = image.pieces()[i];
    const auto found = by_name.find(here.name);
    if (here.optional && found == by_name.end()) continue;
    if (found == by_name.end() || found->second->type != here.type || found->second->bytes != here.bytes)
      throw std::logic_error("'" + here.name + "' is not in the checkpoint as it is in the rig");
    const auto from = checkpoint.data.begin() + static_cast<std::ptrdiff_t>(found->second->offset);
    const auto to = bytes.begin() + static_cast<std::ptrdiff_t>(image.offset(i));
    const auto size = static_cast<std::ptrdiff_t>(here.bytes);
    if (here.type == name_of(TACTUS_BOOL))  // a bool that is neither 0 nor 1 is not a bool to C++
      std::transform(from, from + size, to, [](std::byte b) { return std::byte{b != std::byte{0}}; });
    else
      std::copy(from, from + size, to);
  }
  return bytes;
}

}  // namespace tactus::executive
