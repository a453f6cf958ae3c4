// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace tactus::executive {

/// Serves one model to the rig that started this process, until that ends the process; or ends it when the model was
/// refused, and the rig knows why.
/// `driver`: the library is one, of the name `model`, and makes the model from the section that the rig sends.
[[noreturn]] void serve_model(const std::string& instance, const std::string& library,
                              const std::string& model, bool driver);

}  // namespace tactus::executive
