// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/archive/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/drivers/fmi/zip_writer.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::fmi::archive_test {
namespace {

namespace fs = std::filesystem;
using test::zip_of;
using test::ZipEntry;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ZipEntry kRoot{"modelDescription.xml", "<x/>"};

Archive open(const std::string& bytes, const ArchiveLimits& limits = {}) {
  const test::TempDir folder;
  return Archive(folder.write("engine.fmu", bytes), limits);
}

/// What is wrong with an archive of modelDescription.xml and these.
std::string fault_of(std::vector<ZipEntry> entries, const ArchiveLimits& limits = {}) {
  entries.insert(entries.begin(), kRoot);
  const std::string bytes = zip_of(entries);
  try {
    (void)open(bytes, limits);
  } catch (const ArchiveError& error) {
    return error.what();
  }
  return "";
}

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "fmi-archive-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(FmiArchive, UnpacksWhatRunningTheUnitNeeds) {
  const std::string bytes = zip_of({kRoot,
                                    {"binaries/", "", 040755},
                                    {"binaries/linux64/engine.so", "code"},
                                    {"binaries/win64/engine.dll", "other code"},
                                    {"resources/a/map.txt", "1 2 3"},
                                    {"sources/engine.c", "int x;"},
                                    {"documentation/index.html", "<p>"}});
  const Archive archive = open(bytes);
  EXPECT_THAT(archive.platforms(), ElementsAre("linux64", "win64"));
  EXPECT_EQ(archive.description(), "<x/>");
  EXPECT_TRUE(archive.has("binaries/linux64/engine.so"));
  EXPECT_FALSE(archive.has("binaries/linux64/other.so"));
  const Folder to;
  archive.unpack(to.path, "linux64");
  EXPECT_EQ(text_of(to.path / "binaries/linux64/engine.so"), "code");
  EXPECT_EQ(text_of(to.path / "resources/a/map.txt"), "1 2 3");
  EXPECT_FALSE(fs::exists(to.path / "binaries/win64"));
  EXPECT_FALSE(fs::exists(to.path / "sources"));
  EXPECT_FALSE(fs::exists(to.path / "documentation"));
}

TEST(FmiArchive, RefusesNamesThatLeadElsewhere) {
  const struct {
    const char* name;
    const char* why;
  } rows[] = {{"../evil", "'..'"},   {"a/../../evil", "'..'"},      {"/etc/passwd", "absolute"},
              {"a\\b", "backslash"}, {"C:evil", "drive"},           {"a//b", "empty part"},
              {"./a", "'.'"},        {"a\nb", "control character"}, {"", "no name"}};
  for (const auto& row : rows) EXPECT_THAT(fault_of({{row.name, "x"}}), HasSubstr(row.why)) << row.name;
  EXPECT_EQ(fault_of({{"a..b/..c", "x"}}), "") << "dots in a name lead nowhere";
}

TEST(FmiArchive, RefusesWhatIsNoPlainFile) {
  EXPECT_THAT(fault_of({{"link", "/etc/passwd", 0120777}}), HasSubstr("'link' is a symbolic link"));
  EXPECT_THAT(fault_of({{"fifo", "", 0010644}}), HasSubstr("neither a file nor a folder"));
  EXPECT_THAT(fault_of({{"secret", "x", 0100644, 1}}), HasSubstr("encrypted"));
  EXPECT_THAT(fault_of({{"packed", "x", 0100644, 0, 12}}), HasSubstr("method 12"));
}

TEST(FmiArchive, RefusesNamesThatClash) {
  EXPECT_THAT(fault_of({{"resources/Map", "x"}, {"resources/map", "y"}}), HasSubstr("in case alone"));
  EXPECT_THAT(fault_of({{"a/x", "x"}, {"A/y", "y"}}), HasSubstr("in case alone"));
  EXPECT_THAT(fault_of({{"a", "x"}, {"a", "y"}}), HasSubstr("twice, with different content"));
  EXPECT_EQ(fault_of({{"a", "x"}, {"a", "x"}}), "") << "the Reference FMU Roberts has some of these";
  EXPECT_THAT(fault_of({{"a", "x"}, {"a/b", "y"}}), HasSubstr("also a file"));
  EXPECT_THAT(fault_of({{"a/b", "x"}, {"a", "y"}}), HasSubstr("also a folder"));
}

TEST(FmiArchive, RefusesBombs) {
  ArchiveLimits limits;
  limits.bytes = 100;
  EXPECT_EQ(fault_of({{"a", std::string(90, 'x')}}, limits), "");
  EXPECT_THAT(fault_of({{"a", std::string(60, 'x')}, {"b", std::string(60, 'x')}}, limits),
              HasSubstr("more than 100 bytes"));
  limits = {};
  limits.free_bytes = 1000;
  EXPECT_THAT(fault_of({{"a", "x", 0100644, 0, 0, 100'000'000}}, limits), HasSubstr("200 times its size"));
  limits.entries = 2;
  EXPECT_THAT(fault_of({{"a"}, {"b"}}, limits), HasSubstr("has 3 entries"));
}

TEST(FmiArchive, NeverUnpacksMoreThanItsDirectorySays) {
  const std::string bytes = zip_of({kRoot, {"resources/a", std::string(1000, 'x'), 0100644, 0, 0, 10}});
  const Folder to;
  EXPECT_THROW(open(bytes).unpack(to.path, "linux64"), ArchiveError);
}

TEST(FmiArchive, SaysThatAFolderIsInside) {
  const std::string inside =
      zip_of({{"engine/modelDescription.xml", "<x/>"}, {"engine/binaries/linux64/a.so", ""}});
  try {
    (void)open(inside);
    FAIL();
  } catch (const ArchiveError& error) {
    EXPECT_THAT(error.what(), HasSubstr("in a folder 'engine', not at its root"));
  }
  EXPECT_THROW((void)open(zip_of({{"readme.txt", "x"}})), ArchiveError);
}

TEST(FmiArchive, NamesEveryMistake) {
  const std::string bytes = zip_of({kRoot, {"../a", ""}, {"/b", ""}, {"c", "", 0120777}});
  try {
    (void)open(bytes);
    FAIL();
  } catch (const ArchiveError& error) {
    EXPECT_EQ(error.problems().size(), 3U);
    for (const std::string& problem : error.problems()) EXPECT_THAT(problem, HasSubstr("engine.fmu: entry"));
  }
}

TEST(FmiArchive, SaysWhyAFileIsNone) {
  EXPECT_THROW(Archive("/nowhere/engine.fmu"), ArchiveError);
  const Folder to;
  EXPECT_THROW(Archive{to.path}, ArchiveError);
  std::ofstream(to.path / "text.fmu") << "not a zip";
  try {
    (void)Archive(to.path / "text.fmu");
    FAIL();
  } catch (const ArchiveError& error) {
    EXPECT_THAT(error.what(), HasSubstr("text.fmu is not a zip archive"));
  }
}

TEST(FmiArchive, RefusesADescriptionThatIsCut) {
  std::string bytes = zip_of({{"modelDescription.xml", std::string(500, 'x'), 0100644, 0, 0, 600}});
  EXPECT_THROW((void)open(bytes).description(), ArchiveError);
}

}  // namespace
}  // namespace tactus::drivers::fmi::archive_test
