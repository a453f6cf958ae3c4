#pragma once
#include "SilKit.h"
