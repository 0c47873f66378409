// SPDX-License-Identifier: Apache-2.0

// The generated messages and their mapping to values and back.
