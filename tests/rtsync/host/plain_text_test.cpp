// SPDX-License-Identifier: Apache-2.0
/// Numbers in our texts have a point, whatever locale a model chose for the process.
#include "rtsync/host/plain_text.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <charconv>
#include <clocale>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <optional>
#include <string>
#include <system_error>

#include "rtsync/text.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::rtsync::plain_text_test {
namespace {

/// A locale with a decimal comma, made by localedef. False: this machine cannot make one.
bool choose_comma(const std::filesystem::path& folder) {
  const std::string command =
      "localedef -i de_DE -f UTF-8 '" + (folder / "de_DE").string() + "' > /dev/null 2>&1";
  const int made = std::system(command.c_str());  // NOLINT(cert-env33-c): a tool of the C library
  if (made == -1 || !std::filesystem::exists(folder / "de_DE")) return false;
  ::setenv("LOCPATH", folder.c_str(), 1);
  return std::setlocale(LC_ALL, "de_DE") != nullptr;
}

struct Dots final : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class OtherLocale : public ::testing::Test {
 protected:
  OtherLocale() {
    std::string name = (std::filesystem::temp_directory_path() / "tactus-locale-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) folder_ = name;
  }
  ~OtherLocale() override {
    (void)std::setlocale(LC_ALL, "C");
    std::locale::global(std::locale::classic());
    ::unsetenv("LOCPATH");
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path folder_;
};

TEST_F(OtherLocale, ThatAModelChoseForTheProcessPutsNoCommaIntoATextOfOurs) {
  if (!folder_.empty() || !choose_comma(folder_)) GTEST_SKIP() << "localedef makes no German locale here";
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.1f", 1.5);
  ASSERT_STREQ(text, "1,5") << "what is to be kept out";
  EXPECT_EQ(format_text("%.1f, %g", 1.5, 0.25), "1.5, 0.25");
  EXPECT_EQ(duration_text(1'230'000), "1.23 ms");
  EXPECT_EQ(sim_time_text(1'500'000'000), "1.500 s");
  (void)std::snprintf(text, sizeof text, "%.1f", 1.5);
  EXPECT_STREQ(text, "1,5") << "the model has its own locale again";
}

TEST_F(OtherLocale, OfStreamsIsNotOurs) {
  std::locale::global(std::locale(std::locale::classic(), new Dots));
  EXPECT_EQ(format_text("%d %.1f", 12345, 1.5), "12345 1.5");
  EXPECT_EQ(duration_text(1'230'000), "1.23 ms");
}

TEST(ReadNumber, TakesAWholeTextThatFitsTheType) {
  EXPECT_EQ(read_number<int>("-12"), -12);
  EXPECT_EQ(read_number<std::uint64_t>("ff", 16), 255U);
  EXPECT_EQ(read_number<double>("2.5"), 2.5);
  EXPECT_EQ(read_number<double>("1e3", std::chars_format::fixed), std::nullopt) << "no exponent there";
  EXPECT_EQ(read_number<std::uint16_t>("65536"), std::nullopt) << "too large";
  EXPECT_EQ(read_number<unsigned>("-1"), std::nullopt);
  for (const char* const text : {"", " 1", "1 ", "1.5", "x"}) EXPECT_EQ(read_number<int>(text), std::nullopt);
}

TEST(Counted, HasAnSBesideAllButOne) {
  EXPECT_EQ(counted(0, "frame"), "0 frames");
  EXPECT_EQ(counted(1U, "frame"), "1 frame");
  EXPECT_EQ(counted(std::int64_t{2}, "frame"), "2 frames");
}

TEST(DurationText, RoundsAsItDid) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(-999), "-999 ns");
  EXPECT_EQ(duration_text(9995), "10.0 us");
  EXPECT_EQ(duration_text(16'683'350), "16.7 ms");
  EXPECT_EQ(duration_text(999'950), "1.00 ms");
}

}  // namespace
}  // namespace tactus::rtsync::plain_text_test
