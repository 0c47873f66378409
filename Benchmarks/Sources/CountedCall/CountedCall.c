// SPDX-License-Identifier: Apache-2.0
#include "CountedCall.h"

// Neither inlined nor left by a jump: Callgrind has to see that it is entered and left.
__attribute__((noinline)) void counted_call(void (*body)(void *), void *context) {
  body(context);
  __asm__ volatile("" ::: "memory");
}
