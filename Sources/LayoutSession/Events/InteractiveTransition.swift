// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts

/// A step of a layout change that the user controls.
public enum InteractiveTransition: Sendable {
  /// Begins a transition to a layout, at progress 0. Replaces one that is under way.
  case begin(LayoutConfiguration)
  /// How far the transition is: 0 = the old layout, 1 = the new one. Any number within the limits
  /// of coordinates is kept; frames show it limited to 0…1.
  case progress(Double)
  /// The new layout becomes the session's layout.
  case finish
  /// The old layout remains.
  case cancel
}
