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

/// Any number of posts before the function runs are one, and none of them touches the heap.
///
/// Threads  post: any. Outlives the io_context, which keeps its posts here.
class CoalescedPost {
 public:
  CoalescedPost(asio::io_context& io, std::function<void()> run) : io_(io), run_(std::move(run)) {}
  CoalescedPost(const CoalescedPost&) = delete;
  CoalescedPost& operator=(const CoalescedPost&) = delete;

  void post() {
    if (!pending_.exchange(true)) asio::post(io_, Handler{this});
  }

 private:
  /// The one place for the one post; asio frees it before it calls the handler.
  template <class T>
  struct Slot {
    using value_type = T;
    CoalescedPost* nudge;
    template <class U>
    Slot(const Slot<U>& other) : nudge(other.nudge) {}  // allocators convert
    explicit Slot(CoalescedPost* the_nudge) : nudge(the_nudge) {}
    T* allocate(std::size_t count) {
      if (sizeof(T) * count > sizeof nudge->memory_) throw std::bad_alloc();
      return reinterpret_cast<T*>(nudge->memory_.data());
    }
    void deallocate(T*, std::size_t) {}
    template <class U>
    bool operator==(const Slot<U>& other) const {
      return nudge == other.nudge;
    }
  };
  struct Handler {
    using allocator_type = Slot<void>;
    CoalescedPost* nudge;
    allocator_type get_allocator() const { return allocator_type(nudge); }
    void operator()() const {
      nudge->pending_.store(false);
      nudge->run_();
    }
  };

  asio::io_context& io_;
  const std::function<void()> run_;
  std::atomic<bool> pending_{false};
  alignas(std::max_align_t) std::array<std::byte, 256> memory_;
};

}  // namespace tactus::silkit
