#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders the contract from the comments of its protos, and checks these.

    contract_pages.py DESCRIPTORS --check     fails if a comment is missing or leaves something out
    contract_pages.py DESCRIPTORS FOLDER      writes a page in Markdown for each file

DESCRIPTORS is a FileDescriptorSet with source information.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
import sys
from collections.abc import Iterator

from google.protobuf import descriptor_pb2

PACKAGE = "collection_layout.v1"
Field = descriptor_pb2.FieldDescriptorProto

SCALARS = {
    Field.TYPE_DOUBLE: "double", Field.TYPE_BOOL: "bool", Field.TYPE_STRING: "string", Field.TYPE_BYTES: "bytes",
    Field.TYPE_UINT32: "uint32", Field.TYPE_UINT64: "uint64", Field.TYPE_SINT32: "sint32",
    Field.TYPE_SINT64: "sint64", Field.TYPE_INT32: "int32", Field.TYPE_INT64: "int64",
    Field.TYPE_FIXED32: "fixed32", Field.TYPE_FIXED64: "fixed64", Field.TYPE_FLOAT: "float",
}
# What says the unit or the range of a number that is not whole.
MEASURE = re.compile(
    r"point|pixel|radian|second|viewport|factor|part|fraction|ratio|progress|0 to 1|0…1|opacity|weight|"
    r"degree|estimate|length|position|offset|scale|width|height|numbers|anchor|value", re.IGNORECASE)
# What says how it is if a field that knows whether it is set is not.
ABSENCE = re.compile(r"absent|unset|not set|without|always|empty|nil|only (?:with|where|if)|needed|unspecified", re.I)


@dataclasses.dataclass
class Entry:
    """A message, an enumeration, a field, a value, a service or a call."""

    kind: str
    name: str
    file: str
    comment: str
    field: descriptor_pb2.FieldDescriptorProto | None = None
    number: int = 0
    type: str = ""
    choice: str = ""
    parent: str = ""


def comment_of(file: descriptor_pb2.FileDescriptorProto) -> dict[tuple[int, ...], str]:
    """All comments by the path of what they are about."""
    return {tuple(location.path): (location.leading_comments or location.trailing_comments).strip()
            for location in file.source_code_info.location}


def type_name(field: descriptor_pb2.FieldDescriptorProto) -> str:
    """The type of a field as the protos write it."""
    name = field.type_name.removeprefix(f".{PACKAGE}.").removeprefix(".") or SCALARS.get(field.type, "?")
    return f"repeated {name}" if field.label == Field.LABEL_REPEATED else name


def messages(
        items: list[descriptor_pb2.DescriptorProto], path: tuple[int, ...], prefix: str, file: str,
        comments: dict[tuple[int, ...], str]) -> Iterator[Entry]:
    """Messages with their fields, and what is inside of them."""
    for index, message in enumerate(items):
        here, name = (*path, index), f"{prefix}{message.name}"
        if message.options.map_entry:
            continue
        yield Entry("message", name, file, comments.get(here, ""))
        for number, field in enumerate(message.field):
            choice = ""
            if field.HasField("oneof_index") and not field.proto3_optional:
                choice = message.oneof_decl[field.oneof_index].name
            yield Entry(
                "field", field.name, file, comments.get((*here, 2, number), ""), field, field.number,
                type_name(field), choice, name)
        yield from enums(message.enum_type, (*here, 4), f"{name}.", file, comments)
        yield from messages(message.nested_type, (*here, 3), f"{name}.", file, comments)


def enums(
        items: list[descriptor_pb2.EnumDescriptorProto], path: tuple[int, ...], prefix: str, file: str,
        comments: dict[tuple[int, ...], str]) -> Iterator[Entry]:
    """Enumerations with their values."""
    for index, enum in enumerate(items):
        here, name = (*path, index), f"{prefix}{enum.name}"
        yield Entry("enum", name, file, comments.get(here, ""))
        for number, value in enumerate(enum.value):
            yield Entry("value", value.name, file, comments.get((*here, 2, number), ""),
                        number=value.number, parent=name)


def entries(file: descriptor_pb2.FileDescriptorProto) -> Iterator[Entry]:
    """Everything in a file, services first."""
    comments, name = comment_of(file), file.name.rsplit("/", 1)[-1]
    for index, service in enumerate(file.service):
        yield Entry("service", service.name, name, comments.get((6, index), ""))
        for number, method in enumerate(service.method):
            sides = [("stream " if streams else "") + kind.removeprefix(f".{PACKAGE}.")
                     for streams, kind in ((method.client_streaming, method.input_type),
                                           (method.server_streaming, method.output_type))]
            yield Entry("call", method.name, name, comments.get((6, index, 2, number), ""),
                        type=" → ".join(sides), parent=service.name)
    yield from messages(file.message_type, (4,), "", name, comments)
    yield from enums(file.enum_type, (5,), "", name, comments)


def faults(found: list[Entry]) -> Iterator[str]:
    """What comments leave out."""
    about = {entry.name: entry.comment for entry in found if entry.kind == "message"}
    for entry in found:
        where = f"{entry.file}: {entry.parent + '.' if entry.parent else ''}{entry.name}"
        if not entry.comment:
            yield f"{where} has no comment"
            continue
        field = entry.field
        if field is None:
            continue
        context = f"{entry.name} {entry.comment} {about.get(entry.parent, '')}"
        if field.type in (Field.TYPE_DOUBLE, Field.TYPE_FLOAT) and not MEASURE.search(context):
            yield f"{where} does not say its unit or range"
        if field.proto3_optional and not ABSENCE.search(context):
            yield f"{where} does not say what its absence means"


def linked(text: str, pages: dict[str, str]) -> str:
    """A comment with links to the messages that it names."""
    def link(match: re.Match[str]) -> str:
        word, head = match[0], match[0].split(".")[0]
        return f"[{word}]({pages[head]}#{head.lower()})" if head in pages else word
    paragraphs = []
    for part in re.split(r"\n\s*\n", text):
        is_code = all(line.startswith("   ") for line in part.split("\n"))
        if is_code:
            paragraphs.append("\n".join("    " + line for line in part.split("\n")))
        else:
            escaped = re.sub(r"(?<!`)[<>*_](?!`)", lambda m: "\\" + m[0], " ".join(part.split()))
            paragraphs.append(re.sub(r"\b[A-Z][a-z]+(?:[A-Z][A-Za-z]*)?(?:\.[a-z_\\]+)?\b", link, escaped))
    return "\n\n".join(paragraphs)


def pages_of(found: list[Entry]) -> dict[str, str]:
    """The page of each message and enumeration."""
    return {entry.name: entry.file.replace(".proto", ".html") for entry in found
            if entry.kind in ("message", "enum") and "." not in entry.name}


def page(file: str, found: list[Entry], pages: dict[str, str]) -> str:
    """The page of a file, as Markdown."""
    lines = [f"# {file}", ""]
    for entry in (entry for entry in found if entry.file == file):
        text = linked(entry.comment, pages)
        if entry.kind in ("service", "message", "enum"):
            lines += [f'<a id="{entry.name.lower()}"></a>', "", f"## {entry.name}", "", text, ""]
        elif entry.kind == "call":
            lines += [f"**{entry.name}** · `{entry.type}`", "", text, ""]
        elif entry.kind == "value":
            lines += [f"`{entry.name}` = {entry.number}", "", f": {text}", ""]
        else:
            head = entry.type.removeprefix("repeated ").split(".")[0]
            kind = f"[{entry.type}]({pages[head]}#{head.lower()})" if head in pages else entry.type
            choice = f" · one of `{entry.choice}`" if entry.choice else ""
            optional = " · optional" if entry.field is not None and entry.field.proto3_optional else ""
            lines += [f"`{entry.name}` = {entry.number} · {kind}{optional}{choice}", "",
                      ": " + text.replace("\n", "\n    "), ""]
    return "\n".join(lines)


def main() -> None:
    """Checks or writes."""
    files = descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(sys.argv[1]).read_bytes())
    found = [entry for file in files.file if file.package == PACKAGE for entry in entries(file)]
    if sys.argv[2] == "--check":
        problems = list(faults(found))
        print("\n".join(problems) or f"{len(found)} comments are complete")
        sys.exit(bool(problems))
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    names, pages = sorted({entry.file for entry in found}), pages_of(found)
    for name in names:
        (folder / name.replace(".proto", ".md")).write_text(page(name, found, pages))
    index = ["# The contract", "", "All messages and calls, from the comments of the protos.", ""]
    index += [f"- [{name}]({name.replace('.proto', '.html')})" for name in names]
    (folder / "index.md").write_text("\n".join(index) + "\n")
    print(f"{len(names)} pages, {len(found)} entries")


main()
