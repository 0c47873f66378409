// SPDX-License-Identifier: Apache-2.0

#include "AllocatedBytes.h"

#include <stdlib.h>

#ifdef __GLIBC__

#include <malloc.h>

int64_t allocated_bytes(void) {
  struct mallinfo2 information = mallinfo2();
  return (int64_t)(information.uordblks + information.hblkhd);
}

#else

int64_t allocated_bytes(void) { return -1; }

#endif
