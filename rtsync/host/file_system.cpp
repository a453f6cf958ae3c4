// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/file_system.hpp"

#include <sys/statfs.h>

#include <system_error>

#include "rtsync/word_of.hpp"

namespace tactus::rtsync {

FileSystem file_system_of_type(std::uint32_t type) {
  // statfs(2), and the sources of those that are not in the kernel.
  static constexpr Worded<std::uint32_t> kOfNetworks[] = {
      {0x6969, "NFS"},      {0x517B, "SMB"},        {0xFF534D42, "SMB (CIFS)"},
      {0xFE534D42, "SMB"},  {0x5346414F, "AFS"},    {0x6B414653, "AFS"},
      {0x73757245, "Coda"}, {0x00C36400, "Ceph"},   {0x0BD00BD0, "Lustre"},
      {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"}, {0x7461636F, "OCFS2"},
      {0x01161970, "GFS2"}, {0x01021997, "9p"},     {0x786F4256, "a folder of VirtualBox's host"},
      {0x65735546, "FUSE"}};
  const char* const name = word_of(kOfNetworks, type, "");
  return {name, *name != '\0'};
}

FileSystem file_system_of(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(path, error);
  while (!std::filesystem::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  struct statfs facts {};
  if (::statfs(there.c_str(), &facts) != 0) return {};
  return file_system_of_type(static_cast<std::uint32_t>(facts.f_type));
}

}  // namespace tactus::rtsync
