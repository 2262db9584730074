"""Compilation by Numba: explicit signatures, compiled once, in several processes at a time, without the GIL.

    from noctagon.compiled.jit import Int, Record, compiled, entry

    State = Record(np.dtype([("ply", np.int32)]))

    @compiled
    def advance(s: State, plies: Int) -> Int: ...

    @entry
    def advance_twice(s: State) -> Int: ...

The signature is built from the annotations. Defining a kernel compiles nothing: `prepare()` imports the modules that a
caller needs and compiles what they define, or takes it from the cache. A `Record` of several layouts with the same
field names compiles the same source once for each; all but the first are left to `complete()`. With
`NUMBA_DISABLE_JIT=1` everything runs as plain Python.

Compiling is the wait of the first minute, so it does no work twice. Numba would copy each function's code into all of
its callers and optimise it there again; here a caller gets the code of small functions, for inlining, and calls the
large ones by their symbol. And only an `entry` has the wrapper by which Python calls it.
"""

import contextlib
import functools
import gc
import hashlib
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numba
import numpy as np
from llvmlite import binding
from numba import types
from numba.core import caching, config, registry, serialize, typing
from numba.core.compiler import Compiler, CompileResult
from numba.core.runtime import rtsys

from noctagon.compiled import ALONE, cache

F = TypeVar("F", bound=Callable[..., Any])

if TYPE_CHECKING:  # without compilation a number is Python's or NumPy's
    Int: TypeAlias = Any
    Float: TypeAlias = Any
    Bool: TypeAlias = Any
    Nothing: TypeAlias = None
    Bytes: TypeAlias = np.ndarray[Any, Any]
    Ints: TypeAlias = np.ndarray[Any, Any]
    Longs: TypeAlias = np.ndarray[Any, Any]
    Floats: TypeAlias = np.ndarray[Any, Any]
    Rows: TypeAlias = np.ndarray[Any, Any]
else:
    Int = types.int64
    Float = types.float64
    Bool = types.boolean
    Nothing = types.void
    Bytes = types.Array(types.uint8, 1, "C")
    Ints = types.Array(types.int32, 1, "C")
    Longs = types.Array(types.int64, 1, "C")
    Floats = types.Array(types.float64, 1, "C")
    Rows = types.Array(types.int32, 2, "C")

INLINED = 400
"""Largest size, in LLVM's instructions, of a function whose code its callers get: of larger ones LLVM inlines few."""
HELPED = 12
"""Smallest number of functions to compile for which other processes are started to help."""
HELPERS = 3
"""Largest number of processes that help."""


class Record:
    """The type of a kernel's state: one NumPy record, in one layout or several with the same field names."""

    def __init__(self, *layouts: np.dtype[Any]) -> None:
        self.types = [numba.from_dtype(layout) for layout in layouts]

    @staticmethod
    def new(layout: np.dtype[Any]) -> Any:
        """Return an empty record of a layout, for compiled and plain code alike."""
        return np.zeros(1, layout).view(np.recarray)[0]


def compiled(function: F) -> F:
    """Define a function that compiled code calls, with the types that it is annotated with."""
    return _define(function, from_python=False)


def entry(function: F) -> F:
    """Define a compiled function that Python calls, too."""
    return _define(function, from_python=True)


def _define(function: F, *, from_python: bool) -> F:
    if config.DISABLE_JIT:
        return function
    kernel = Kernel(function, from_python=from_python)
    _waiting.append((kernel, 0))
    _waiting_larger.extend((kernel, layout) for layout in range(1, len(kernel.declared)))
    return kernel


class Kernel(registry.CPUDispatcher):  # type: ignore[misc] # numba has no types
    """A compiled function: machine code for each layout of its records, once it is `ready` there."""

    def __init__(self, function: Callable[..., Any], *, from_python: bool) -> None:
        options = {
            "nopython": True,
            "nogil": True,
            "boundscheck": None,
            "error_model": "numpy",
            "no_cpython_wrapper": not from_python,
            "no_cfunc_wrapper": not from_python,  # by which it is passed as an argument
        }
        super().__init__(function, targetoptions=options, pipeline_class=_SteadyNames)
        self.from_python = from_python
        self.declared = _signatures(function)
        self.ready: set[int] = set()
        self._cache = _Kept(self)

    @functools.cached_property
    def callees(self) -> tuple["Kernel", ...]:
        """The kernels that this one's source names."""
        found = _kernels_named(self.py_func.__code__, self.py_func.__globals__)
        return tuple(kernel for kernel in found if kernel is not self)

    def callees_ready(self, layout: int) -> bool:
        """Return whether all that this kernel calls is ready."""
        return all(min(layout, len(callee.declared) - 1) in callee.ready for callee in self.callees)

    def load(self, layout: int) -> bool:
        """Take the machine code for a layout from the cache; return False if it is not there."""
        result = self._cache.load_overload(self.declared[layout], self.targetctx)
        if result is None:
            return False
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.add_overload(result)
        self._finish(layout)
        return True

    def build(self, layout: int) -> None:
        """Compile for a layout, and keep the result."""
        self._can_compile = True
        _building.append(self)
        try:
            self.compile(self.declared[layout])
        finally:
            _building.pop()
        self._finish(layout)

    def _finish(self, layout: int) -> None:
        self.ready.add(layout)
        self._can_compile = not self.from_python  # once it cannot, Python's numbers are converted as declared

    def add_overload(self, result: CompileResult) -> None:
        """Offer a result to compiled callers, and to Python if this is an entry."""
        if result.library._shared_module is None:  # fresh from the compiler
            result.library._shared_module = _for_callers(result)
        if self.from_python:
            super().add_overload(result)
        else:
            self.overloads[tuple(result.signature.args)] = result

    def get_call_template(self, arguments: Any, named: Any) -> Any:
        """Return how compiled code calls this function: with its declared types and no others."""
        if _building and self not in (_building[-1], *_building[-1].callees):
            raise AssertionError(
                f"{_building[-1].__name__} calls {self.__name__}, which its source does not name"
            )
        signature, arguments = self._compiler.fold_argument_types(arguments, named)
        name = self.py_func.__name__
        template = typing.make_concrete_template(f"Call of {name}", name, self.nopython_signatures)
        return template, signature, arguments, {}

    def get_compile_result(self, signature: Any) -> CompileResult:
        """Return the machine code when Python passes this function to another."""
        if not self.ready:
            _compile(_waiting)
        return super().get_compile_result(signature)

    def _compile_for_args(self, *arguments: Any, **named: Any) -> "Kernel":
        """Return what Python calls instead of a function without machine code, or without the wrapper for it."""
        _compile(_waiting)
        assert self.ready, f"{self.__name__} was not compiled"
        return self if self.from_python else self._for_python

    @functools.cached_property
    def _for_python(self) -> "Kernel":
        """The same function as an entry: for tests and experiments, which may call anything."""
        kernel = Kernel(self.py_func, from_python=True)
        for layout in sorted(self.ready):
            if not kernel.load(layout):
                kernel.build(layout)
        return kernel


_waiting: list[tuple[Kernel, int]] = []
_waiting_larger: list[tuple[Kernel, int]] = []
_building: list[Kernel] = []
"""The kernel that is being compiled, if any."""
_compiling = threading.RLock()


def _signatures(function: Callable[..., Any]) -> list[Any]:
    """Return a function's signature for each layout of its records."""
    annotations = dict(function.__annotations__)
    result = annotations.pop("return")
    layouts = max((len(kind.types) for kind in annotations.values() if isinstance(kind, Record)), default=1)
    return [
        result(*(kind.types[layout] if isinstance(kind, Record) else kind for kind in annotations.values()))
        for layout in range(layouts)
    ]


def _kernels_named(code: CodeType, names: dict[str, Any]) -> Iterator[Kernel]:
    """Yield the kernels that a function's code names, by themselves or as a module's."""
    for name in code.co_names:
        value = names.get(name)
        if isinstance(value, Kernel):
            yield value
        elif isinstance(value, ModuleType):
            members = (value.__dict__.get(member) for member in code.co_names)
            yield from (member for member in members if isinstance(member, Kernel))
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _kernels_named(inner, names)


class _SteadyNames(Compiler):  # type: ignore[misc] # numba has no types
    """Numba's compiler, but a function has the same symbol in every process: what one compiled, others call."""

    def _compile_bytecode(self) -> CompileResult:
        self.state.func_id.unique_id = 2 if not self.state.flags.no_cpython_wrapper else 1
        return super()._compile_bytecode()


def _for_callers(result: CompileResult) -> Any:
    """Return the LLVM module that callers link with: a small function's code for inlining, of a large one nothing."""
    module = result.library._final_module
    function = module.get_function(result.fndesc.mangled_name)
    size = sum(1 for block in function.blocks for _ in block.instructions)
    if size > INLINED:
        described = result.fndesc
        wrappers = {described.llvm_cpython_wrapper_name, described.llvm_cfunc_wrapper_name}
        named = sorted(wrappers & {each.name for each in module.functions})  # by these Python finds them
        return binding.parse_assembly(
            "\n".join(f'define available_externally void @"{name}"() {{ unreachable }}' for name in named)
        )
    module = module.clone()
    for each in module.functions:
        if not each.is_declaration and each.linkage == binding.Linkage.external:
            each.linkage = "available_externally"  # for inlining; the symbol stays the one of its own module
    return module


class _Kept(caching.NullCache):  # type: ignore[misc] # numba has no types
    """A kernel's machine code in the folder of `cache`, one file for each layout."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def name(self, layout: int) -> str:
        function = self.kernel.py_func
        kind = "entry" if self.kernel.from_python else "inner"
        source = _hash_of(function.__code__.co_filename)
        return f"{function.__module__}.{function.__qualname__}.{source}.{kind}.{layout}"

    def load_overload(self, signature: Any, context: Any) -> CompileResult | None:
        content = cache.read(self.name(self.kernel.declared.index(signature)))
        if content is None:
            return None
        rtsys.initialize(context)  # all of Numba that machine code needs
        return CompileResult._rebuild(context, *pickle.loads(content))

    def save_overload(self, signature: Any, result: CompileResult) -> None:
        content = serialize.dumps(result._replace(type_annotation="")._reduce())
        cache.keep(self.name(self.kernel.declared.index(signature)), content)


@functools.cache
def _hash_of(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]


def prepare(what: str, *modules: str) -> None:
    """Import modules and compile what they define, or take it from the cache; announce `what` if it takes long."""
    for module in modules:
        import_module(module)
    if not config.DISABLE_JIT:
        _compile(_waiting, what)
    gc.freeze()  # keeps the collector from walking all of Numba in a turn: 0.1 s


def complete() -> None:
    """Compile, or take from the cache, every function for its other layouts."""
    _compile(_waiting_larger, "larger boards")


def _compile(waiting: list[tuple[Kernel, int]], what: str = "") -> None:
    """Compile what waits, callees first, together with every other process that compiles the same."""
    with _compiling:
        for kernel, layout in tuple(waiting):  # callees were defined first
            if kernel.callees_ready(layout) and kernel.load(layout):
                waiting.remove((kernel, layout))  # one by one: another thread may define more meanwhile
        if waiting:
            total = len(waiting)
            with _progress(what, total) as report, _helped(waiting), _without_garbage_collection():
                while waiting:
                    _compile_one(waiting)
                    report(total - len(waiting))


def _compile_one(waiting: list[tuple[Kernel, int]]) -> None:
    """Compile the first function that no other process is compiling; if there is none, wait for the first."""
    possible = [(kernel, layout) for kernel, layout in waiting if kernel.callees_ready(layout)]
    if not possible:
        kernel, layout = waiting[0]
        raise AssertionError(f"{kernel.__name__}, layout {layout}, calls what is not ready: {kernel.callees}")
    for (kernel, layout), wait in (*((one, False) for one in possible), (possible[0], True)):
        with cache.claim(kernel._cache.name(layout), wait=wait) as claimed:
            if claimed:
                if not kernel.load(layout):
                    kernel.build(layout)
                waiting.remove((kernel, layout))
                return


@contextlib.contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Report on the error stream what is compiled and how far it is; with an empty `what`, only to the watchers."""
    started = time.monotonic()
    line = f"Compiling {what}, this one time only …"
    counts = sys.stderr.isatty() and len(f"{line} {total} of {total}") < shutil.get_terminal_size().columns

    def write(text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a closed error stream is no reason to fail
            print(text, end="", file=sys.stderr, flush=True)

    def report(done: int) -> None:
        for watcher in watchers:
            watcher(what, done, total)
        if what and counts:
            write(f"\r{line} {done} of {total}")

    if what:
        write(line)
    report(0)
    try:
        yield report
    except BaseException:
        if what:
            write("\n")
        raise
    if what:
        write(f" done in {time.monotonic() - started:.0f} s\n")
        for problem in cache.problems:
            write(f"It cannot be kept for the next time: {problem}\n")
        cache.problems.clear()


watchers: list[Callable[[str, int, int], None]] = []
"""Called with what is compiled, how many functions are ready, and how many there are, as each becomes ready."""


@contextlib.contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Collect no garbage for a while: Numba makes much that lasts, and walking it costs a tenth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextlib.contextmanager
def _helped(missing: Sequence[tuple[Kernel, int]]) -> Iterator[None]:
    """Let other processes compile the same, each function in one of them, while this one does."""
    helpers: list[subprocess.Popen[bytes]] = []
    if len(missing) >= HELPED and cache.folder() is not None and ALONE not in os.environ:
        modules = list(dict.fromkeys(kernel.__module__ for kernel, _ in missing))
        larger = str(max(layout for _, layout in missing))
        command = [sys.executable, "-P", "-m", "noctagon.compiled.helper", larger, *modules]
        environment = {**os.environ, ALONE: "1"}
        none = subprocess.DEVNULL
        with contextlib.suppress(OSError):
            for _ in range(min(HELPERS, _cores() - 1)):
                helpers += [subprocess.Popen(command, env=environment, stdin=none, stdout=none, stderr=none)]
    try:
        yield
    finally:
        for helper in helpers:
            helper.kill()
            helper.wait()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
