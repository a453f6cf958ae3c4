# SPDX-License-Identifier: Apache-2.0
TRICK_CFLAGS += -O2 -I.
TRICK_CXXFLAGS += -O2 -I.
