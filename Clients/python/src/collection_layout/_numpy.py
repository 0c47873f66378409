# SPDX-License-Identifier: Apache-2.0
"""numpy where it is installed; None otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    numpy: Any
else:
    try:
        import numpy
    except ImportError:
        numpy = None
