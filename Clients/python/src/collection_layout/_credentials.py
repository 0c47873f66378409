# SPDX-License-Identifier: Apache-2.0
"""How a client connects and says who it is."""

from __future__ import annotations

import inspect
import os
import pathlib
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, Union

import grpc

#: A token is replaced so many seconds before its end, or after four fifths of its time if that is less.
TOKEN_MARGIN = 60.0

# The server sends at most 4 MiB in one message, and refuses larger ones.
CHANNEL_OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_receive_message_length", 16 << 20),
    ("grpc.initial_reconnect_backoff_ms", 100),
    # To gRPC also the shortest time that one attempt to connect may take: slow links need some round trips.
    ("grpc.min_reconnect_backoff_ms", 3000),
    # Viewers wait longer by themselves; a call fails at once while there is no connection.
    ("grpc.max_reconnect_backoff_ms", 2000),
]


class Token(NamedTuple):
    """A token, and when it ends."""

    #: Without "Bearer ".
    value: str
    #: In seconds since 1970, as `time.time()` counts; None = not known: asked for with each call.
    expires_at: float | None = None


#: A token, or a function that is asked for one: with each call, or before the end if it says when that is.
#: Clients with asyncio accept coroutine functions as well.
TokenSource: TypeAlias = Union[
    str, Callable[[], Union[str, Token]], Callable[[], Awaitable[Union[str, Token]]]]
#: What goes with a call.
Metadata: TypeAlias = tuple[tuple[str, str], ...]
#: Bytes in PEM, or the path of a file with them.
Pem: TypeAlias = Union[bytes, str, "os.PathLike[str]"]
#: True = TLS with the system's certificates; PEM = with these authorities; or credentials of grpc.
Tls: TypeAlias = Union[bool, Pem, grpc.ChannelCredentials]


class TokenKeeper:
    """Asks for tokens, and keeps those that say when they end."""

    def __init__(self, source: TokenSource | None) -> None:
        self.source = source
        self._kept: Token | None = None
        self._renew_at: float | None = None

    def forget(self) -> None:
        """The server refused the token: the next call asks for another."""
        self._kept = None

    @property
    def can_renew(self) -> bool:
        """Whether there is somebody to ask for another token."""
        return callable(self.source)

    @property
    def renew_at(self) -> float | None:
        """When the newest token has to be replaced, where that is known."""
        return self._renew_at if self._kept else None

    def metadata(self) -> Metadata:
        """The metadata of a call. Asks for a token if needed."""
        known = self._known()
        if known is None:
            answer = self.source()  # type: ignore[operator, misc]
            if inspect.isawaitable(answer):
                getattr(answer, "close", lambda: None)()
                raise TypeError("a coroutine function as token needs AsyncClient")
            known = self._keep(answer)
        return known

    async def metadata_async(self) -> Metadata:
        """The same for clients with asyncio."""
        known = self._known()
        if known is None:
            answer = self.source()  # type: ignore[operator, misc]
            known = self._keep(await answer if inspect.isawaitable(answer) else answer)
        return known

    def _known(self) -> Metadata | None:
        if self.source is None:
            return ()
        if isinstance(self.source, str):
            return _bearer(self.source)
        if self._kept and self._renew_at is not None and time.time() < self._renew_at:
            return _bearer(self._kept.value)
        return None

    def _keep(self, answer: str | Token) -> Metadata:
        token = Token(answer) if isinstance(answer, str) else answer
        self._kept, self._renew_at = token, None
        if token.expires_at is not None:
            left = token.expires_at - time.time()
            self._renew_at = token.expires_at - min(TOKEN_MARGIN, left / 5)
        return _bearer(token.value)


def _bearer(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)


def channel_credentials(
        address: str, tls: Tls, client_certificate: Sequence[Pem] | None, has_token: bool
) -> grpc.ChannelCredentials | None:
    """What encrypts the connection; None = nothing does.

    Raises ValueError if a token would be sent where others can read it.
    """
    if isinstance(tls, grpc.ChannelCredentials):
        if client_certificate:
            raise ValueError("client_certificate belongs into the credentials that tls is")
        return tls
    if tls is False:
        if client_certificate:
            raise ValueError("client_certificate needs tls")
        if has_token and not _is_local(address):
            raise ValueError(f"a token would be sent to {address} in plain text: tls=True encrypts it")
        return None
    chain = key = None
    if client_certificate:
        try:
            chain, key = (_pem(each) for each in client_certificate)
        except ValueError:
            raise ValueError("client_certificate is (certificate chain, private key)") from None
    return grpc.ssl_channel_credentials(
        root_certificates=None if tls is True else _pem(tls), private_key=key, certificate_chain=chain)


def _pem(given: Pem) -> bytes:
    return given if isinstance(given, bytes) else pathlib.Path(given).read_bytes()


def _is_local(address: str) -> bool:
    host = address.removeprefix("dns:///").rsplit(":", 1)[0].strip("[]")
    return address.startswith("unix:") or host in ("localhost", "::1") or host.startswith("127.")
