// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdint.h>

/// How often this process has asked for memory since it began; 0 where that is not counted: beside
/// glibc there is nothing to count with.
uint64_t allocation_count(void);
