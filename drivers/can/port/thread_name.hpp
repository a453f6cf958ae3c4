// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pthread.h>

#include <array>
#include <string>
#include <string_view>
#include <thread>

namespace tactus::drivers::can {

/// Name of a thread that the calling thread makes: its role, and the rig that the maker's name shows, in the 15 bytes that
/// Linux keeps: "can-send@servo" where the maker is "tactus@servo". @when setup
inline std::string name_with_rig(std::string_view role) {
  constexpr std::size_t kLongest = 15;
  std::array<char, kLongest + 1> own{};
  (void)::pthread_getname_np(::pthread_self(), own.data(), own.size());
  const std::string_view maker(own.data());
  std::string name(role);
  if (const std::size_t at = maker.find('@'); at != std::string_view::npos) name += maker.substr(at);
  return name.substr(0, kLongest);
}

/// Names a thread that the calling thread has made. @when setup
inline void name_thread(std::thread& thread, std::string_view role) {
  (void)::pthread_setname_np(thread.native_handle(), name_with_rig(role).c_str());
}

}  // namespace tactus::drivers::can
