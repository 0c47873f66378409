# SPDX-License-Identifier: Apache-2.0
"""Connections with TLS, client certificates and tokens."""

import pathlib
import time

import grpc


class TokenPlugin(grpc.AuthMetadataPlugin):
    """Sends a token with each call; asks its provider again before the token ends.

    The provider returns a token and when it ends, in seconds since 1970, or None if it does not.
    """

    MARGIN = 60.0

    def __init__(self, provider):
        self.provider = provider
        self.token = None
        self.renewal = None

    def current(self):
        if self.token is None or self.renewal is not None and time.time() >= self.renewal:
            self.token, end = self.provider()
            rest = None if end is None else end - time.time()
            self.renewal = None if end is None else end - min(self.MARGIN, rest / 5)
        return self.token

    def __call__(self, context, callback):
        try:
            callback((("authorization", f"Bearer {self.current()}"),), None)
        except Exception as error:  # gRPC wants to be told of it.
            callback((), error)


def secure_channel(address, authorities, certificate=None, key=None, provider=None):
    """A channel to a server of these authorities. All files are in PEM form."""

    def read(path):
        return pathlib.Path(path).read_bytes() if path else None

    credentials = grpc.ssl_channel_credentials(read(authorities), read(key), read(certificate))
    if provider is not None:
        calls = grpc.metadata_call_credentials(TokenPlugin(provider))
        credentials = grpc.composite_channel_credentials(credentials, calls)
    return grpc.secure_channel(address, credentials)
