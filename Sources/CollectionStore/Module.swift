// SPDX-License-Identifier: Apache-2.0

// Durable collections and their update logs.
