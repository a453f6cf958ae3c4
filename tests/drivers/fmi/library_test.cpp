// SPDX-License-Identifier: Apache-2.0
/// Libraries that this machine cannot load, as tactus check sees them without loading anything.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "drivers/fmi/model/library_problem.hpp"
#include "tests/drivers/fmi/one_unit.hpp"
#include "tests/drivers/fmi/zip_writer.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::fmi::library_test {
namespace {

using test::zip_of;
using ::testing::HasSubstr;

constexpr const char* kLibrary = "binaries/linux64/engine.so";

std::string problem(const std::string& content) {
  const std::string bytes = zip_of({{"modelDescription.xml", "<x/>"}, {kLibrary, content}});
  const test::TempDir folder;
  return library_problem(Archive(folder.write("engine.fmu", bytes)), kLibrary);
}

std::string elf(unsigned char bits, unsigned machine, unsigned type) {
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = bits;
  head.e_machine = static_cast<Elf64_Half>(machine);
  head.e_type = static_cast<Elf64_Half>(type);
  return {reinterpret_cast<const char*>(&head), sizeof head};
}

TEST(FmiLibrary, IsLookedAtBeforeItIsLoaded) {
  EXPECT_THAT(problem(""), HasSubstr("has 0 bytes, so it is not a shared library"));
  EXPECT_THAT(problem(std::string(200, 'x')), HasSubstr("it is not an ELF file"));
  EXPECT_THAT(problem("MZ" + std::string(200, 'x')), HasSubstr("it is one of Windows"));
  EXPECT_THAT(problem(elf(ELFCLASS32, EM_386, ET_DYN)),
              HasSubstr("is a library for x86 of 32 bits, and this machine is"));
  EXPECT_THAT(problem(elf(ELFCLASS64, EM_RISCV, ET_DYN)), HasSubstr("is a library for RISC-V"));
#if defined(__x86_64__)
  EXPECT_THAT(problem(elf(ELFCLASS64, EM_X86_64, ET_EXEC)), HasSubstr("but no shared library"));
  EXPECT_EQ(problem(elf(ELFCLASS64, EM_X86_64, ET_DYN)), "");
#endif
}

TEST(FmiLibrary, ThatCannotBeIsRefusedAtCheck) {
  const std::string xml =
      "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\"><CoSimulation "
      "modelIdentifier=\"engine\"/>"
      "<ModelVariables/><ModelStructure/></fmiModelDescription>";
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "engine-of-library-test.fmu";
  {
    std::ofstream out(file, std::ios::binary);
    out << zip_of({{"modelDescription.xml", xml}, {"binaries/" TWO_PLATFORM "/engine.so", "no library"}});
  }
  EXPECT_THAT(test::refusal_of(file.string()),
              HasSubstr("engine.so has 10 bytes, so it is not a shared library"));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tactus::drivers::fmi::library_test
