// SPDX-License-Identifier: Apache-2.0
/// What is generated of the tree of commands: `tactus help`, manual pages, completion of shells.
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "rig_command.hpp"

namespace tactus::test::help_test {
namespace {

namespace fs = std::filesystem;

Finished help(const Arguments& arguments, const fs::path& cwd) {
  Finished done = run(tactus(Arguments{"help"} + arguments, cwd));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(done.err, "") << done;
  return done;
}

/// The commands that `tactus --help` lists.
std::vector<std::string> commands(const fs::path& cwd) {
  std::istringstream text(help({}, cwd).out);
  std::vector<std::string> names;
  bool listed = false;
  for (std::string line; std::getline(text, line);) {
    std::smatch match;
    if (listed && std::regex_search(line, match, std::regex("^  ([a-z_]+)"))) names.push_back(match[1]);
    listed = listed || line == "Subcommands:";
  }
  return names;
}

/// "--until" and so on of what `tactus COMMAND --help` says.
std::set<std::string> options_in(const std::string& text) {
  std::set<std::string> names;
  const std::regex option("\n  (?:-[A-Za-z],)?(--[a-z-]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), option), end; it != end; ++it)
    names.insert((*it)[1]);
  return names;
}

std::string as_roff(const std::string& text) { return std::regex_replace(text, std::regex("-"), "\\-"); }

TEST(Help, IsThatOfTheCommand) {
  const TempDir dir;
  EXPECT_GE(commands(dir.path()).size(), 24U);
  EXPECT_NE(help({"run"}, dir.path()).out.find("--no-witness"), std::string::npos);
  for (const Arguments& wrong : {Arguments{"rum"}, Arguments{"run", "fast"}}) {
    const Finished done = run(tactus(Arguments{"help"} + wrong, dir.path()));
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_NE(done.err.find("there is no command '"), std::string::npos) << done;
  }
  const Finished shell = run(tactus({"help", "--completion", "csh"}, dir.path()));
  EXPECT_EQ(shell.status, 2) << shell;
  (void)dir.write("file", "");
  const Finished folder = run(tactus({"help", "--man", "file/man"}, dir.path()));
  EXPECT_EQ(folder.status, 1) << folder;
  EXPECT_NE(folder.err.find("file/man: cannot be made"), std::string::npos) << folder;
}

TEST(Help, FitsATerminalOf80Columns) {
  const TempDir dir;
  std::vector<std::string> all = commands(dir.path());
  for (const std::string& name : all) {
    SCOPED_TRACE(name);
    std::istringstream text(help({name}, dir.path()).out);
    for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80U) << line;
    EXPECT_NE(text.str().find("\nUsage: tactus " + name + " [OPTION ...]"), std::string::npos) << text.str();
    EXPECT_EQ(text.str().find('{'), std::string::npos) << text.str();
  }
  EXPECT_EQ(run(tactus({"run", "--help"}, dir.path())).out, help({"run"}, dir.path()).out);
}

TEST(Help, EachCommandAndOptionHasItsPlaceInTheManualAndInCompletion) {
  const TempDir dir;
  (void)help({"--man", "man"}, dir.path());
  const std::string all = read_file(dir / "man/tactus.1");
  const auto completed = [&](const Arguments& words) {
    return help(Arguments{"--complete", "--"} + words, dir.path()).out;
  };
  const std::string all_commands = completed({""});
  EXPECT_NE(all.find("\n.SH EXIT STATUS\n0 ended as planned"), std::string::npos) << all;
  std::size_t options = 0;
  for (const std::string& name : commands(dir.path())) {
    SCOPED_TRACE(name);
    EXPECT_NE(all.find(as_roff("tactus-" + name) + "\\fR(1)"), std::string::npos);
    const std::string page = read_file(dir / ("man/tactus-" + name + ".1"));
    EXPECT_NE(page.find("\n.SH NAME\n" + as_roff("tactus-" + name) + " \\- "), std::string::npos) << page;
    EXPECT_EQ(page.find(" \\- \n"), std::string::npos) << "without a word about it";
    EXPECT_NE(all_commands.find("\n" + name + "\t"), std::string::npos) << all_commands;
    const std::string words = completed({name, "-"});
    for (const std::string& option : options_in(help({name}, dir.path()).out)) {
      SCOPED_TRACE(option);
      ++options;
      EXPECT_NE(page.find("\\fB" + as_roff(option) + "\\fR"), std::string::npos);
      EXPECT_NE(words.find("\n" + option + "\t"), std::string::npos) << words;
    }
  }
  EXPECT_GE(options, 80U);
#ifdef TACTUS_FAKE_SILKIT
  EXPECT_NE(read_file(dir / "man/tactus-demo.1").find("\n.SS tactus demo link\n"), std::string::npos);
  EXPECT_EQ(completed({"demo", "l"}).substr(0, 11), "words\nlink\t");
#endif
  const std::string campaign = dir.write(
      "a.campaign.yaml", "campaign: a\nrig: a.yaml\nvary: { frame.period: [1 ms], models.m.x: [1] }\n");
  EXPECT_EQ(completed({"campaign", campaign, "--bisect", ""}), "words\nframe.period\nmodels.m.x\n");
  EXPECT_EQ(completed({"campaign", campaign, "--bisect", "fr"}), "words\nframe.period\n");
  EXPECT_EQ(completed({"campaign", "none.yaml", "--bisect", ""}), "words\n");
}

TEST(Help, EachManualPageHasAnExampleThatTheCommandTakesAndNamesPagesThatAreThere) {
  const TempDir dir;
  (void)help({"--man", "man", "--docs", TACTUS_RIGS "/../../docs"}, dir.path());
  std::vector<std::string> pages = commands(dir.path());
  for (std::string& name : pages) name.insert(0, "tactus-");
  pages.emplace_back("tactus");
  for (const std::string& name : pages) {
    SCOPED_TRACE(name);
    const std::string page =
        std::regex_replace(read_file(dir / ("man/" + name + ".1")), std::regex(R"(\\-)"), "-");
    std::smatch example;
    ASSERT_TRUE(std::regex_search(page, example, std::regex("\n.SH EXAMPLES\n.TP\n.fB(.*).fR\n(.+[.])\n")));
    std::istringstream words(example[1]);
    Arguments command;
    for (std::string word; words >> word;) command.push_back(word);
    ASSERT_GE(command.size(), 2U);
    EXPECT_EQ(name == "tactus" ? name : command[0] + "-" + command[1], name);
    const bool has_commands = command[1] == "demo" || command[1] == "can";
    const std::set<std::string> options = options_in(
        help(Arguments(command.begin() + 1, command.begin() + (has_commands ? 3 : 2)), dir.path()).out);
    for (const std::string& word : command)
      if (word.starts_with("--")) EXPECT_TRUE(options.contains(word)) << word;
    const std::string also = page.substr(page.find("\n.SH SEE ALSO\n"));
    std::size_t named = 0;
    const std::regex page_of_docs(R"(.fI(/.*\.md).fR)"), manual(R"(.fB([a-z_-]+).fR\(1\))");
    for (std::sregex_iterator it(also.begin(), also.end(), page_of_docs), end; it != end; ++it, ++named)
      EXPECT_TRUE(fs::exists((*it)[1].str())) << (*it)[1];
    EXPECT_GE(named, 1U) << also;
    named = 0;
    for (std::sregex_iterator it(also.begin(), also.end(), manual), end; it != end; ++it, ++named)
      EXPECT_TRUE(fs::exists(dir / ("man/" + (*it)[1].str() + ".1"))) << (*it)[1];
    EXPECT_GE(named, 1U) << also;
  }
}

TEST(Help, BashCompletesCommandsOptionsValuesAndFiles) {
  if (std::system("bash -c 'type compgen' > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no bash";
  const TempDir dir;
  (void)dir.write("completion", help({"--completion", "bash"}, dir.path()).out);
  (void)dir.write("servo rig.yaml", "");
  (void)dir.write("servo.txt", "");
  (void)dir.write("runs/one", "");
  const auto completed = [&](const std::string& words) {
    Command command;
    command.argv = {
        "bash", "-c",
        "tactus() { " + tactus({}, dir.path()).argv.front() + " \"$@\"; }; source completion; COMP_WORDS=(" +
            words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tactus; printf '%s|' \"${COMPREPLY[@]}\""};
    command.cwd = dir.path();
    const Finished done = run(command);
    EXPECT_EQ(done.err, "");
    return done.out;
  };
  EXPECT_EQ(completed("tactus ru"), "run|run_until|");
  EXPECT_EQ(completed("tactus --ver"), "--version|");
  EXPECT_EQ(completed("tactus run --no-"), "--no-realtime|--no-witness|");
  EXPECT_EQ(completed("tactus run --link ''"), "paced|follow|free|off|");
  EXPECT_EQ(completed("tactus run --until ''"), "|") << "a duration";
  EXPECT_EQ(completed("tactus run --quiet s"), "servo rig.yaml|");
  EXPECT_EQ(completed("tactus run --out r"), "runs|");
  EXPECT_EQ(completed("tactus recover r"), "runs|");
  EXPECT_EQ(completed("tactus run --from s"), "servo rig.yaml|servo.txt|");
  EXPECT_EQ(completed("tactus help --completion ''"), "bash|zsh|fish|");
#ifdef TACTUS_FAKE_SILKIT
  EXPECT_EQ(completed("tactus demo ''"), "link|");
  EXPECT_EQ(completed("tactus demo link --u"), "--until|");
#endif
}

TEST(Help, FishCompletesCommandsOptionsAndValues) {
  if (std::system("command -v fish > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no fish";
  const TempDir dir;
  (void)dir.write("completion", help({"--completion", "fish"}, dir.path()).out);
  const auto completed = [&](const std::string& line) {
    Command command;
    command.argv = {"fish", "--no-config", "-c",
                    "function tactus; " + tactus({}, dir.path()).argv.front() +
                        " $argv; end; source completion; complete -C '" + line + "'"};
    command.cwd = dir.path();
    return run(command).out;
  };
  EXPECT_TRUE(completed("tactus ru").starts_with("run\trun a rig\nrun_until\t"));
  EXPECT_TRUE(completed("tactus run --no-r").starts_with("--no-realtime\t"));
  EXPECT_EQ(completed("tactus run --link p"), "paced\n");
}

TEST(Help, OtherShellsTakeTheirCompletion) {
  const TempDir dir;
  bool tried = false;
  for (const Arguments& shell :
       {Arguments{"zsh", "-n"}, Arguments{"fish", "--no-execute"}, Arguments{"bash", "-n"}}) {
    if (std::system(("command -v " + shell.front() + " > /dev/null 2>&1").c_str()) != 0) continue;
    (void)dir.write(shell.front(), help({"--completion", shell.front()}, dir.path()).out);
    Command command;
    command.argv = shell + Arguments{shell.front()};
    command.cwd = dir.path();
    const Finished done = run(command);
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_EQ(done.err, "") << done;
    tried = true;
  }
  if (!tried) GTEST_SKIP() << "there is neither zsh, fish nor bash";
}

}  // namespace
}  // namespace tactus::test::help_test
