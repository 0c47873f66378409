// SPDX-License-Identifier: Apache-2.0

// The layout protocols, layout attributes and the built-in layouts.
