// SPDX-License-Identifier: Apache-2.0

// A client that mirrors what a session shows.
