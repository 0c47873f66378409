#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the manual pages of both programs from their help.

    manual_pages.py SERVER CTL FOLDER    writes layout-server.8, layoutctl.1 and layoutctl-COMMAND.1
"""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
from typing import Any


def text(value: str) -> str:
    """Text that roff shows as it is."""
    escaped = value.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in escaped.split("\n"))


def paragraphs(value: str) -> list[str]:
    """Running text; indented lines keep their breaks."""
    lines: list[str] = []
    for part in re.split(r"\n\s*\n", value.strip("\n")):
        if all(line.startswith(" ") for line in part.split("\n")):
            lines += [".PP", ".nf", ".RS 4", text(part), ".RE", ".fi"]
        else:
            lines += [".PP", text(part)]
    return lines


def page(name: str, section: int, version: str, abstract: str, body: list[str]) -> str:
    """A whole page."""
    head = [f'.TH "{name.upper()}" {section} "" "layout\\-server {version}"', ".SH NAME",
            f"{text(name)} \\- {text(abstract.strip().rstrip('.'))}"]
    return "\n".join(head + body) + "\n"


def argument_name(argument: dict[str, Any]) -> str:
    """What stands before an argument's explanation."""
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        return f"<{value}>"
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument["names"]]
    return ", ".join(names) + (f" <{value}>" if argument["kind"] == "option" else "")


def argument_lines(command: dict[str, Any]) -> list[str]:
    """The explanations of all arguments."""
    lines = []
    for argument in command.get("arguments", []):
        if not argument.get("shouldDisplay", True):
            continue
        about = " ".join(argument.get(part, "") for part in ("abstract", "discussion")).strip()
        if "defaultValue" in argument:
            about += f" Default: {argument['defaultValue']}."
        lines += [".TP", f"\\fB{text(argument_name(argument))}\\fR", text(about) or "\\&"]
    return lines


def synopsis(path: str, command: dict[str, Any]) -> list[str]:
    """How a command is called."""
    positional = [argument_name(argument) for argument in command.get("arguments", [])
                  if argument["kind"] == "positional" and argument.get("shouldDisplay", True)]
    rest = " ".join(["[options]", *positional])
    if any(sub["commandName"] != "help" for sub in command.get("subcommands", [])):
        rest = "<command> [options]"
    return [".SH SYNOPSIS", f"\\fB{text(path)}\\fR {text(rest)}"]


def command_pages(
        path: str, command: dict[str, Any], version: str, folder: pathlib.Path) -> list[str]:
    """Writes the page of a command, and those of its subcommands. Returns all their names."""
    body = synopsis(path, command)
    if command.get("discussion"):
        body += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
    arguments = argument_lines(command)
    if arguments:
        body += [".SH OPTIONS", *arguments]
    name, below = path.replace(" ", "-"), []
    commands = [sub for sub in command.get("subcommands", []) if sub["commandName"] != "help"]
    if commands:
        body.append(".SH COMMANDS")
    for sub in commands:
        below += command_pages(f"{path} {sub['commandName']}", sub, version, folder)
        body += [".TP", f"\\fB{text(name)}\\-{text(sub['commandName'])}\\fR(1)", text(sub["abstract"])]
    body += [".SH SEE ALSO", "\\fBlayout\\-server\\fR(8)"
             + ("" if " " not in path else ", \\fBlayoutctl\\fR(1)")]
    (folder / f"{name}.1").write_text(page(name, 1, version, command["abstract"], body))
    return [name, *below]


def server_page(server: str, version: str, folder: pathlib.Path) -> None:
    """Writes the page of the server, whose help has a line for each option."""
    shown = subprocess.run([server, "--help"], check=True, capture_output=True, text=True).stdout
    abstract, _, rest = shown.partition("\n\nusage:")
    body = [".SH SYNOPSIS", "\\fBlayout\\-server\\fR [\\-\\-OPTION VALUE]...", ".SH OPTIONS"]
    notes = []
    # Parts with a title, and options whose texts are on the lines after them; the last part has none.
    for part in rest.split("\n\n")[1:]:
        title, *lines = part.split("\n")
        if not title.endswith(":"):
            notes.append(" ".join(part.split()))
            continue
        body.append(f".SS {text(title[:-1])}")
        for line in lines:
            found = re.fullmatch(r"  (--\S+)( <\w+>)?", line)
            if found:
                value = f" \\fI{found[2].strip(' <>')}\\fR" if found[2] else ""
                body += [".TP", f"\\fB{text(found[1])}\\fR{value}"]
            else:
                body.append(text(line.strip()))
    abstract = " ".join(abstract.split())
    if notes:
        body += [".SH NOTES", *(part for note in notes for part in (".PP", text(note)))]
    body += [".SH FILES", ".TP", "/etc/layout\\-server/environment",
             "Options as variables, for the systemd unit.", ".SH SEE ALSO", "\\fBlayoutctl\\fR(1)"]
    (folder / "layout-server.8").write_text(page("layout-server", 8, version, abstract, body))


def main() -> None:
    """Writes all pages."""
    server, ctl, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(
        [ctl, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    shown = subprocess.run(
        [ctl, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    names = command_pages("layoutctl", json.loads(shown)["command"], version, folder)
    server_page(server, version, folder)
    print(f"{len(names) + 1} manual pages in {folder}")


main()
