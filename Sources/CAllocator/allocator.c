// SPDX-License-Identifier: Apache-2.0
#include "allocator.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

int layout_allocator_give_back(void) {
#ifdef __GLIBC__
  return malloc_trim(0);
#else
  return 0;
#endif
}

size_t layout_allocator_bytes_in_use(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}
