// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdint.h>

/// Bytes that the program has allocated and not given back, mapped ones included; -1 where the C
/// library does not tell.
int64_t allocated_bytes(void);
