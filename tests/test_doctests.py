"""The examples in the docstrings hold."""

import doctest
import importlib
from pathlib import Path

import pytest

import noctagon

SOURCE = Path(noctagon.__file__).parent
MODULES = [
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
    if "    >>> " in path.read_text("utf-8") or "\n>>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name: str) -> None:
    failed, examples = doctest.testmod(importlib.import_module(name))
    assert examples
    assert failed == 0
