# SPDX-License-Identifier: Apache-2.0
"""Everything public has a docstring."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import collection_layout


def public(module: Any) -> Iterator[tuple[str, Any]]:
    """The public functions and classes of a module, and the methods of these."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", "") != module.__name__:
            continue
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            yield name, value
            for method, function in vars(value).items():
                if not method.startswith("_") and (
                        inspect.isfunction(function) or isinstance(function, (property, classmethod))):
                    yield f"{name}.{method}", function


def test_everything_public_is_documented() -> None:
    missing = []
    for found in pkgutil.iter_modules(collection_layout.__path__):
        if found.name.startswith("_") or found.name == "v1":
            continue
        module = importlib.import_module(f"collection_layout.{found.name}")
        assert module.__doc__, found.name
        missing += [f"{found.name}.{name}" for name, value in public(module)
                    if not inspect.getdoc(value)]
    assert missing == []


def test_what_the_package_offers_exists() -> None:
    for name in collection_layout.__all__:
        assert getattr(collection_layout, name) is not None
