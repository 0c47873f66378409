#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders Markdown as the pages of the site, and checks that their links lead somewhere.

    site_pages.py ROOT CONTRACT SITE

ROOT is the repository, CONTRACT the folder with the contract's pages, SITE the folder of the site, in which `swift`
may hold documentation by DocC already.
"""

from __future__ import annotations

import html
import pathlib
import re
import shutil
import sys

import markdown

# Where each page of the site comes from, in the order of the navigation.
SECTIONS: list[tuple[str, list[tuple[str, str, str]]]] = [
    ("Begin", [
        ("index.html", "README.md", "Overview"),
        ("guides/first-renderer.html", "Documentation/guides/first-renderer.md", "A first renderer"),
        ("guides/first-page.html", "Documentation/guides/first-page.md", "A first page"),
        ("guides/index.html", "Documentation/guides/README.md", "All guides"),
    ]),
    ("Layouts", [
        ("layouts.html", "Documentation/layouts.md", "Every layout"),
        ("gallery/index.html", "Documentation/gallery/README.md", "Gallery"),
        ("guides/layout-in-python.html", "Documentation/guides/layout-in-python.md", "A layout in Python"),
        ("guides/layout-in-javascript.html", "Documentation/guides/layout-in-javascript.md",
         "A layout in JavaScript"),
        ("guides/layout-in-go-and-swift.html", "Documentation/guides/layout-in-go-and-swift.md",
         "A layout in Go or Swift"),
        ("guides/own-layout.html", "Documentation/guides/own-layout.md", "A layout of one's own"),
        ("guides/own-layouts.html",
         "Sources/CollectionLayouts/CollectionLayouts.docc/CreatingCustomLayouts.md", "All about them"),
    ]),
    ("Clients", [
        ("protocol.html", "Documentation/protocol.md", "The protocol"),
        ("live.html", "Documentation/live.md", "Live data"),
        ("websocket.html", "Documentation/websocket.md", "WebSockets"),
        ("clients/python.html", "Clients/python/README.md", "Python"),
        ("clients/web.html", "Clients/web/README.md", "Browsers"),
        ("clients/go.html", "Clients/go/README.md", "Go"),
        ("clients/cpp.html", "Clients/cpp/README.md", "C++"),
    ]),
    ("Operating", [
        ("operating.html", "Documentation/operating.md", "Operating a server"),
        ("security.html", "Documentation/security.md", "Security"),
        ("servers.html", "Documentation/servers.md", "Several servers"),
        ("scale.html", "Documentation/scale.md", "Scale"),
        ("benchmarks.html", "Documentation/benchmarks.md", "Benchmarks"),
        ("layoutctl.html", "Documentation/layoutctl.md", "layoutctl"),
    ]),
    ("Reference", [
        ("contract/index.html", "", "The contract"),
        ("contract-versions.html", "Documentation/contract.md", "Its versions"),
        ("architecture.html", "Documentation/architecture.md", "Architecture"),
        ("changes.html", "CHANGELOG.md", "Changes"),
    ]),
]


class Site:
    """All pages and what they link to."""

    def __init__(self, root: pathlib.Path, contract: pathlib.Path, site: pathlib.Path) -> None:
        self.root, self.contract, self.site = root, contract, site
        self.modules = sorted(path.name for path in (site / "swift").glob("*") if path.is_dir())
        # The page of each file of the repository.
        self.pages = {root / source: target for _, entries in SECTIONS for target, source, _ in entries if source}
        self.anchors: dict[str, set[str]] = {}
        self.links: list[tuple[str, str]] = []

    def render(self, target: str, text: str, source: pathlib.Path | None) -> None:
        """Writes a page."""
        renderer = markdown.Markdown(extensions=["fenced_code", "tables", "toc", "def_list", "sane_lists"],
                                     extension_configs={"toc": {"slugify": slug}})
        body = re.sub(r'(href|src)="([^"]*)"', lambda m: self.link(m, target, source), renderer.convert(text))
        title = re.sub("<.*?>", "", next(iter(re.findall(r"<h1[^>]*>(.*?)</h1>", body)), target))
        up = "../" * target.count("/")
        page = (
            f'<!doctype html>\n<html lang="en"><meta charset="utf-8">\n<title>{title}</title>\n'
            '<meta name="viewport" content="width=device-width">\n'
            f'<link rel="stylesheet" href="{up}page.css">\n'
            f"<nav>{self.navigation(up)}</nav>\n<main>\n{body}\n</main>\n</html>\n")
        self.anchors[target] = set(re.findall(r'id="([^"]+)"', page))
        path = self.site / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page)

    def navigation(self, up: str) -> str:
        """The links on the left."""
        parts = []
        for title, entries in SECTIONS:
            links = "".join(f'<a href="{up}{target}">{html.escape(name)}</a>' for target, _, name in entries)
            parts.append(f"<h2>{title}</h2>{links}")
        if self.modules:
            links = "".join(f'<a href="{up}swift/{module}/documentation/{module.lower()}/">{module}</a>'
                            for module in self.modules)
            parts.append(f"<h2>Swift</h2>{links}")
        return "".join(parts)

    def link(self, match: re.Match[str], target: str, source: pathlib.Path | None) -> str:
        """A link of a page of the repository as one of the site."""
        kind, address = match[1], html.unescape(match[2])
        if re.match(r"[a-z]+:", address):
            return match[0]
        up, (path, _, anchor) = "../" * target.count("/"), address.partition("#")
        if not path or source is None:
            self.links.append((target, address if path else f"{target.rsplit('/', 1)[-1]}#{anchor}"))
            return match[0]
        file = (source.parent / path).resolve()
        if file in self.pages:
            found = self.pages[file] + (f"#{anchor}" if anchor else "")
            self.links.append((target, up + found))
            return f'{kind}="{up}{found}"'
        if file.suffix in (".svg", ".png") and file.is_file():
            copy = pathlib.Path("images") / file.relative_to(self.root).as_posix().replace("/", "-")
            (self.site / "images").mkdir(exist_ok=True)
            shutil.copyfile(file, self.site / copy)
            return f'{kind}="{up}{copy}"'
        if file.is_relative_to(self.root / "Protos"):
            return f'{kind}="{up}contract/index.html"'
        if not file.exists():
            raise SystemExit(f"{source.relative_to(self.root)}: {address} does not exist")
        # A file of the repository that is no page of the site.
        return f'title="{html.escape(str(file.relative_to(self.root)))}"'

    def check(self) -> None:
        """Fails where a link of the site leads nowhere."""
        wrong = []
        for page, address in self.links:
            path, _, anchor = address.partition("#")
            found = (self.site / page).parent.joinpath(path).resolve()
            name = found.relative_to(self.site.resolve()).as_posix()
            if not found.exists() or (anchor and anchor not in self.anchors.get(name, {anchor})):
                wrong.append(f"{page}: {address}")
        if wrong:
            raise SystemExit("links that lead nowhere:\n" + "\n".join(wrong))

    def write(self) -> None:
        """Writes all pages."""
        shutil.copyfile(self.root / "Documentation/site/page.css", self.site / "page.css")
        for source, target in self.pages.items():
            self.render(target, source.read_text(), source)
        for source in sorted(self.contract.glob("*.md")):
            self.render(f"contract/{source.stem}.html", source.read_text(), None)
        self.check()
        print(f"{len(self.anchors)} pages, {len(self.links)} links, {len(self.modules)} Swift modules")


def slug(text: str, separator: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"\s", separator, re.sub(r"[^\w\s-]", "", text.strip().lower()))


Site(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:4])).write()
