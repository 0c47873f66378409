# SPDX-License-Identifier: Apache-2.0
"""Makes calls of the contract from nothing but their descriptors, and checks what comes back."""

import collections
import queue

import grpc
from checks import check_answer, check_problem, check_refusal
from collection_layout.v1 import collection_service_pb2, query_service_pb2, session_pb2
from google.protobuf import message_factory

SERVICES = [
    file.DESCRIPTOR.services_by_name[name]
    for file, name in [
        (collection_service_pb2, "CollectionService"),
        (query_service_pb2, "LayoutQueryService"),
        (session_pb2, "LayoutSessionService"),
    ]
]
METHODS = {method.name: method for service in SERVICES for method in service.methods}
STREAMING = {"ImportContents", "ExportContents", "WatchUpdates", "StreamLayout"}
UNARY = [method for name, method in METHODS.items() if name not in STREAMING]

TIMEOUT = 20
# Longer than the server's machine may be busy with something else.
PATIENCE = 60

# A connection may reset 200 calls in 30 seconds.
CALLS_OF_CONNECTION = 100


def connect(address):
    """A channel with a connection of its own."""
    return grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])


def path_of(method):
    return f"/{method.containing_service.full_name}/{method.name}"


def parse(method):
    return message_factory.GetMessageClass(method.output_type).FromString


def raw(request):
    return request if isinstance(request, bytes) else request.SerializeToString()


def unary(channel, method, request):
    """Makes a call with a message, or with any bytes. Returns its outcome."""
    call = channel.unary_unary(path_of(method), raw, parse(method))
    # A question about a version to come waits until its deadline.
    target = getattr(request, "target", None)
    waits = target is not None and target.HasField("min_data_version")
    try:
        answer = call(request, timeout=0.3 if waits else TIMEOUT)
    except grpc.RpcError as error:
        if waits and error.code() in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED):
            return "DEADLINE"
        assert error.code() != grpc.StatusCode.DEADLINE_EXCEEDED, "no answer in time"
        is_damaged = isinstance(request, bytes)
        return check_refusal(error, method.input_type, is_damaged) or error.code().name
    check_answer(answer)
    if method.name == "BatchGetAttributes" and not isinstance(request, bytes):
        assert len(answer.elements) == len(request.keys)
    return "OK"


def imports(channel, parts):
    """Sends parts of an import."""
    method = METHODS["ImportContents"]
    call = channel.stream_unary(path_of(method), raw, parse(method))
    try:
        check_answer(call(iter(parts), timeout=TIMEOUT))
    except grpc.RpcError as error:
        assert error.code() != grpc.StatusCode.DEADLINE_EXCEEDED, "no answer in time"
        return check_refusal(error, method.input_type) or error.code().name
    return "OK"


def server_stream(channel, name, request, limit):
    """Reads the first answers of a call that has many."""
    method = METHODS[name]
    call = channel.unary_stream(path_of(method), raw, parse(method))(request, timeout=TIMEOUT)
    try:
        for count, answer in enumerate(call, 1):
            check_answer(answer)
            if count == limit:
                break
        return "OK"
    except grpc.RpcError as error:
        assert error.code() != grpc.StatusCode.DEADLINE_EXCEEDED, "no answer in time"
        return check_refusal(error, method.input_type) or error.code().name
    finally:
        call.cancel()


def stream(channel, requests, accepted=None):
    """Sends requests over a stream of layouts and reads until it ends.

    The last request closes the session, so that the server ends the stream by itself. `accepted` gets
    the events that the server says it has applied."""
    method = METHODS["StreamLayout"]
    waiting = queue.SimpleQueue()
    for request in requests:
        waiting.put(request)
    waiting.put(None)
    call = channel.stream_stream(path_of(method), raw, parse(method))(
        iter(waiting.get, None), timeout=PATIENCE)
    # A number may come twice: its first event is handled, the second ends the stream.
    events = collections.defaultdict(list)
    for request in requests:
        if not isinstance(request, bytes) and request.WhichOneof("event"):
            events[request.event_seq].append(request)
    try:
        for response in call:
            check_answer(response)
            if not response.HasField("event_result"):
                continue
            result = response.event_result
            if not result.HasField("problem"):
                if accepted is not None:
                    accepted += events[result.event_seq]
            else:
                described = [method.input_type]
                for event in events[result.event_seq]:
                    described.append(getattr(event, event.WhichOneof("event")).DESCRIPTOR)
                check_problem(result.problem, described)
        return "OK"
    except grpc.RpcError as error:
        assert error.code() != grpc.StatusCode.DEADLINE_EXCEEDED or "open" in error.details() \
            or "message" in error.details(), "the stream did not end"
        return check_stream_end(error, method)


def check_stream_end(error, method):
    """The fields of a refused opening are named from OpenSession on."""
    opening = method.input_type.fields_by_name["open"].message_type
    try:
        return check_refusal(error, method.input_type) or error.code().name
    except AssertionError:
        return check_refusal(error, opening) or error.code().name
