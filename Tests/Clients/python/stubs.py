# SPDX-License-Identifier: Apache-2.0
"""Makes the protobuf modules from the contract in a temporary folder and puts it on the path."""

import pathlib
import sys
import tempfile

import grpc_tools
from grpc_tools import protoc


def generate():
    root = pathlib.Path(__file__).resolve().parents[3] / "Protos"
    target = tempfile.mkdtemp(prefix="layout-stubs-")
    google = pathlib.Path(grpc_tools.__file__).parent / "_proto"
    protos = sorted(str(path.relative_to(root)) for path in root.glob("collection_layout/**/*.proto"))
    code = protoc.main(
        ["protoc", f"-I{root}", f"-I{google}", f"--python_out={target}",
         f"--grpc_python_out={target}", *protos])
    if code != 0:
        raise RuntimeError(f"protoc failed with {code}")
    sys.path.insert(0, target)
