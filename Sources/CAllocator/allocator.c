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
