# SPDX-License-Identifier: Apache-2.0
"""Traces of a real server: from a grpcio client's traceparent to a collector with OpenTelemetry's own messages."""

import concurrent.futures
import queue
import socket
import time

import grpc
import pytest
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from conftest import Server
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as otlp
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as otlp_grpc
from opentelemetry.proto.trace.v1 import trace_pb2 as trace

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
SAMPLED = (("traceparent", f"00-{TRACE}-{CALLER}-01"), ("tracestate", "vendor=1"))


class Collector(otlp_grpc.TraceServiceServicer):
    """Takes spans on a free port."""

    def __init__(self):
        self.requests = queue.Queue()
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
        otlp_grpc.add_TraceServiceServicer_to_server(self, self.server)
        self.endpoint = f"http://127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def Export(self, request, context):
        self.requests.put(request)
        return otlp.ExportTraceServiceResponse()

    def spans(self, name, timeout=30):
        """All spans so far, once one of them has this name."""
        found = []
        end = time.monotonic() + timeout
        while not any(span.name == name for span in found):
            request = self.requests.get(timeout=max(0.01, end - time.monotonic()))
            for group in request.resource_spans:
                resource = {pair.key: pair.value.string_value for pair in group.resource.attributes}
                assert resource["service.name"] == "layout-server"
                found += [span for scope in group.scope_spans for span in scope.spans]
        return found


@pytest.fixture
def collector():
    collector = Collector()
    yield collector
    collector.server.stop(None)


def serve(tmp_path, *more):
    return Server(store=str(tmp_path / "store.sqlite"), more=more)


def edit(address, metadata):
    """Creates a collection and commits a batch; returns the seconds that the commit took."""
    with grpc.insecure_channel(address) as channel:
        stub = service_grpc.CollectionServiceStub(channel)
        request = service.CreateCollectionRequest(collection_id="art")
        request.contents.sections.add().blocks.add(count=2, keys=["hidden-1", "hidden-2"])
        stub.CreateCollection(request, timeout=20)
        change = service.ApplyUpdatesRequest(name="collections/art")
        insertion = change.batch.operations.operations.add().insert_items
        insertion.at.item = 0
        insertion.blocks.add(count=1, keys=["hidden-3"])
        start = time.monotonic()
        stub.ApplyUpdates(change, timeout=20, metadata=metadata)
        return time.monotonic() - start


def test_a_trace_goes_from_the_caller_to_the_append(tmp_path, collector):
    server = serve(tmp_path, "--otlp-endpoint", collector.endpoint, "--trace-sample-ratio", "0")
    edit(server.address, SAMPLED)
    # The last spans are sent when the server ends.
    server.stop()
    spans = collector.spans("collection_layout.v1.CollectionService/ApplyUpdates")
    named = {span.name: span for span in spans}
    call = named["collection_layout.v1.CollectionService/ApplyUpdates"]
    assert set(named) == {call.name, "commit", "store append"}
    assert {span.trace_id.hex() for span in spans} == {TRACE}
    assert {span.trace_state for span in spans} == {"vendor=1"}
    assert call.parent_span_id.hex() == CALLER
    assert named["commit"].parent_span_id == call.span_id
    assert named["store append"].parent_span_id == named["commit"].span_id
    assert call.kind == trace.Span.SPAN_KIND_SERVER
    assert call.flags & trace.SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK
    assert call.start_time_unix_nano <= named["store append"].start_time_unix_nano
    assert named["store append"].end_time_unix_nano <= call.end_time_unix_nano
    attributes = {pair.key: pair.value.string_value for pair in call.attributes}
    assert attributes["rpc.system.name"] == "grpc"
    assert attributes["rpc.response.status_code"] == "OK"
    assert "hidden" not in "".join(map(str, spans))


@pytest.mark.parametrize("header", ["garbage", f"00-{TRACE}-{CALLER}-00", f"ff-{TRACE}-{CALLER}-01"])
def test_what_is_malformed_or_not_sampled_makes_no_spans(tmp_path, collector, header):
    server = serve(tmp_path, "--otlp-endpoint", collector.endpoint, "--trace-sample-ratio", "0")
    edit(server.address, (("traceparent", header),))
    server.stop()
    assert collector.requests.empty()


def test_the_variable_of_opentelemetry_counts(tmp_path, collector, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint)
    server = serve(tmp_path)
    edit(server.address, ())
    server.stop()
    spans = collector.spans("collection_layout.v1.CollectionService/ApplyUpdates")
    assert len({span.trace_id for span in spans}) == 2


@pytest.mark.parametrize("answers", [True, False], ids=["silent", "absent"])
def test_a_collector_that_does_not_work_delays_nobody(tmp_path, answers):
    listener = socket.create_server(("127.0.0.1", 0))
    endpoint = f"http://127.0.0.1:{listener.getsockname()[1]}"
    if not answers:
        listener.close()
    server = serve(tmp_path, "--otlp-endpoint", endpoint)
    assert edit(server.address, SAMPLED) < 5
    start = time.monotonic()
    server.stop()
    # Sooner than the server would be ended by force.
    assert time.monotonic() - start < 5
    listener.close()
