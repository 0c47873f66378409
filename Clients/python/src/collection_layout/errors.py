# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, as exceptions."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2

from collection_layout.v1 import problem_pb2


#: So many seconds a server can make a client wait at most.
MOST_DELAY = 60.0


def bounded_delay(seconds: float) -> float:
    """A time to wait that a server has sent, which may be absurd: 0 to 60 s."""
    return 0.0 if math.isnan(seconds) else min(max(seconds, 0.0), MOST_DELAY)


@dataclasses.dataclass(frozen=True)
class Violation:
    """One field at fault."""

    #: A path from the request or event on: "layout.layout.list.row_height".
    field: str
    #: What was found and what is allowed, for people.
    description: str
    #: What the field had, where the path leads to something in the request; otherwise None.
    value: Any = None


class LayoutError(Exception):
    """Something that the server refused, or that did not reach it.

    There is a subclass for each status that programs treat differently, such as `NotFoundError`.
    """

    def __init__(
            self, code: grpc.StatusCode, message: str, reason: str = "",
            violations: Iterable[Violation] = (), metadata: Mapping[str, str] | None = None) -> None:
        #: The gRPC status.
        self.code = code
        #: Stable, for programs: "VERSION_CONFLICT". Empty where the code says everything.
        self.reason = reason
        #: For people.
        self.message = message
        #: The fields at fault.
        self.violations = tuple(violations)
        #: Facts for programs: "currentDataVersion", "limit".
        self.metadata = dict(metadata or {})
        #: That of an update whose answer did not come in time, so that nobody knows whether it is applied: sent
        #: again with the same identifier, it is applied once. Otherwise empty.
        self.request_id = ""
        super().__init__(f"{reason or code.name}: {message}")

    @property
    def field(self) -> str:
        """The first field at fault; empty where no field is."""
        return self.violations[0].field if self.violations else ""

    @property
    def value(self) -> Any:
        """What the first field at fault had, where that is known."""
        return self.violations[0].value if self.violations else None

    @property
    def retry_delay(self) -> float | None:
        """After how many seconds to try again, 60 at most; None = waiting does not help."""
        milliseconds = self.metadata.get("retryDelayMilliseconds")
        if not milliseconds:
            return None
        try:
            return bounded_delay(float(milliseconds) / 1000)
        except ValueError:
            return None

    @property
    def is_passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.code == grpc.StatusCode.UNAVAILABLE or (
            self.code == grpc.StatusCode.RESOURCE_EXHAUSTED and self.retry_delay is not None)

    @classmethod
    def from_problem(cls, problem: problem_pb2.Problem, request: Message | None = None) -> LayoutError:
        """The error for a refused event of a stream."""
        violations = [
            Violation(v.field, v.description, value_at(request, v.field))
            for v in problem.field_violations]
        return make_error(
            status_code(problem.code), problem.message, problem.reason, violations, problem.metadata)

    @classmethod
    def from_rpc_error(
            cls, error: grpc.RpcError, address: str = "", request: Message | None = None) -> LayoutError:
        """The error for a call that ended with a status."""
        code, message = error.code(), error.details() or ""
        reason = ""
        violations: list[Violation] = []
        metadata: dict[str, str] = {}
        for detail in _details(error):
            if isinstance(detail, error_details_pb2.ErrorInfo):
                reason, metadata = detail.reason, {**metadata, **detail.metadata}
            elif isinstance(detail, error_details_pb2.BadRequest):
                violations = [
                    Violation(v.field, v.description, value_at(request, v.field))
                    for v in detail.field_violations]
            elif isinstance(detail, error_details_pb2.RetryInfo):
                delay = detail.retry_delay
                metadata.setdefault(
                    "retryDelayMilliseconds", str(delay.seconds * 1000 + delay.nanos // 1_000_000))
        if code == grpc.StatusCode.UNAVAILABLE and not reason and address:
            message = _advice(address, message)
        return make_error(code, message, reason, violations, metadata)


class InvalidArgumentError(LayoutError):
    """A field is not finite, out of range, of the wrong length, or unknown."""


class NotFoundError(LayoutError):
    """There is no such collection, layout or session."""


class AlreadyExistsError(LayoutError):
    """The identifier is in use."""


class ConflictError(LayoutError):
    """The data version or etag is not the expected one: read again, and make a new request."""


class WrongStateError(LayoutError):
    """The request is not possible now, such as a step of a movement that has not begun."""


class OutOfRangeError(LayoutError):
    """An index is beyond the end, or a version beyond the history."""


class QuotaError(LayoutError):
    """A limit is reached."""


class UnavailableError(LayoutError):
    """The server cannot be reached, or is going away."""


class DeadlineError(LayoutError):
    """The answer did not come in time."""


class AccessError(LayoutError):
    """The credentials are missing or refused, or do not allow this."""


class FrameError(Exception):
    """A frame that does not fit the elements from before. The viewer asks for a keyframe by itself."""


_CLASSES: dict[grpc.StatusCode, type[LayoutError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgumentError,
    grpc.StatusCode.NOT_FOUND: NotFoundError,
    grpc.StatusCode.ALREADY_EXISTS: AlreadyExistsError,
    grpc.StatusCode.ABORTED: ConflictError,
    grpc.StatusCode.FAILED_PRECONDITION: WrongStateError,
    grpc.StatusCode.OUT_OF_RANGE: OutOfRangeError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: QuotaError,
    grpc.StatusCode.UNAVAILABLE: UnavailableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineError,
    grpc.StatusCode.UNAUTHENTICATED: AccessError,
    grpc.StatusCode.PERMISSION_DENIED: AccessError,
}
_CODES = {code.value[0]: code for code in grpc.StatusCode}


def make_error(
        code: grpc.StatusCode, message: str, reason: str = "", violations: Iterable[Violation] = (),
        metadata: Mapping[str, str] | None = None) -> LayoutError:
    """An error of the class for the code."""
    return _CLASSES.get(code, LayoutError)(code, message, reason, violations, metadata)


def status_code(number: int) -> grpc.StatusCode:
    """The code with the number; UNKNOWN for others."""
    return _CODES.get(number, grpc.StatusCode.UNKNOWN)


def value_at(message: Message | None, path: str) -> Any:
    """What a message has at a path such as "operations[3].move_item.to"; None = nothing."""
    value: Any = message
    for name, index in re.findall(r"(\w+)|\[(\d+)\]", path):
        try:
            value = value[int(index)] if index else getattr(value, name)
        except (AttributeError, IndexError, TypeError, KeyError):
            return None
    return None if value is message else value


def _advice(address: str, message: str) -> str:
    """What an unavailable server means; only gRPC's text tells whether there was a connection."""
    was_connected = "failed to connect" not in message and any(
        word in message for word in ("recvmsg", "removed", "Socket closed", "GOAWAY", "Connection reset"))
    if was_connected:
        return f"the connection to {address} was lost ({message})"
    return (f"no server answers at {address}; `layout-server` starts one, and "
            f"LayoutServer.start_local() one for a test ({message})")


def _details(error: grpc.RpcError) -> list[Any]:
    """The details of a status that are known here. Those that cannot be read count as none."""
    result: list[Any] = []
    trailing: Any = error.trailing_metadata() or ()
    for key, value in trailing:
        if key != "grpc-status-details-bin":
            continue
        status = _read(status_pb2.Status, value)
        for detail in status.details if status else ():
            for kind in (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest,
                         error_details_pb2.RetryInfo):
                found = _read(kind, detail.value) if detail.Is(kind.DESCRIPTOR) else None
                if found is not None:
                    result.append(found)
    return result


def _read(kind: Any, value: bytes) -> Any:
    """A message; None = the bytes are none, as those that a proxy has added may be."""
    try:
        return kind.FromString(value)
    except DecodeError:
        return None
