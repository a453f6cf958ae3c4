// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/unit/preemption.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tactus::drivers::fmi {
namespace {

// The first use of a plug-in's thread-local variable allocates, but not with this model of storage.
thread_local Preemption::Activation* current __attribute__((tls_model("initial-exec"))) = nullptr;

std::int64_t now_ns() noexcept {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

constexpr std::uint64_t bit_of(unsigned rank) { return std::uint64_t{1} << rank; }
constexpr std::uint64_t more_urgent_than(unsigned rank) { return bit_of(rank) - 1; }

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) noexcept {
  (void)::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation | FUTEX_PRIVATE_FLAG, value,
                  nullptr, nullptr, 0);
}

}  // namespace

Preemption::Preemption() {
  pthread_mutexattr_t attributes;
  (void)::pthread_mutexattr_init(&attributes);
  (void)::pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  (void)::pthread_mutex_init(&section_, &attributes);
  (void)::pthread_mutexattr_destroy(&attributes);
}

Preemption::~Preemption() { (void)::pthread_mutex_destroy(&section_); }

/// Takes the section, once no other activation of `others` is active, and notes one that `becomes` so.
void Preemption::enter(Activation& of, std::uint64_t others, std::uint64_t becomes) noexcept {
  std::int64_t since = -1;
  Reason reason = Reason::section;
  if (::pthread_mutex_trylock(&section_) != 0) {
    since = now_ns();
    (void)::pthread_mutex_lock(&section_);
  }
  for (;;) {
    const std::uint32_t seen = changes_.load(std::memory_order_acquire);
    const std::uint64_t in_the_way = active_.load(std::memory_order_acquire) & others;
    if (in_the_way == 0) break;
    if (since < 0) {
      since = now_ns();
      reason = (in_the_way & more_urgent_than(of.rank_)) != 0 ? Reason::urgent : Reason::equal;
    }
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    (void)::pthread_mutex_unlock(&section_);
    futex(changes_, FUTEX_WAIT, seen);
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    (void)::pthread_mutex_lock(&section_);
  }
  active_.fetch_or(becomes, std::memory_order_acq_rel);
  if (since < 0) return;
  const std::int64_t waited = now_ns() - since;
  if (waited <= of.waited_ns_) return;
  of.waited_ns_ = waited;
  of.reason_ = reason;
}

void Preemption::leave(std::uint64_t bit) noexcept {
  active_.fetch_and(~bit, std::memory_order_acq_rel);
  changes_.fetch_add(1, std::memory_order_seq_cst);
  if (waiting_.load(std::memory_order_seq_cst) != 0) futex(changes_, FUTEX_WAKE, INT32_MAX);
}

void Preemption::Activation::begin() noexcept {
  outer_ = current;
  current = this;
  order_->enter(*this, more_urgent_than(rank_) | bit_of(rank_), bit_of(rank_));
  (void)::pthread_mutex_unlock(&order_->section_);
}

void Preemption::Activation::end() noexcept {
  if (depth_ != 0) (void)::pthread_mutex_unlock(&order_->section_);  // the unit forgot it, or failed inside
  depth_ = 0;
  current = outer_;
  order_->leave(bit_of(rank_));
}

void Preemption::lock() noexcept {
  if (current == nullptr || current->depth_++ != 0) return;
  current->order_->enter(*current, more_urgent_than(current->rank_), 0);
}

void Preemption::unlock() noexcept {
  if (current == nullptr || current->depth_ == 0 || --current->depth_ != 0) return;
  (void)::pthread_mutex_unlock(&current->order_->section_);
}

}  // namespace tactus::drivers::fmi
