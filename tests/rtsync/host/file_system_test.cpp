// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/file_system.hpp"

#include <gtest/gtest.h>
#include <linux/magic.h>

#include <initializer_list>

namespace tactus::rtsync {
namespace {

TEST(FileSystems, OfNetworksAreKnownByTheKernelsNumbers) {
  struct Row {
    std::uint32_t type;
    const char* name;
  };
  const Row rows[] = {{NFS_SUPER_MAGIC, "NFS"},    {SMB_SUPER_MAGIC, "SMB"}, {0xFF534D42, "SMB (CIFS)"},
                      {AFS_SUPER_MAGIC, "AFS"},    {V9FS_MAGIC, "9p"},       {CODA_SUPER_MAGIC, "Coda"},
                      {OCFS2_SUPER_MAGIC, "OCFS2"}};
  for (const Row& row : rows) {
    EXPECT_TRUE(file_system_of_type(row.type).network) << row.name;
    EXPECT_EQ(file_system_of_type(row.type).name, row.name);
  }
  constexpr std::uint32_t kXfs = 0x58465342, kBtrfs = 0x9123683E;
  for (const std::uint32_t disk : std::initializer_list<std::uint32_t>{
           EXT4_SUPER_MAGIC, TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, kXfs, kBtrfs})
    EXPECT_FALSE(file_system_of_type(disk).network) << std::hex << disk;
}

TEST(FileSystems, OfWhatIsNotThereIsThatOfTheFolderAbove) {
  EXPECT_FALSE(file_system_of("/proc/nowhere/at/all").network);
  EXPECT_FALSE(file_system_of("").network);
}

}  // namespace
}  // namespace tactus::rtsync
