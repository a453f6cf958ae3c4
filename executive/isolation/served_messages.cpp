// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/served_messages.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <thread>

namespace tactus::executive {
namespace {

constexpr std::uint32_t kMostLost = 100'000;
constexpr std::chrono::milliseconds kLongestWait{200};  // at the end, for the rig to take one more

}  // namespace

void ServedMessages::start(DrivenModel& model, CallPage& page) {
  model_ = &model;
  page_ = &page;
  std::thread([this] {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      pass();
    }
  }).detach();
}

void ServedMessages::open() {
  const std::scoped_lock lock(mutex_);
  open_ = true;
}

void ServedMessages::pass(bool last) {
  const std::scoped_lock lock(mutex_);
  const auto waiting = [this] {
    return page_->said.load(std::memory_order_relaxed) - page_->heard.load(std::memory_order_acquire);
  };
  const auto has_room = [&] { return waiting() < CallPage::kMostSaid - 1; };
  std::uint32_t lost = 0;
  while (open_ && (last || has_room())) {
    try {
      const std::optional<ModelMessage> message = model_->take_message();
      if (!message) break;
      const auto until = std::chrono::steady_clock::now() + kLongestWait;
      while (lost == 0 && !has_room() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      if (has_room())
        say(message->warning, message->text);
      else if (++lost == kMostLost)
        break;  // it never stops
    } catch (const std::exception& error) {
      open_ = false;
      say(true, std::string("its messages are not read any more: ") + error.what());
    }
  }
  if (!last) return;
  open_ = false;
  if (lost > 0)
    say(true, std::to_string(lost) + " messages were lost: its process ended before they were written");
}

void ServedMessages::say(bool warning, const std::string& text) {
  const std::uint32_t said = page_->said.load(std::memory_order_relaxed);
  CallPage::Message& to = page_->messages[said % CallPage::kMostSaid];
  to.warning = warning ? 1 : 0;
  copy_text(to.text, text.c_str());
  page_->said.store(said + 1, std::memory_order_release);
}

}  // namespace tactus::executive
