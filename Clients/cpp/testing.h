// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <iostream>

// Ends the test with the place and the condition unless it holds.
#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      std::cerr << __FILE__ << ":" << __LINE__ << ": not true: " #condition << "\n"; \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (false)
