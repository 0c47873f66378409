// SPDX-License-Identifier: Apache-2.0
// The files of the inspector's page. The compiler reads them from Clients when it builds this module.

#ifndef INSPECTOR_FILES_H
#define INSPECTOR_FILES_H

/// A file of the page.
typedef struct {
  /// Where it is served: "/inspector/main.js".
  const char *path;
  const unsigned char *bytes;
  /// Of the bytes.
  long count;
} InspectorFile;

/// All files.
const InspectorFile *inspector_files(void);

/// How many there are.
long inspector_file_count(void);

#endif
