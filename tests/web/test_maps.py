"""Maps on the page: checked in words, written and read in the course's format, made up, played."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from noctagon.core.maps import MapChecked
from noctagon.games.vampires.maps.map import bundled_maps, parse_map, write_map
from tests.web.page import Page

DRAWN = {
    "rows": 5,
    "columns": 10,
    "humans": [[2, 2, 4], [7, 2, 4]],
    "vampires": [9, 4, 8],
    "werewolves": [0, 0, 8],
}
BOMB = b'<?xml version="1.0"?><!DOCTYPE Map [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><Map>&b;</Map>'
FOREIGN = b'<!DOCTYPE Map [<!ENTITY x SYSTEM "file:///etc/passwd">]><Map Rows="2" Columns="2">&x;</Map>'


def check(page: Page, **changes: Any) -> Any:
    told = page.post("/maps/check", {"map": {**DRAWN, **changes}})
    msgspec.convert(told, MapChecked)
    return told


def parse(page: Page, data: bytes) -> Any:
    return page.client.post("/maps/parse", content=data, headers={"content-type": "application/xml"})


def test_a_good_map_has_a_position_to_play_from(page: Page) -> None:
    told = check(page)
    assert (told["problems"], told["symmetric"]) == ([], True)
    assert told["position"] == "5x10 H2,2:4 H7,2:4 V9,4:8 W0,0:8 V 0"
    table = page.table(game="vampires", position=told["position"])
    assert page.get(f"/tables/{table['id']}")["position"] == told["position"]


def test_all_problems_are_told_at_once(page: Page) -> None:
    told = check(page, humans=[[0, 0, 4], [12, 2, 4], [3, 3, 300], [4, 4, 0]], vampires=None)
    assert told["problems"] == [
        "there are no Vampires: put their start group somewhere",
        "Humans at (0,0): Werewolves are there already",
        'Humans X="12": the map has 10 columns, so X is 0 to 9',
        'Humans Count="300": a count is 0 to 255',
        "Humans at (4,4): an empty house is no house",
    ]
    assert told["position"] == ""
    assert check(page, rows=256)["problems"] == [
        'Map Rows="256": a size is one byte on the wire; Rows is 1 to 255'
    ]
    many = check(page, humans=[[x, y, 0] for x in range(10) for y in range(5)])["problems"]
    assert many[-1] == "and 38 more"


def test_a_drawn_map_that_is_mirrored_is_symmetric(page: Page) -> None:
    told = check(page, humans=[[4, 2, 5], [5, 2, 5]], vampires=[9, 1, 8], werewolves=[0, 1, 8])
    assert (told["problems"], told["symmetric"]) == ([], True)
    assert not any("symmetric" in remark for remark in told["remarks"])


def test_what_to_know_about_a_map_is_told(page: Page) -> None:
    remarks = check(page, humans=[[2, 2, 200]], vampires=[1, 0, 8])["remarks"]
    assert any("not symmetric" in remark for remark in remarks)
    assert any("the starts touch" in remark for remark in remarks)


def test_the_file_is_the_course_s_and_comes_back_the_same(page: Page) -> None:
    response = page.client.post("/maps/xml", json={"map": DRAWN})
    assert response.headers["content-type"].startswith("application/xml")
    assert parse_map(response.content)[0].werewolves == (0, 0, 8)
    back = parse(page, response.content).json()
    assert (back["map"], back["warnings"]) == (DRAWN, [])
    assert page.refusal("/maps/xml", {"map": {**DRAWN, "werewolves": None}}) == (
        400,
        "there are no Werewolves: put their start group somewhere",
    )


def test_every_bundled_map_can_be_opened(page: Page) -> None:
    for name in ("giant", "tiny", "crowd"):
        found = bundled_maps()[name]
        told = parse(page, write_map(found).encode())
        assert told.status_code == 200
        assert len(told.json()["map"]["humans"]) == len(found.humans)


@pytest.mark.parametrize("bomb", [BOMB, FOREIGN])
def test_entities_are_refused_before_they_are_looked_at(page: Page, bomb: bytes) -> None:
    response = parse(page, bomb)
    assert response.status_code == 400
    assert response.json() == {"error": "line 1: a map has no DOCTYPE and no entities"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"\x00\x01", "binary"),
        (b"<Map Rows='2'/>", "without Columns"),
        (b"<Map" + b"<Map>" * 5000, "not XML"),
        (b"hello <script>alert(1)</script>", "this is not XML"),
    ],
)
def test_what_is_no_map_is_told_in_words(page: Page, data: bytes, words: str) -> None:
    response = parse(page, data)
    assert response.status_code == 400
    assert words in response.json()["error"]


def test_too_large_is_refused(page: Page) -> None:
    assert parse(page, b" " * (2**20 + 1)).status_code == 413
    houses = [[x % 255, x // 255, 1] for x in range(10_001)]
    assert page.refusal("/maps/check", {"map": {**DRAWN, "humans": houses}})[0] == 422


def test_maps_are_made_up(page: Page) -> None:
    asked = {"rows": 8, "columns": 12, "houses": 10, "humans": [2, 5], "start": 6, "seed": 7}
    made = page.post("/maps/generate", asked)
    assert (made["seed"], made["map"]["vampires"][2], len(made["map"]["humans"])) == (7, 6, 10)
    assert all(2 <= count <= 5 for _, _, count in made["map"]["humans"])
    assert page.post("/maps/generate", asked) == made
    assert check(page, **made["map"])["symmetric"]
    assert "seed" in page.post("/maps/generate", {})
    status, sentence = page.refusal("/maps/generate", {**asked, "houses": 9})
    assert (status, "its houses come in pairs" in sentence) == (400, True)
    assert "room for 0 to 94 houses" in page.refusal("/maps/generate", {**asked, "houses": 95})[1]
