// SPDX-License-Identifier: Apache-2.0
/*
PURPOSE: (Models that do nothing, whose jobs are counted by the thousand.)
*/
#ifndef TACTUS_TRICK_SIM_MODELS_HH
#define TACTUS_TRICK_SIM_MODELS_HH

class EmptyModel {
 public:
  EmptyModel() : unused(0) {}
  int step() { return 0; }

 private:
  int unused;  // (--) a class wants a member
};

class NineModel {
 public:
  double out[9];  // (--) outputs, one of which moves

  NineModel() {
    for (int i = 0; i < 9; ++i) out[i] = 0;
  }
  int step() {
    out[0] += 1;
    return 0;
  }
};

#endif
