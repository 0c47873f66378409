// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutMetrics
import LayoutTracing
import Logging
import Metrics

/// The options about traces.
struct TracingOptions: Sendable {
  /// nil = nothing is traced.
  var endpoint: OTLPEndpoint?
  /// "" = the authorities that the system trusts.
  var authorities = ""
  /// The fraction of the traces begun here that is recorded.
  var ratio = 1.0
  /// The server's name in traces.
  var serviceName = "layout-server"

  static let texts: [(key: String, help: String)] = [
    (
      "otlpEndpoint",
      "where traces are sent by OTLP/gRPC: http://HOST:PORT, or https://HOST:PORT with TLS; by default "
        + "OTEL_EXPORTER_OTLP_ENDPOINT, and none without that"
    ),
    ("otlpCa", "PEM file with authorities of an https endpoint; by default those of the system"),
    (
      "traceSampleRatio",
      "part of the traces that begin here which is recorded, 0 to 1; calls whose callers decided follow them"
    ),
  ]

  /// The variables of OpenTelemetry that apply if an option is not set.
  private static let endpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"
  private static let nameVariable = "OTEL_SERVICE_NAME"

  init() {}

  /// - Parameter option: the value of an option and its name, if it is set.
  init(
    environment: [String: String],
    _ option: (String) throws -> (value: String, name: String)?
  ) throws {
    let variable = environment[Self.endpointVariable].map {
      (value: $0, name: Self.endpointVariable)
    }
    if let found = try option("otlpEndpoint") ?? variable, !found.value.isEmpty {
      endpoint = OTLPEndpoint(found.value)
      guard endpoint != nil else {
        throw UsageError(
          "\(found.name): \"\(found.value.prefix(200))\" found; http://HOST:PORT and "
            + "https://HOST:PORT are allowed"
        )
      }
    }
    if let found = try option("traceSampleRatio") {
      guard let ratio = Double(found.value), (0 ... 1).contains(ratio) else {
        throw UsageError("\(found.name): \"\(found.value.prefix(80))\" found; 0 to 1 are allowed")
      }
      self.ratio = ratio
    }
    authorities = try option("otlpCa")?.value ?? ""
    if let name = environment[Self.nameVariable], !name.isEmpty { serviceName = name }
  }
}

extension TracingOptions {
  /// The descriptions of tracing's metrics on the metrics page.
  static let descriptions = [
    MetricDescription(TracingMetricLabel.exported, "Spans that the collector took."),
    MetricDescription(TracingMetricLabel.dropped, "Spans that nobody will see, by reason."),
  ]

  /// Makes spans, and sends them; nil = nothing is traced.
  func tracing(
    version: String,
    metrics: any MetricsFactory,
    logger: Logger
  ) -> (tracer: OTLPTracer, service: TracingService)? {
    guard let endpoint else { return nil }
    let tracer = OTLPTracer(sampling: TraceSampling(ratio: ratio), metrics: metrics)
    var configuration = OTLPConfiguration(endpoint: endpoint)
    configuration.authorities = authorities.isEmpty ? nil : authorities
    configuration.resource = [
      ("service.name", serviceName), ("service.version", version),
      ("service.instance.id", UUID().uuidString.lowercased()),
      ("telemetry.sdk.name", "layout-server"), ("telemetry.sdk.language", "swift"),
    ]
    let exporter = OTLPExporter(tracer, configuration: configuration, logger: logger)
    return (tracer, TracingService(exporter: exporter))
  }
}
