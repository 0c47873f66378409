# SPDX-License-Identifier: Apache-2.0
"""Reads the index that `swift build` writes, through the toolchain's libIndexStore.

Contains only what Scripts/unused needs: the occurrences of symbols, with their roles and relations. The
constants are those of indexstore.h, which is part of the toolchain.
"""

import ctypes
import dataclasses
import pathlib
import shutil

DECLARATION, DEFINITION, REFERENCE, READ = 1 << 0, 1 << 1, 1 << 2, 1 << 3
IMPLICIT = 1 << 8
CHILD_OF, OVERRIDE_OF, CALLED_BY = 1 << 9, 1 << 11, 1 << 13
ACCESSOR_OF, CONTAINED_BY = 1 << 15, 1 << 16

KINDS = {
    5: "enum", 6: "struct", 7: "class", 8: "protocol", 9: "extension", 11: "typealias",
    12: "function", 13: "variable", 14: "field", 15: "case", 16: "method", 17: "class method",
    18: "static method", 19: "property", 20: "class property", 21: "static property",
    22: "initializer", 23: "deinitializer", 25: "parameter",
}
SUBSCRIPT, ASSOCIATED_TYPE, GENERIC_PARAMETER = 1011, 1012, 1013

_RECORD = 2  # among the kinds of a unit's dependencies


@dataclasses.dataclass(frozen=True)
class Symbol:
    usr: str
    name: str
    kind: str
    subkind: int

@dataclasses.dataclass(frozen=True)
class Occurrence:
    symbol: Symbol
    roles: int
    path: str
    line: int
    column: int
    # Pairs of roles and the symbol's USR.
    relations: tuple


class _String(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


_APPLIER = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
_NAME_APPLIER = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, _String)


class IndexStore:
    def __init__(self, path):
        swift = shutil.which("swift")
        assert swift, "swift is not on PATH"
        library = pathlib.Path(swift).resolve().parent.parent / "lib" / "libIndexStore.so"
        self._library = ctypes.CDLL(str(library))
        self._symbols = {}
        error = ctypes.c_void_p()
        self._store = self._call(
            "store_create", ctypes.c_void_p, str(path).encode(), ctypes.byref(error))
        assert self._store, f"cannot open {path}"

    def _call(self, name, result, *arguments):
        function = getattr(self._library, "indexstore_" + name)
        function.restype = result
        return function(*[
            ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments])

    def _each(self, name, applier, receiver, *arguments):
        """Calls `receiver` for each value, and raises the first exception of a call."""
        failures = []

        def apply(_, value):
            try:
                receiver(value)
            except Exception as failure:
                failures.append(failure)
            return not failures

        self._call(name, ctypes.c_bool, *arguments, ctypes.c_void_p(), applier(apply))
        if failures:
            raise failures[0]

    def units(self):
        """Pairs of a main file and the names of its records."""
        names = []
        self._each("store_units_apply_f", _NAME_APPLIER, lambda name: names.append(str(name)),
                   self._store, ctypes.c_uint(0))
        for name in names:
            reader = self._call("unit_reader_create", ctypes.c_void_p, self._store, name.encode(),
                                ctypes.byref(ctypes.c_void_p()))
            if not reader:
                continue
            main = str(self._call("unit_reader_get_main_file", _String, reader))
            records = []

            def note(dependency):
                if self._call("unit_dependency_get_kind", ctypes.c_int, dependency) == _RECORD:
                    path = str(self._call("unit_dependency_get_filepath", _String, dependency))
                    if path == main:
                        records.append(
                            str(self._call("unit_dependency_get_name", _String, dependency)))

            self._each("unit_reader_dependencies_apply_f", _APPLIER, note, reader)
            self._call("unit_reader_dispose", None, reader)
            yield main, records

    def occurrences(self, path, record):
        """The occurrences in a record; `path` is the source file to which it belongs."""
        reader = self._call("record_reader_create", ctypes.c_void_p, self._store, record.encode(),
                            ctypes.byref(ctypes.c_void_p()))
        if not reader:
            return []
        found = []

        def note(occurrence):
            relations = []
            self._each(
                "occurrence_relations_apply_f", _APPLIER,
                lambda relation: relations.append((
                    self._call("symbol_relation_get_roles", ctypes.c_uint64, relation),
                    self._symbol(self._call(
                        "symbol_relation_get_symbol", ctypes.c_void_p, relation)).usr)),
                occurrence)
            line, column = ctypes.c_uint(), ctypes.c_uint()
            self._call("occurrence_get_line_col", None, occurrence, ctypes.byref(line),
                       ctypes.byref(column))
            found.append(Occurrence(
                self._symbol(self._call("occurrence_get_symbol", ctypes.c_void_p, occurrence)),
                self._call("occurrence_get_roles", ctypes.c_uint64, occurrence),
                path, line.value, column.value, tuple(relations)))

        self._each("record_reader_occurrences_apply_f", _APPLIER, note, reader)
        self._call("record_reader_dispose", None, reader)
        return found

    def _symbol(self, symbol):
        usr = str(self._call("symbol_get_usr", _String, symbol))
        known = self._symbols.get(usr)
        if known is None:
            kind = self._call("symbol_get_kind", ctypes.c_int, symbol)
            known = self._symbols[usr] = Symbol(
                usr, str(self._call("symbol_get_name", _String, symbol)),
                KINDS.get(kind, str(kind)),
                self._call("symbol_get_subkind", ctypes.c_int, symbol))
        return known
