# SPDX-License-Identifier: Apache-2.0
"""Client of the collection layout server.

`Client` and `AsyncClient` make collections and open viewers, which hold the live elements of a collection.
`contents` makes contents from columns, `layouts` has a function for each layout, `updates` one for each
edit, and `collection_layout.v1` has the messages of the protocol.
"""

from collection_layout import layouts, updates
from collection_layout._build import FieldError
from collection_layout._credentials import Token
from collection_layout.async_client import AsyncClient
from collection_layout.async_viewer import AsyncViewer
from collection_layout.client import Client
from collection_layout.data import (
    Items, SectionColumns, contents, import_parts, items, section)
from collection_layout.errors import (
    AccessError, AlreadyExistsError, ConflictError, DeadlineError, FrameError, InvalidArgumentError,
    LayoutError, NotFoundError, OutOfRangeError, QuotaError, UnavailableError, Violation,
    WrongStateError)
from collection_layout.machine import Answer, Machine
from collection_layout.mirror import Element, Elements, Frame, Mirror, Rect
from collection_layout.server import LayoutServer
from collection_layout.viewer import Viewer

__all__ = [
    "AccessError", "AlreadyExistsError", "Answer", "AsyncClient", "AsyncViewer", "Client", "ConflictError",
    "DeadlineError", "Element", "Elements", "FieldError", "Frame", "FrameError", "InvalidArgumentError",
    "Items", "LayoutError", "LayoutServer", "Machine", "Mirror", "NotFoundError", "OutOfRangeError",
    "QuotaError", "Rect", "SectionColumns", "Token", "UnavailableError", "Viewer", "Violation",
    "WrongStateError", "contents", "import_parts", "items", "layouts", "section", "updates",
]
