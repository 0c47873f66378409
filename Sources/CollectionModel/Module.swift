// SPDX-License-Identifier: Apache-2.0

// Index paths, the contents of collections and the batches that change them.
