// SPDX-License-Identifier: Apache-2.0

/// The schedule of one stream in a load test. It depends only on the seed, not on the server's
/// answers.
struct LoadScript: Sendable {
  enum Action: Equatable, Sendable {
    /// Scrolls by this many viewports at this speed in viewports per second. The direction is
    /// reversed at the ends of the content.
    case scroll(pages: Double, pagesPerSecond: Double)
    /// Jumps to this fraction of the content, 0…1.
    case jump(share: Double)
    /// Resizes the viewport to these multiples of its original width and height.
    case resize(width: Double, height: Double)
    case edit
  }

  struct Step: Equatable, Sendable {
    /// The scheduled time, measured from the beginning of the script. It never decreases.
    var time: Duration
    var action: Action
  }

  private let behaviour: LoadBehaviour
  private let editsPerSecond: Double
  private let speed: Double
  private var random: SplitMix64
  /// The time of the last step, in seconds.
  private var time: Double
  private var count = 0
  /// The velocity of the current fling, in viewports per second; 0 = at rest.
  private var velocity = 0.0

  private static let tick = 1.0 / 60
  /// The time constant of a fling, in seconds: its speed decays as e^(-t / flingDecay).
  private static let flingDecay = 0.35
  private static let slowestFling = 0.3
  private static let sizes = [(1.0, 1.0), (0.75, 1.0), (0.5, 1.0), (0.75, 0.75)]

  /// - Parameters:
  ///   - editsPerSecond: batches per second of this editor, above 0.
  ///   - speed: the factor by which the script runs faster, above 0.
  init(
    _ behaviour: LoadBehaviour,
    seed: UInt64,
    editsPerSecond: Double = 2,
    speed: Double = 1
  ) {
    self.behaviour = behaviour
    self.editsPerSecond = editsPerSecond
    self.speed = speed
    random = SplitMix64(seed: seed)
    // A random phase keeps streams that start together from staying in step.
    let phase = Double.random(in: 0 ..< 1, using: &random)
    time = behaviour == .editor ? phase / editsPerSecond : phase
  }

  /// The next step; nil if there are no further steps.
  mutating func next() -> Step? {
    let action: Action
    switch behaviour {
    case .reader:
      time += wait(0.5 ... 1.5)
      action = read()
    case .flinger: action = fling()
    case .editor:
      time += wait(0.5 ... 1.5) / editsPerSecond
      action = .edit
    case .resizer:
      time += wait(0.7 ... 1.5)
      let size = Self.sizes[(count + 1) % Self.sizes.count]
      action = .resize(width: size.0, height: size.1)
    case .idler: return nil
    }
    count += 1
    return Step(time: .seconds(time / speed), action: action)
  }

  private mutating func wait(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &random)
  }

  private mutating func read() -> Action {
    if Int.random(in: 0 ..< 40, using: &random) == 0 {
      return .jump(share: Double.random(in: 0 ... 1, using: &random))
    }
    return .scroll(pages: Double.random(in: 0.3 ... 0.9, using: &random), pagesPerSecond: 0)
  }

  private mutating func fling() -> Action {
    if velocity < Self.slowestFling {
      time += wait(0.3 ... 1)
      velocity = Double.random(in: 4 ... 16, using: &random)
    } else {
      time += Self.tick
      velocity *= 1 - Self.tick / Self.flingDecay
    }
    return .scroll(pages: velocity * Self.tick, pagesPerSecond: velocity)
  }
}
