// SPDX-License-Identifier: Apache-2.0
#ifndef LAYOUT_ALLOCATOR_H
#define LAYOUT_ALLOCATOR_H

#include <stddef.h>

/// Gives memory that was freed back to the system, as far as whole pages are free. Returns 0 if there was none, or if
/// the C library does so by itself.
int layout_allocator_give_back(void);

/// The bytes that the process has allocated and not freed. Returns 0 if the C library does not say.
size_t layout_allocator_bytes_in_use(void);

#endif
