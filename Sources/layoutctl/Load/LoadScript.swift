// SPDX-License-Identifier: Apache-2.0

/// What one stream of a load test does when: a fixed sequence for each seed, whatever the server
/// does meanwhile.
struct LoadScript: Sendable {
  enum Action: Equatable, Sendable {
    /// By this many viewports along the content, at this speed in viewports a second. The viewer
    /// turns round at the ends.
    case scroll(pages: Double, pagesPerSecond: Double)
    /// To this share of the content, 0…1.
    case jump(share: Double)
    /// To these multiples of the viewport's own width and height.
    case resize(width: Double, height: Double)
    case edit
  }

  struct Step: Equatable, Sendable {
    /// When it is meant to happen, from the beginning of the script on. Never decreases.
    var time: Duration
    var action: Action
  }

  private let behaviour: LoadBehaviour
  private let editsPerSecond: Double
  private let speed: Double
  private var random: SplitMix64
  /// In seconds.
  private var time: Double
  private var count = 0
  /// Of a fling, in viewports a second; 0 = at rest.
  private var velocity = 0.0

  private static let tick = 1.0 / 60
  /// A fling loses 1 / e of its speed in this many seconds.
  private static let flingDecay = 0.35
  private static let slowestFling = 0.3
  private static let sizes = [(1.0, 1.0), (0.75, 1.0), (0.5, 1.0), (0.75, 0.75)]

  /// - Parameters:
  ///   - editsPerSecond: batches of each editor, above 0.
  ///   - speed: how much faster than usual all happens, above 0.
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
    // Streams that begin together shall not go on in step.
    let phase = Double.random(in: 0 ..< 1, using: &random)
    time = behaviour == .editor ? phase / editsPerSecond : phase
  }

  /// What comes next; nil = nothing ever.
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
