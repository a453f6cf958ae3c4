// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/main_thread.hpp"

#include <utility>

#include "executive/frame/job_runner.hpp"
#include "rtsync/crash/crash_handler.hpp"
#include "rtsync/evidence/continuation.hpp"

namespace tactus::executive {

MainThread::MainThread(rtsync::ThreadSettings settings, std::function<RunEnd()> frames)
    : thread_(std::move(settings), [this, frames = std::move(frames)] {
        const rtsync::CrashStack stack;
        JobRunner::enter_thread(0);
        rtsync::ContinuationWatch::take_here();
        go_.wait();
        if (!cancelled_.load()) end_ = frames();
        done_.store(true);
      }) {}

void MainThread::release() {
  released_ = true;
  go_.count_down();
}

void MainThread::dismiss() {
  if (released_) return;
  cancelled_.store(true);
  release();
}

}  // namespace tactus::executive
