// SPDX-License-Identifier: Apache-2.0

// Package provider serves layouts that are written in Go to a layout server: functions that say where items are.
//
// The server is told where the program is with --layout-provider NAME=HOST:PORT; clients then ask for the custom
// layout NAME.
package provider
