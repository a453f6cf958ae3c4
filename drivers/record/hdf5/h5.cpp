// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/hdf5/h5.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string_view>

namespace tactus::drivers::record {
namespace {

/// Closes the library when the driver is unloaded, or at the exit. A file that could not be written stays open in it:
/// then it is left as it is, since it crashes when it flushes that file.
struct Library {
  std::atomic<bool> has_lost_file{false};
  ~Library() {
    if (!has_lost_file) (void)H5close();
  }
} library;

/// The innermost reason; the kernel's words where there are some.
std::string h5_reason() {
  std::string reason;
  const auto take = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
    const std::string_view text = error->desc == nullptr ? "" : error->desc;
    if (text.empty()) return 0;
    constexpr std::string_view kMark = "error message = '";
    std::string& said = *static_cast<std::string*>(to);
    const std::size_t begin = text.find(kMark);
    if (begin == std::string_view::npos) {
      if (said.empty()) said = text;
      return 0;
    }
    const std::string_view rest = text.substr(begin + kMark.size());
    said = rest.substr(0, rest.find('\''));
    return 1;
  };
  (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &reason);
  return reason.empty() ? "the HDF5 library gives no reason" : reason;
}

}  // namespace

H5Id::H5Id(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
  h5_check(id_ < 0 ? -1 : 0, what);
}

herr_t H5Id::reset() {
  if (id_ < 0) return 0;
  const herr_t result = close_(std::exchange(id_, H5I_INVALID_HID));
  if (result < 0) library.has_lost_file = true;
  return result;
}

void H5Id::abandon() {
  id_ = H5I_INVALID_HID;
  library.has_lost_file = true;
}

void h5_be_quiet() {
  (void)H5dont_atexit();  // see Library
  (void)H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void h5_check(herr_t result, const std::string& what) {
  if (result < 0) throw std::runtime_error(what + ": " + h5_reason());
}

hid_t h5_type(tactus_type type) {
  const std::pair<tactus_type, hid_t> all[] = {
      {TACTUS_BOOL, H5T_STD_U8LE},    {TACTUS_INT8, H5T_STD_I8LE},    {TACTUS_UINT8, H5T_STD_U8LE},
      {TACTUS_INT16, H5T_STD_I16LE},  {TACTUS_UINT16, H5T_STD_U16LE}, {TACTUS_INT32, H5T_STD_I32LE},
      {TACTUS_UINT32, H5T_STD_U32LE}, {TACTUS_INT64, H5T_STD_I64LE},  {TACTUS_UINT64, H5T_STD_U64LE},
      {TACTUS_FLOAT, H5T_IEEE_F32LE}, {TACTUS_DOUBLE, H5T_IEEE_F64LE}};
  return std::ranges::find(all, type, &std::pair<tactus_type, hid_t>::first)->second;
}

}  // namespace tactus::drivers::record
