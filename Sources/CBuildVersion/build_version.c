// SPDX-License-Identifier: Apache-2.0
#include "build_version.h"

const char *layout_build_version(void) { return LAYOUT_VERSION; }
