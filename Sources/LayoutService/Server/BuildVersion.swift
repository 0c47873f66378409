// SPDX-License-Identifier: Apache-2.0

internal import CBuildVersion

extension ServiceConfiguration {
  /// The version of this build: the tag of its commit without "v", or the next release's.
  public static let buildVersion = unsafe String(cString: layout_build_version())
}
