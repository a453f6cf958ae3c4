#include <cmath>
#include <cstdio>

#include "@NAME@.hpp"

// The model without a rig: its jobs are functions, and its variables are members.
int main() {
  @CLASS@ model;
  model.time_constant = 0.5;
  model.in = 1;
  model.check();
  tactus::Call call{};
  call.dt = 0.001;
  for (int k = 0; k < 500; ++k) model.step(call);
  const double expected = 1 - std::exp(-1.0);  // after one time constant
  if (std::abs(model.out - expected) < 1e-9) return 0;
  std::printf("out is %.12g, expected %.12g\n", model.out, expected);
  return 1;
}
