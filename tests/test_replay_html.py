"""A replay as one file: everything is in it, nothing in it is taken for markup, and it stays small."""

from __future__ import annotations

import base64
import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from noctagon.core.game import NoctagonError
from noctagon.core.player import Thought
from noctagon.web.records.standalone import STATIC, bundle, embedded, html, script
from tests.command import noctagon
from tests.web.recorded import blundered, random_game

HOSTILE = "</script><script>alert(1)</script><!-- {{script}} \u2028 \"'>&amp;<img src=x onerror=alert(1)>"


def content_of(page: str) -> Any:
    """What the page's script reads."""
    (found,) = re.findall(r'<script type="application/json" id="game">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


def test_hostile_names_stay_text() -> None:
    record = msgspec.structs.replace(blundered(), players=(HOSTILE, HOSTILE), setup=HOSTILE)
    page = html(record)
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert "<!--" not in page
    assert content_of(page)["replay"]["players"] == [HOSTILE, HOSTILE]


def test_embedded_json_means_the_same() -> None:
    told = json.dumps(HOSTILE, ensure_ascii=False)
    assert json.loads(embedded(told)) == HOSTILE
    assert "<" not in embedded(told)


def test_the_policy_allows_this_script_and_style_and_nothing_else() -> None:
    page = html(blundered())
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for kind, pattern in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
        (found,) = re.findall(pattern, page, re.DOTALL)
        digest = base64.b64encode(sha256(found.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', page) == []
    assert "url(" not in page


def test_a_long_game_on_a_large_map_is_small() -> None:
    line = tuple("13,13>12,12:7 13,13>12,14:8 2,2>3,3:7" for _ in range(12))
    match = random_game(
        "vampires", "wilds", plies=200, thought=Thought(depth=12, nodes=10**6, score=1.5, line=line)
    )
    assert len(match.turns) == 200
    assert len(html(match.record()).encode()) < 1_000_000


def test_every_frame_and_the_evaluation_are_in_it() -> None:
    from noctagon.web.records.evaluating import evaluate

    record = blundered()
    content = content_of(html(record, evaluate(record, 0.05)))
    assert [frame["action"] for frame in content["replay"]["frames"]] == ["A1 A2", "E3 E4"]
    assert [point["mark"] for point in content["evaluation"]] == ["blunder", "", ""]
    assert '<symbol id="noctagon-wargame-virus"' in content["symbols"]


def test_modules_become_one_script() -> None:
    whole = script()
    assert re.search(r"^\s*(import|export)\b", whole, re.MULTILINE) is None
    assert "const module_board = (() => {" in whole
    assert whole.index("const module_element =") < whole.index("const module_board =")


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ('import x from "./other.js";', "cannot be put into one file"),
        ('import * as x from "./other.js";', "cannot be put into one file"),
        ('const x = await import("./other.js");', "cannot be put into one file"),
        ("export let x = 1;", "cannot be put into one file"),
        ("export default 1;", "cannot be put into one file"),
        ('const x = "</script>";', "cannot be put into one file"),
        ('import { a } from "./entry.js";', "imports itself"),
    ],
)
def test_what_the_bundler_does_not_understand_is_refused(tmp_path: Path, source: str, complaint: str) -> None:
    (tmp_path / "entry.js").write_text(source)
    (tmp_path / "other.js").write_text("export const x = 1;")
    with pytest.raises(NoctagonError, match=complaint):
        bundle(tmp_path, "entry.js")


def test_what_it_understands(tmp_path: Path) -> None:
    (tmp_path / "entry.js").write_text(
        'import { one, make as create } from "./other.js";\nimport {\n  two,\n} from "./other.js";\nf(one, create);'
    )
    (tmp_path / "other.js").write_text(
        "export const one = 1, two = 2;\nexport async function make() {}\nexport class Two {}\n"
    )
    with pytest.raises(NoctagonError, match=r"imports 'two', which other\.js does not export"):
        bundle(tmp_path, "entry.js")
    (tmp_path / "other.js").write_text(
        "export const one = 1;\nexport const two = 2;\nexport async function make() {}\nexport class Two {}\n"
    )
    whole = bundle(tmp_path, "entry.js")
    assert "const { one, make: create } = module_other;" in whole
    assert "return { one, two, make, Two };" in whole


def test_the_template_has_all_its_places() -> None:
    template = (STATIC / "standalone.html").read_text()
    assert set(re.findall(r"\{\{(\w+)\}\}", template)) == {"title", "policy", "style", "game", "script"}


def test_the_command_writes_it(tmp_path: Path) -> None:
    record, out = tmp_path / "game.json", tmp_path / "out.html"
    record.write_bytes(blundered().to_json() + b"\n" + random_game(plies=4).record().to_json() + b"\n")
    told, _ = noctagon("replay", str(record), "--html", str(out), "--evaluate", "0.05")
    assert f"wrote {out}" in told
    assert "game 1 of 2" in told
    content = content_of(out.read_text(encoding="utf-8"))
    assert content["evaluation"][0]["best"] == "A1 A0"
    noctagon("replay", str(record), "--html", str(out), "--game", "2")
    assert content_of(out.read_text(encoding="utf-8"))["replay"]["game"] == "vampires"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--evaluate", "1"], "--evaluate goes with --html"),
        (["--html", "out.html", "--evaluate", "0"], "more than 0 seconds"),
        (["--html", "out.html", "--evaluate", "nan"], "more than 0 seconds"),
        (["--html", "out.html", "--ply", "1"], "leave out --ply"),
        (["--html", "out.html", "--game", "2"], "holds 1 game, so there is no game 2"),
        (["--html", "."], "is a folder"),
        (["--html", "nowhere/out.html"], "there is no folder"),
        (["--html", "game.json"], "game.json exists already and does not end in .html"),
    ],
)
def test_bad_wishes_are_told(tmp_path: Path, words: list[str], complaint: str) -> None:
    (tmp_path / "game.json").write_bytes(blundered().to_json())
    _, err = noctagon("replay", "game.json", *words, code=2, cwd=tmp_path)
    assert complaint in " ".join(err.split())
    assert not (tmp_path / "out.html").exists()


def test_a_game_that_is_not_installed(tmp_path: Path) -> None:
    record = tmp_path / "game.json"
    record.write_bytes(msgspec.structs.replace(blundered(), game="chess").to_json())
    _, err = noctagon("replay", str(record), "--html", str(tmp_path / "out.html"), code=2)
    assert "chess" in err
