// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "executive/app/built_from.hpp"
#include "executive/app/command_facts.hpp"
#include "executive/app/command_list.hpp"
#include "executive/app/completion.hpp"
#include "executive/app/man_page.hpp"
#include "executive/app/options.hpp"
#include "executive/app/terminal_text.hpp"

namespace tactus::app {
namespace {

void write_page(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (!out) throw CommandError(kEndedEarly, file.string() + ": cannot be written: " + std::strerror(errno));
}

/// Help for people, and what is generated of the tree of commands.
class HelpCommand final : public CommandDriver {
 public:
  explicit HelpCommand(const CommandList* list) : list_(list) {}

  void declare(CLI::App& app) override {
    app_ = &app;
    app.description("print the help of a command, or write man pages and completion of all");
    app.add_option("COMMAND", words_, "a command, and a subcommand of it");
    CLI::Option* const man =
        add_value(app, "--man", man_, "DIR", "write a manual page for each command into this folder");
    app.add_option("--docs", docs_, "")
        ->group("");  // of an installation: where its pages say documentation lies
    add_value(app, "--completion", shell_, "SHELL",
              "print the completion script of this shell: bash, zsh or fish")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->excludes(man);
    app.add_flag("--complete", complete_, "")->group("");  // of the shells' stubs
  }

  bool is_for_its_output() const override { return true; }
  int run() override {
    const CLI::App& root = *app_->get_parent();
    if (!man_.empty()) return write_pages(root);
    if (!shell_.empty()) return put_whole(completion_stub(shell_));
    if (!complete_) return print_help(root);
    const CommandWords ask = [this](const std::string& command, const std::string& option,
                                    const std::vector<std::string>& words) {
      return list_ == nullptr ? std::vector<config::Word>{} : list_->words_for(command, option, words);
    };
    return put_whole(complete(facts_of(root, "tactus"), words_, ask));
  }

 private:
  int write_pages(const CLI::App& root) const {
    std::error_code error;
    std::filesystem::create_directories(man_, error);
    if (error) throw CommandError(kEndedEarly, man_ + ": cannot be made: " + error.message());
    const CommandFacts tactus = facts_of(root, "tactus");
    const std::filesystem::path folder(man_);
    write_page(folder / man_file(tactus), man_page(tactus, kVersion, root.get_footer(), docs_));
    for (const CommandFacts& each : tactus.commands)
      write_page(folder / man_file(each), man_page(each, kVersion, root.get_footer(), docs_));
    return kOk;
  }

  int print_help(const CLI::App& root) const {
    const CLI::App* app = &root;
    std::string path = "tactus";
    for (const std::string& word : words_) {
      const auto found = app->get_subcommands([&](const CLI::App* each) { return each->get_name() == word; });
      if (found.empty())
        throw CommandError(kWrongInput, app == &root ? CommandList::unknown(word)
                                                     : "there is no command '" + path + " " + word + "'");
      path += " " + word;
      app = found.front();
    }
    // App::help() would describe the command that was parsed: this one.
    return put_whole(app->get_formatter()->make_help(app, "", CLI::AppFormatMode::Normal));
  }

  const CommandList* list_;
  CLI::App* app_ = nullptr;
  std::vector<std::string> words_;
  std::string man_;
  std::string docs_ = "docs";
  std::string shell_;
  bool complete_ = false;
};

}  // namespace

std::unique_ptr<CommandDriver> help_command(const CommandList* list) {
  return std::make_unique<HelpCommand>(list);
}

}  // namespace tactus::app
