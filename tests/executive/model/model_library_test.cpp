// SPDX-License-Identifier: Apache-2.0
#include "executive/model/model_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <latch>
#include <thread>

#include "executive/driver/driver_library.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/model/model_instance.hpp"
#include "rtsync/thread/float_environment.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::model_library_test {
namespace {

namespace fs = std::filesystem;
using tactus::test::Snapshot;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

fs::path file_of(const std::string& name) { return fs::path(TEST_LIBRARIES) / ("lib" + name + ".so"); }

/// A text without what differs from machine to machine: the folder, and how this build calls itself.
std::string shown(std::string text, const fs::path& folder = TEST_LIBRARIES) {
  for (const auto& [own, word] : {std::pair(folder.string(), "FOLDER"), {TACTUS_DRIVER_BUILD, "BUILD"}})
    for (std::size_t at = 0; (at = text.find(own, at)) != std::string::npos;)
      text.replace(at, own.size(), word);
  return text;
}

/// What the loader says about a library; "" when nothing.
std::string complaint(const fs::path& file) {
  try {
    const ModelLibrary library(file);
  } catch (const LibraryError& error) {
    return error.what();
  }
  return "";
}

/// What is said about a model of a library.
std::string complaint(const std::string& library_name, const std::string& model_name) {
  const ModelLibrary library(file_of(library_name));
  const tactus_model* const model = library.find(model_name);
  if (model == nullptr) return "no model";
  try {
    const ModelInstance instance(*model, "m");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// $TACTUS_PLUGIN_PATH for as long as it lives.
class PluginPath {
 public:
  explicit PluginPath(const std::string& path) {
    if (const char* before = std::getenv("TACTUS_PLUGIN_PATH")) before_ = before;
    ::setenv("TACTUS_PLUGIN_PATH", path.c_str(), 1);
  }
  ~PluginPath() {
    before_.empty() ? ::unsetenv("TACTUS_PLUGIN_PATH") : ::setenv("TACTUS_PLUGIN_PATH", before_.c_str(), 1);
  }

 private:
  std::string before_;
};

TEST(ModelLibrary, HoldsSeveralModels) {
  const ModelLibrary library(file_of("models"));
  std::vector<std::string> names;
  for (const tactus_model* model : library.models()) names.emplace_back(model->name);
  EXPECT_THAT(names, ElementsAre("types", "gain", "constant", "matrix"));
  EXPECT_EQ(library.find("gain"), library.models()[1]);
  EXPECT_EQ(library.find("Gain"), nullptr);
  EXPECT_EQ(library.find(""), nullptr);
  EXPECT_EQ(library.file(), file_of("models"));
}

TEST(ModelLibrary, HowItIsLoadedAndMadeChangesNoNumbers) {
  const rtsync::FloatEnvironment before = rtsync::FloatEnvironment::of_this_thread();
  const ModelLibrary library(file_of("fast_math"));
  EXPECT_TRUE(before.is_current()) << "-ffast-math, while it was loaded";
  const ModelInstance instance(*library.find("fast"), "m");
  EXPECT_TRUE(before.is_current());
}

TEST(ModelLibrary, ThatComputesFastChangesNoThreadThatExistsAlready) {
  const rtsync::FloatEnvironment before = rtsync::FloatEnvironment::of_this_thread();
  std::latch loaded(1);
  bool is_same = false;
  std::thread old([&] {
    loaded.wait();
    is_same = before.is_current();
  });
  bool is_kept = false;
  bool is_inherited = false;
  std::thread([&] {
    const ModelLibrary library(file_of("fast_math"));
    is_kept = before.is_current();
    std::thread([&] { is_inherited = before.is_current(); }).join();
  }).join();
  loaded.count_down();
  old.join();
  EXPECT_TRUE(is_same);
  EXPECT_TRUE(is_kept) << "the thread that loaded it";
  EXPECT_TRUE(is_inherited) << "a thread that is started afterwards";
  EXPECT_TRUE(before.is_current());
}

TEST(ModelLibrary, LibrariesDoNotShareTheirModels) {
  const ModelLibrary one(file_of("models"));
  const ModelLibrary other(file_of("trouble"));
  EXPECT_EQ(one.models().size(), 4U);
  EXPECT_EQ(other.models().size(), 16U);
  EXPECT_EQ(other.find("gain"), nullptr);
}

TEST(ModelLibrary, SaysWhyALibraryIsNone) {
  Snapshot texts;
  for (const char* const library :
       {"no_entry", "listing_none", "listing_no_list", "listing_null_model", "listing_other_abi",
        "listing_no_name", "listing_no_declare", "listing_short_struct", "listing_same_name"})
    texts.add(shown(complaint(file_of(library))), library);
  // The loader has a part in these.
  EXPECT_THAT(complaint(file_of("undefined")),
              AllOf(HasSubstr("libundefined.so"), HasSubstr("nobody_defines_this")));
  EXPECT_THAT(complaint(file_of("missing")), HasSubstr("libmissing.so"));
}

TEST(ModelLibrary, AFileThatIsNoLibraryIsSaid) {
  const tactus::test::TempDir folder;
  EXPECT_THAT(complaint(folder.write("text.so", "this is not a library\n")),
              StartsWith("cannot load the library: "));
  EXPECT_THAT(complaint(folder.write("empty.so", "")), StartsWith("cannot load the library: "));
  EXPECT_THAT(complaint(folder.path()), StartsWith("cannot load the library: "));
}

TEST(FindLibrary, ANameWithASlashIsRelativeToTheBase) {
  const tactus::test::TempDir folder;
  const fs::path file = folder.write("sub/libx.so", "");
  EXPECT_EQ(find_library("./sub/libx.so", folder.path()), file);
  EXPECT_EQ(find_library("sub/../sub/libx.so", folder.path()), file);
  EXPECT_EQ(find_library(file.string(), "/nowhere"), file) << "an absolute path stays what it is";
  Snapshot texts;
  for (const char* missing : {"./libx.so", "sub/", "./sub", "/nowhere/libx.so"}) {
    try {
      (void)find_library(missing, folder.path());
      ADD_FAILURE() << missing;
    } catch (const LibraryError& error) {
      texts.add(shown(error.what(), folder.path()), missing);
    }
  }
}

TEST(FindLibrary, ABareNameIsLookedForInThePluginFolders) {
  const tactus::test::TempDir one;
  const tactus::test::TempDir two;
  const PluginPath path(one.path().string() + "::" + two.path().string() + ":");
  const auto folders = plugin_folders();
  ASSERT_GE(folders.size(), 2U);
  EXPECT_EQ(folders[0], one.path());
  EXPECT_EQ(folders[1], two.path());
  EXPECT_THAT(folders.back().string(), EndsWith("/lib/tactus"));
  const fs::path second = two.write("libx.so", "");
  EXPECT_EQ(find_library("x", "/anywhere"), second);
  const fs::path first = one.write("libx.so", "");
  EXPECT_EQ(find_library("x", "/anywhere"), first) << "the first folder wins";
  try {
    (void)find_library("y", one.path());
    ADD_FAILURE();
  } catch (const LibraryError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'y'"), HasSubstr((one.path() / "liby.so").string()),
                                    HasSubstr((two.path() / "liby.so").string()),
                                    HasSubstr("/lib/tactus/liby.so"), EndsWith("./liby.so")));
  }
}

TEST(ModelInstance, KeepsWhatTheModelDeclares) {
  const ModelLibrary library(file_of("models"));
  const ModelInstance instance(*library.find("gain"), "amp");
  EXPECT_EQ(instance.name(), "amp");
  const Variable* const k = instance.find_variable("k");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->name, "amp.k");
  EXPECT_EQ(k->role, TACTUS_PARAMETER);
  EXPECT_EQ(k->type, TACTUS_DOUBLE);
  EXPECT_EQ(k->about, "amplification");
  EXPECT_EQ(*static_cast<double*>(k->data), 1.0);
  const Variable* const many = instance.find_variable("many");
  ASSERT_NE(many, nullptr);
  EXPECT_EQ(many->count, 3U);
  EXPECT_EQ(many->unit_text, "V");
  EXPECT_EQ(many->role, TACTUS_INPUT);
  EXPECT_EQ(instance.find_variable("amp.k"), nullptr);
  EXPECT_EQ(instance.find_variable(""), nullptr);
  ASSERT_EQ(instance.jobs().size(), 4U);
  EXPECT_EQ(instance.jobs()[1].name, "step");
  EXPECT_EQ(instance.jobs()[1].phase, 100U);
  EXPECT_EQ(instance.jobs()[1].cycle, (rtsync::Period{2'000'000, 1}));
  EXPECT_EQ(instance.jobs()[2].job_class, TACTUS_CONTROLLER);
  EXPECT_EQ(instance.jobs()[2].phase, 60000U);
  EXPECT_TRUE(instance.jobs()[2].cycle.is_zero());
  EXPECT_STREQ(instance.failure(), "");
}

TEST(ModelInstance, KnowsEveryTypeAndItsLabels) {
  const ModelLibrary library(file_of("models"));
  const ModelInstance instance(*library.find("types"), "t");
  struct Row {
    const char* name;
    tactus_type type;
    std::uint32_t count;
  };
  const Row rows[] = {
      {"b", TACTUS_BOOL, 0},      {"i8", TACTUS_INT8, 0},      {"u8", TACTUS_UINT8, 0},
      {"i16", TACTUS_INT16, 0},   {"u16", TACTUS_UINT16, 0},   {"i32", TACTUS_INT32, 0},
      {"u32", TACTUS_UINT32, 0},  {"i64", TACTUS_INT64, 0},    {"u64", TACTUS_UINT64, 0},
      {"f", TACTUS_FLOAT, 0},     {"d", TACTUS_DOUBLE, 0},     {"gear", TACTUS_UINT8, 0},
      {"wide", TACTUS_UINT64, 0}, {"signed", TACTUS_INT16, 0}, {"bs", TACTUS_BOOL, 2},
      {"i8s", TACTUS_INT8, 3},    {"u64s", TACTUS_UINT64, 2},  {"fs", TACTUS_FLOAT, 2},
      {"ds", TACTUS_DOUBLE, 3},   {"gears", TACTUS_UINT8, 2},
  };
  for (const Row& row : rows) {
    const Variable* const variable = instance.find_variable(row.name);
    ASSERT_NE(variable, nullptr) << row.name;
    EXPECT_EQ(variable->type, row.type) << row.name;
    EXPECT_EQ(variable->count, row.count) << row.name;
  }
  const Variable* const gear = instance.find_variable("gear");
  ASSERT_EQ(gear->labels.size(), 3U);
  EXPECT_EQ(gear->labels[1].name, "drive");
  EXPECT_EQ(gear->labels[1].value, 3);
}

TEST(ModelInstance, SaysWhyAModelCannotBeMade) {
  Snapshot texts;
  for (const char* const model :
       {"throws", "throws_int", "declare_throws", "declare_throws_int", "twice", "swallows", "bad_unit",
        "bad_name", "labels_on_double", "label_outside", "label_below", "job_twice", "bad_phase", "bad_cycle",
        "cycle_at_end", "bad_class"})
    texts.add(complaint("trouble", model), model);
  for (const char* const model :
       {"misaligned", "no_memory", "old_variable", "bad_type", "bad_role", "no_name", "old_job", "bad_class",
        "no_function", "negative_cycle", "silent", "null_declarations", "refused", "ragged"})
    texts.add(complaint("raw", model), model);
  EXPECT_EQ(complaint("raw", "fine"), "");
  EXPECT_EQ(complaint("raw", "former_variable"), "")
      << "of a library that was built before there were columns";
  EXPECT_EQ(complaint("raw", "no_unit"), "") << "no unit is a pure number";
}

TEST(ModelInstance, DestroysWhatItCreatedOnce) {
  const SharedLibrary raw(file_of("raw"));
  const auto live = reinterpret_cast<int (*)()>(raw.symbol("raw_live"));
  ASSERT_NE(live, nullptr);
  const ModelLibrary library(file_of("raw"));
  {
    const ModelInstance one(*library.find("counted"), "one");
    const ModelInstance two(*library.find("counted"), "two");
    EXPECT_EQ(live(), 2);
  }
  EXPECT_EQ(live(), 0);
  EXPECT_THROW(ModelInstance(*library.find("half"), "half"), std::runtime_error);
  EXPECT_EQ(live(), 0) << "created, then refused: destroyed";
  EXPECT_THROW(ModelInstance(*library.find("refused"), "refused"), std::runtime_error);
  EXPECT_EQ(live(), 0) << "never created: never destroyed";
}

TEST(ModelInstance, APairOfCFunctionsIsAModel) {
  const ModelLibrary library(file_of("pair"));
  ASSERT_EQ(library.models().size(), 1U);
  const ModelInstance instance(*library.find("pair"), "p");
  ASSERT_EQ(instance.jobs().size(), 1U);
  EXPECT_EQ(instance.jobs()[0].name, "step");
  EXPECT_EQ(instance.jobs()[0].job_class, TACTUS_SCHEDULED);
  const tactus_call call{0, 0, 0.5};
  *static_cast<double*>(instance.find_variable("u")->data) = 4;
  EXPECT_EQ(instance.jobs()[0].run(instance.self(), &call), 0);
  EXPECT_EQ(*static_cast<double*>(instance.find_variable("y")->data), 8.5);
}

TEST(DriverLibrary, SaysWhyADriverIsNone) {
  const PluginPath path(TEST_LIBRARIES);
  const auto refusal = [](const char* name) -> std::string {
    try {
      const DriverLibrary driver("record", name);
      return "";
    } catch (const LibraryError& error) {
      return error.what();
    }
  };
  Snapshot texts;
  for (const char* const name : {"nodriver", "oldbuild", "othername", "otherkind", "null"})
    texts.add(shown(refusal(name)), name);
  EXPECT_THAT(refusal("missing"), AllOf(HasSubstr("'missing' of kind 'record'"), HasSubstr("fine")))
      << "the drivers that there are";
  const DriverLibrary fine("record", "fine");
  EXPECT_EQ(fine.make()->section(), nullptr) << "no keys of its own";
  EXPECT_NE(fine.make<RecordDriver>(), nullptr);
  EXPECT_THROW((void)fine.make<ModelDriver>(), LibraryError) << "of another kind";
}

TEST(DriverLibrary, SaysWhyTheBuildLeftADriverOut) {
  const tactus::test::TempDir folder;
  folder.write("tactus-clock-sundial.left-out", "it needs a library; install it and build tactus again\n");
  const PluginPath path((folder / "none").string() + ":" + folder.path().string());
  try {
    const DriverLibrary driver("clock", "sundial");
    ADD_FAILURE();
  } catch (const LibraryError& error) {
    Snapshot().add(error.what());
  }
}

}  // namespace
}  // namespace tactus::executive::model_library_test
