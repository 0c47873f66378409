# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 by hand: a connection that sends whatever it is told to, well-formed or not."""

import socket
import struct
import time

import hpack

GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
END_STREAM, END_HEADERS, ACK = 1, 4, 1

HEALTH = "/grpc.health.v1.Health/Check"
WATCH = "/grpc.health.v1.Health/Watch"
STREAM = "/collection_layout.v1.LayoutSessionService/StreamLayout"
IMPORT = "/collection_layout.v1.CollectionService/ImportContents"
QUERY = "/collection_layout.v1.LayoutQueryService/QueryElements"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def message(payload=b"", flag=0, length=None):
    """A gRPC message with its prefix; `length` = what it claims to have."""
    return struct.pack(">BI", flag, len(payload) if length is None else length) + payload


class Raw:
    """One connection. `source` is the address it comes from, since limits are kept by address."""

    # How connections are encrypted; None = they are not.
    context = None

    def __init__(self, address, source="127.0.0.2", greet=True, window=None):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), 5, source_address=(source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Whether the server closed the connection before it was encrypted: it cannot say why then.
        self.is_refused = False
        if self.context:
            try:
                self.socket = self.context.wrap_socket(self.socket, server_hostname="localhost")
            except OSError:
                self.is_refused = True
                self.socket = socket.socket()
        self.unsent = b""
        self.encoder, self.decoder = hpack.Encoder(), hpack.Decoder()
        self.buffer = b""
        self.next_stream = 1
        self.goaway = None
        self.reset = {}
        self.status = {}
        self.begun = set()
        self.ended = set()
        self.data_bytes = 0
        if greet:
            settings = b"" if window is None else struct.pack(">HI", 4, window)
            self.send(GREETING + frame(SETTINGS, 0, 0, settings))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Sends; False = the server has closed the connection."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def push(self, data=b""):
        """Sends as much as the server takes, and keeps the rest for the next time.

        Raises TimeoutError if there is a rest, and OSError if the server has closed the connection.
        """
        self.unsent += data
        while self.unsent:
            self.unsent = self.unsent[self.socket.send(self.unsent[:1 << 18]):]

    def block(self, path=HEALTH, extra=(), replace=None):
        fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "test",
                  "content-type": "application/grpc", "te": "trailers", **(replace or {})}
        pairs = [(name, value) for name, value in fields.items() if value is not None]
        # Nothing is indexed, so that no two blocks depend on each other.
        return b"".join(self.literal(*pair) for pair in [*pairs, *extra])

    @staticmethod
    def literal(name, value):
        def text(value):
            data = value if isinstance(value, bytes) else value.encode()
            length = len(data)
            if length < 127:
                return bytes([length]) + data
            head, length = b"\x7f", length - 127
            while length >= 128:
                head += bytes([length & 127 | 128])
                length >>= 7
            return head + bytes([length]) + data
        return b"\x00" + text(name) + text(value)

    def open(self, path=HEALTH, end=False, **headers):
        """The bytes that begin a call, and its stream."""
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        flags = END_HEADERS | (END_STREAM if end else 0)
        return frame(HEADERS, flags, stream, self.block(path, **headers)), stream

    def call(self, path=HEALTH, body=message(), end=True, **headers):
        """Sends a call with one message."""
        head, stream = self.open(path, **headers)
        self.send(head + frame(DATA, END_STREAM if end else 0, stream, body))
        return stream

    def read(self, until=lambda: False, seconds=5.0):
        """Reads until the condition holds; False = the connection was closed, None = time is up."""
        if self.is_refused:
            return False
        end = time.monotonic() + seconds
        while not until():
            rest = end - time.monotonic()
            if rest <= 0:
                return None
            self.socket.settimeout(rest)
            try:
                data = self.socket.recv(1 << 16)
            except TimeoutError:
                return None
            except OSError:
                return False
            if not data:
                return False
            self.buffer += data
            self._take()
        return True

    def _take(self):
        while len(self.buffer) >= 9:
            length = int.from_bytes(self.buffer[:3], "big")
            if len(self.buffer) < 9 + length:
                return
            kind, flags = self.buffer[3], self.buffer[4]
            stream = int.from_bytes(self.buffer[5:9], "big")
            payload, self.buffer = self.buffer[9:9 + length], self.buffer[9 + length:]
            if kind == HEADERS:
                self.begun.add(stream)
                fields = dict(self.decoder.decode(payload))
                if "grpc-status" in fields:
                    self.status[stream] = int(fields["grpc-status"]), fields.get("grpc-message", "")
                elif fields.get(":status", "200") != "200":
                    self.status[stream] = fields[":status"], ""
            elif kind == DATA:
                self.data_bytes += length
            elif kind == RESET:
                self.reset[stream] = int.from_bytes(payload, "big")
            elif kind == GOAWAY:
                self.goaway = int.from_bytes(payload[4:8], "big"), payload[8:].decode()
            elif kind == SETTINGS and not flags & ACK:
                self.send(frame(SETTINGS, ACK, 0))
            elif kind == PING and not flags & ACK:
                self.send(frame(PING, ACK, 0, payload))
            if kind in (DATA, HEADERS) and flags & END_STREAM:
                self.ended.add(stream)

    def answer(self, stream, seconds=5.0):
        """The status of a call and its message; None = it has none."""
        self.read(lambda: stream in self.status or stream in self.reset, seconds)
        return self.status.get(stream)

    def closes(self, seconds=5.0):
        """Whether the server closes the connection within the time."""
        return self.read(seconds=seconds) is False

    def works(self):
        """Whether a call on this connection is answered."""
        return self.answer(self.call()) == (0, "")
