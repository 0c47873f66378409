# SPDX-License-Identifier: Apache-2.0
"""The lint rules that are specific to this repository. Scripts/lint runs them from the root.

Scripts/lint-debt has the number of known findings of a rule. More findings are an error; if there are
fewer, lower the number.
"""

import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from swift_text import code_alone  # noqa: E402

DEBT = pathlib.Path("Scripts/lint-debt")
ALLOWED = pathlib.Path("Scripts/lint-allowed")


def swift_files(*folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.swift")):
            if "Generated" not in path.parts and ".build" not in path.parts:
                yield path


def matches(path, text, pattern):
    for match in re.finditer(pattern, text):
        yield path, text.count("\n", 0, match.start()) + 1, match.group(0).strip()


# MARK: Tests


def suites_without_time_limit():
    """A test that waits forever must fail within minutes. Swift Testing has no default time limit."""
    for path in swift_files("Tests", "Examples"):
        code = code_alone(path.read_text())
        for match in re.finditer(r"@Suite\b(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?", code):
            if ".timeLimit" not in match.group(0):
                yield path, code.count("\n", 0, match.start()) + 1, "suite without .timeLimit"
        if "@Test" in code and "@Suite" not in code and not re.search(r"^extension \w+Tests\b", code, re.M):
            yield path, 1, "tests outside of a suite"


def waits_without_event():
    """Tests must wait for events or inject the clock. Tests that sleep are slow or fail sporadically."""
    pattern = r"\bTask\.(yield|sleep)\b|\b(u|nano)?sleep\(|\bThread\.sleep\b|\.wait\(timeout:"
    for path in swift_files("Tests", "Examples"):
        yield from matches(path, code_alone(path.read_text()), pattern)


# MARK: Sources


def traps():
    """A trap ends the process for all clients. Scripts/lint-allowed lists exceptions with a reason."""
    pattern = (r"\b(fatalError|preconditionFailure|unsafeBitCast)\(|\bas!|\btry!"
               r"|@unchecked Sendable|\b(nonisolated|unowned)\(unsafe\)")
    allowed = {}
    for line in ALLOWED.read_text().splitlines():
        if line and not line.startswith("#"):
            entry, _, reason = line.partition(" -- ")
            path, _, what = entry.partition(" ")
            allowed[path, what.strip()] = bool(reason.strip())
    found = set()
    for path in swift_files("Sources"):
        for _, line, text in matches(path, code_alone(path.read_text()), pattern):
            text = text.rstrip("(")
            found.add((str(path), text))
            if not allowed.get((str(path), text)):
                yield path, line, f"{text} without a reason in {ALLOWED}"
    for path, text in set(allowed) - found:
        yield ALLOWED, 1, f"{path} {text} no longer exists"


def undocumented():
    """Public declarations without a documentation comment."""
    configuration = json.dumps({
        "version": 1, "rules": {"AllPublicDeclarationsHaveDocumentation": True}})
    output = subprocess.run(
        ["swift", "format", "lint", "--recursive", "--parallel", "--configuration", configuration,
         "Sources"], capture_output=True, text=True).stderr
    for line in output.splitlines():
        match = re.match(r"(.*?):(\d+):\d+: \w+: \[AllPublicDeclarationsHaveDocumentation\] (.*)", line)
        if match:
            yield match[1], int(match[2]), match[3]


def long_comments():
    """Comments have at most 100 columns, as code has. swift-format does not check them."""
    files = [pathlib.Path("Package.swift")]
    for path in [*files, *swift_files("Sources", "Tests", "Examples", "Benchmarks")]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if len(line) > 100 and line.lstrip().startswith("//"):
                yield path, number, f"{len(line)} columns"


# MARK: Protos


def uncommented_proto():
    """The protos are the reference for clients: every field must document unit, range and default."""
    configuration = json.dumps({
        "version": "v2", "lint": {"use": ["COMMENTS"], "ignore": ["grpc", "opentelemetry"]}})
    output = subprocess.run(
        ["buf", "lint", ".", "--config", configuration, "--error-format", "json"],
        capture_output=True, text=True, cwd="Protos")
    if output.stderr:
        sys.exit(output.stderr)
    for line in output.stdout.splitlines():
        finding = json.loads(line)
        yield "Protos/" + finding["path"], finding["start_line"], finding["message"]


# MARK: Everything


def words():
    """Texts must not contain issue numbers, paths of somebody's machine, or notes such as to-dos."""
    pattern = re.compile(
        r"\b(issue|defect|ticket)s? #?\d+\b|\b(TODO|FIXME|XXX|HACK)\b"
        r"|(?<![\w.~$}/-])/(work|home|root|Users)/[\w.]", re.I)
    own = {"Scripts/lib/rules.py"}
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                           capture_output=True, text=True, check=True).stdout.split("\n")
    for name in names:
        path = pathlib.Path(name)
        # Inputs of the fuzzers are bytes, whatever they look like.
        if not name or name in own or not path.is_file() or {"Generated", "Corpus"} & set(path.parts):
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        yield from matches(path, text, pattern)


RULES = [suites_without_time_limit, waits_without_event, traps, undocumented, long_comments,
         uncommented_proto, words]


def main():
    shows_all = "--list" in sys.argv[1:]
    debt = {}
    for line in DEBT.read_text().splitlines():
        if line and not line.startswith("#"):
            name, count = line.split()
            debt[name] = int(count)
    failed = False
    for rule in RULES:
        findings = list(rule())
        known = debt.get(rule.__name__, 0)
        if len(findings) > known or shows_all:
            for path, line, text in findings:
                print(f"{path}:{line}: {rule.__name__}: {text}")
        if len(findings) > known:
            print(f"{rule.__name__}: {len(findings)} found, at most {known} allowed: {rule.__doc__}")
            failed = True
        elif len(findings) < known:
            print(f"{rule.__name__}: {len(findings)} found; please lower {known} in {DEBT}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
