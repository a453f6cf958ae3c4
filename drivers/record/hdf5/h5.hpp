// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <hdf5.h>
#include <tactus/model.h>

#include <string>
#include <utility>

namespace tactus::drivers::record {

/// A handle of the HDF5 library, closed at its end.
class H5Id {
 public:
  H5Id() = default;
  /// Throws std::runtime_error, `what` and the library's reason, when `id` is none. @when service
  H5Id(hid_t id, herr_t (*close)(hid_t), const std::string& what);
  H5Id(H5Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  H5Id& operator=(H5Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~H5Id() { (void)reset(); }

  operator hid_t() const { return id_; }
  /// Closes it now; negative when that failed. @when service
  herr_t reset();
  /// Leaves it open for ever: nothing of its file is written any more, at the exit neither.  @when service
  void abandon();

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

/// Has the library speak through messages of ours alone, for this thread. Before any other call.
/// @when service
void h5_be_quiet();
/// Throws std::runtime_error, `what` and the library's reason, when a call failed.
void h5_check(herr_t result, const std::string& what);

/// Type of values in a file, little endian, and in the memory of this machine, which is, too; a bool is a byte.
hid_t h5_type(tactus_type type);

}  // namespace tactus::drivers::record
