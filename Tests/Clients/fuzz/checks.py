# SPDX-License-Identifier: Apache-2.0
"""What must hold for every answer and every refusal."""

import re

import grpc
from collection_layout import LayoutError
from collection_layout.v1 import problem_pb2

NEVER = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE,
         grpc.StatusCode.DATA_LOSS}

def is_repeated(field):
    # Newer versions of protobuf have the one, older ones the other.
    return field.is_repeated if hasattr(field, "is_repeated") else field.label == 3


STEP = re.compile(r"([A-Za-z_0-9]+)((?:\[\d+\])*)$")


def names_field(descriptor, path):
    """Whether a path leads to a field, or a oneof, of the message."""
    # An entry of a map is named by its key: labels["size"].
    path = path.split('["')[0]
    for step in path.split("."):
        if descriptor is None:
            return False
        # What is in a Struct or a map is named by its keys.
        if descriptor.full_name.startswith("google.protobuf.") or descriptor.GetOptions().map_entry:
            return True
        found = STEP.match(step)
        if not found:
            return False
        if found[1] in descriptor.oneofs_by_name:
            descriptor = None
            continue
        field = descriptor.fields_by_name.get(found[1])
        if field is None:
            return False
        # Where a message only wraps a list of its own name, paths name it once.
        if found[2] and not is_repeated(field) and field.message_type is not None:
            field = field.message_type.fields_by_name.get(found[1], field)
        descriptor = field.message_type
    return True


def check_refusal(error, descriptor, is_damaged=False):
    """What is wrong with a field names it, whatever the reason. Only bytes that are no message have
    no fields.

    - Returns: the reason."""
    assert error.code() not in NEVER, f"{error.code()}: {error.details()}"
    refusal = LayoutError.from_rpc_error(error)
    fields = [violation.field for violation in refusal.violations]
    assert error.details(), f"{error.code()} without a message"
    if error.code() == grpc.StatusCode.INVALID_ARGUMENT:
        assert fields or is_damaged and not refusal.reason, f"no field is named: {error.details()}"
    for field in fields:
        assert names_field(descriptor, field), f"{field!r} is no field of {descriptor.name}"
    return refusal.reason


def check_problem(problem, descriptors):
    assert 1 <= problem.code <= 16 and problem.code not in (2, 13), str(problem)
    assert problem.message, "a problem without a message"
    assert isinstance(problem, problem_pb2.Problem)
    if problem.code == grpc.StatusCode.INVALID_ARGUMENT.value[0]:
        assert problem.field_violations, str(problem)
    for violation in problem.field_violations:
        assert any(names_field(descriptor, violation.field) for descriptor in descriptors), \
            f"{violation.field!r} is no field of {[d.name for d in descriptors]}"


# Fields of answers that are always there, by message. Numbers that may be 0 are left out.
ALWAYS = {
    "CreateCollectionResponse": ["collection"],
    "GetCollectionResponse": ["collection"],
    "UpdateCollectionResponse": ["collection"],
    "CreateLayoutResponse": ["layout"],
    "GetLayoutResponse": ["layout"],
    "UpdateLayoutResponse": ["layout"],
    "NamedLayout": ["name", "layout", "create_time", "update_time", "etag"],
    "ImportContentsResponse": ["collection"],
    "ExportContentsResponse": ["part"],
    "ApplyUpdatesResponse": ["data_version"],
    "TransferItemsResponse": ["source_data_version", "destination_data_version"],
    "WatchUpdatesResponse": ["incarnation"],
    "Collection": ["name", "incarnation", "create_time", "update_time", "etag"],
    "GetContentSizeResponse": ["content_size"],
    "QueryElementsResponse": ["content_size"],
    "ComputeScrollTargetResponse": ["content_offset"],
    "FindNeighborResponse": ["content_offset"],
    "ElementAttributes": ["key"],
    "ElementKey": ["category", "index_path"],
    "LayoutAttributes": ["frame"],
    "FieldViolation": ["description"],
    "GetServerInfoResponse": ["version", "layout_kinds", "encodings", "limits", "cache"],
    "StreamLayoutResponse": ["message"],
    "SessionOpened": ["session", "outcome", "encoding", "units_per_point", "resume_token",
                      "resume_grace"],
    "LayoutFrame": ["frame_seq", "body"],
    "ScrollTarget": ["content_offset"],
}


def check_answer(message):
    """Every field that an answer always has, in it and in all that it holds."""
    descriptor = message.DESCRIPTOR
    for name in ALWAYS.get(descriptor.name, []):
        if name in descriptor.oneofs_by_name:
            there = message.WhichOneof(name) is not None
        else:
            field = descriptor.fields_by_name[name]
            there = (message.HasField(name)
                     if field.message_type is not None and not is_repeated(field)
                     else bool(getattr(message, name)))
        assert there, f"{descriptor.name} without {name}: {str(message)[:400]}"
    for field, value in message.ListFields():
        if field.message_type is None or field.message_type.GetOptions().map_entry:
            continue
        if field.message_type.full_name.startswith("google.protobuf."):
            continue
        for child in value if is_repeated(field) else [value]:
            check_answer(child)
