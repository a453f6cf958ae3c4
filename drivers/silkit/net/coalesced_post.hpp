// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Has a function run on the I/O thread. Only for the inside of net/: it brings asio along.
#include <array>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <atomic>
#include <cstddef>
#include <functional>
#include <new>
#include <utility>

namespace tactus::silkit {

/// Any number of posts before the function runs are one, and none of them touches the heap. The thread of the
/// io_context may look here by itself, and have posts go through the io_context only while it sleeps.
///
/// Threads  post: any; the others: the I/O thread. Outlives the io_context, which keeps its posts here.
class CoalescedPost {
 public:
  CoalescedPost(asio::io_context& io, std::function<void()> run) : io_(io), run_(std::move(run)) {}
  CoalescedPost(const CoalescedPost&) = delete;
  CoalescedPost& operator=(const CoalescedPost&) = delete;

  void post() {
    if (pending_.exchange(true)) return;
    if (asleep_.load() && !posted_.exchange(true)) asio::post(io_, Handler{this});
  }
  /// Runs the function if it is due.
  bool take() {
    if (!pending_.load() || !pending_.exchange(false)) return false;
    run_();
    return true;
  }
  /// False: it is due.
  bool fall_asleep() {
    asleep_.store(true);
    return !pending_.load();
  }
  void wake_up() { asleep_.store(false); }

 private:
  /// The one place for the one post; asio frees it before it calls the handler.
  template <class T>
  struct Slot {
    using value_type = T;
    CoalescedPost* post;
    template <class U>
    Slot(const Slot<U>& other) : post(other.post) {}  // allocators convert
    explicit Slot(CoalescedPost* the_post) : post(the_post) {}
    T* allocate(std::size_t count) {
      if (sizeof(T) * count > sizeof post->memory_) throw std::bad_alloc();
      return reinterpret_cast<T*>(post->memory_.data());
    }
    void deallocate(T*, std::size_t) {}
    template <class U>
    bool operator==(const Slot<U>& other) const {
      return post == other.post;
    }
  };
  struct Handler {
    using allocator_type = Slot<void>;
    CoalescedPost* post;
    allocator_type get_allocator() const { return allocator_type(post); }
    void operator()() const {
      post->posted_.store(false);
      (void)post->take();
    }
  };

  asio::io_context& io_;
  const std::function<void()> run_;
  std::atomic<bool> pending_{false};
  std::atomic<bool> posted_{false};  ///< is in the io_context
  std::atomic<bool> asleep_{true};
  alignas(std::max_align_t) std::array<std::byte, 256> memory_;
};

}  // namespace tactus::silkit
