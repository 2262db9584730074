"""The table of mutants fits the source: each old text is there once, and the tests that must notice are there."""

import ast
from pathlib import Path

from lab.mutants import ROOT, SOURCE, mutated, read_mutants


def names_of_tests(path: Path) -> set[str]:
    return {
        node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)
    }


def test_every_mutant_changes_what_is_there_once() -> None:
    for mutant in read_mutants():
        ast.parse(mutated(mutant))
        assert mutated(mutant) != (SOURCE / mutant.file).read_text("utf-8")


def test_the_tests_that_must_notice_are_there() -> None:
    for mutant in read_mutants():
        for test in mutant.tests:
            file, _, name = test.partition("::")
            assert not name or name.partition("[")[0] in names_of_tests(ROOT / "tests" / file), test
