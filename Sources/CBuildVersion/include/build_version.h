// SPDX-License-Identifier: Apache-2.0
#ifndef LAYOUT_BUILD_VERSION_H
#define LAYOUT_BUILD_VERSION_H

/// The version of this build, as the manifest defines it: the tag of the commit, or that of the next release.
const char *layout_build_version(void);

#endif
