#include "@NAME@.hpp"

TACTUS_MODEL("@NAME@", @CLASS@, "a lag of first order")
