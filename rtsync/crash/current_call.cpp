// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/current_call.hpp"

namespace tactus::rtsync {
namespace {

// Its own room from the start of the thread: the first mark of a thread allocates nothing.
__attribute__((tls_model("initial-exec"))) constinit thread_local const char* t_text = nullptr;

}  // namespace

CurrentCall::CurrentCall(const char* text) TACTUS_RT : before_(t_text) { t_text = text; }
CurrentCall::~CurrentCall() { t_text = before_; }

const char* current_call() TACTUS_RT { return t_text; }

}  // namespace tactus::rtsync
