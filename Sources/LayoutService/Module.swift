// SPDX-License-Identifier: Apache-2.0

// The gRPC services over sessions, queries and collections.
