// SPDX-License-Identifier: Apache-2.0
#ifndef COUNTED_CALL_H
#define COUNTED_CALL_H

/// Calls `body` with `context`. Callgrind counts what is executed meanwhile: its options name this function.
void counted_call(void (*_Nonnull body)(void *_Nullable context), void *_Nullable context);

#endif
