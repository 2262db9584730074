"""The examples in the docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import noctagon

MODULES = [
    module.name
    for module in pkgutil.walk_packages(noctagon.__path__, "noctagon.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0
