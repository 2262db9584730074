"""Packets: every value survives its bytes, in pieces of any size; what is no packet is named, with its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctagon.games.vampires.wire.packets import (
    FROM_PLAYER,
    FROM_SERVER,
    Bye,
    CellContent,
    Decoder,
    End,
    Hme,
    Hum,
    Map,
    Mov,
    Nme,
    Packet,
    PacketError,
    Set,
    Upd,
    encode,
)

byte = st.integers(0, 255)
cells = st.lists(st.builds(CellContent, byte, byte, byte, byte, byte), max_size=255).map(tuple)
from_server = st.one_of(
    st.builds(Set, byte, byte),
    st.builds(Hum, st.lists(st.tuples(byte, byte), max_size=255).map(tuple)),
    st.builds(Hme, byte, byte),
    st.builds(Map, cells),
    st.builds(Upd, cells),
    st.just(End()),
    st.just(Bye()),
)
from_player = st.one_of(
    st.builds(Nme, st.binary(max_size=255)),
    st.builds(Mov, st.lists(st.tuples(byte, byte, byte, byte, byte), max_size=255).map(tuple)),
)


@pytest.mark.parametrize(("packets", "commands"), [(from_server, FROM_SERVER), (from_player, FROM_PLAYER)])
def test_any_conversation_survives_any_fragmentation(
    packets: st.SearchStrategy[Packet], commands: tuple[str, ...]
) -> None:
    @given(st.lists(packets, max_size=5), st.lists(st.integers(1, 400), max_size=20))
    def check(sent: list[Packet], sizes: list[int]) -> None:
        data = b"".join(map(encode, sent))
        decoder, got, at = Decoder(commands), [], 0
        for size in [*sizes, len(data) + 1]:
            got += decoder.feed(data[at : at + size])
            at += size
        assert got == sent
        assert decoder.pending == b""
        assert decoder.consumed == len(data)

    check()


def test_the_documents_bytes() -> None:
    assert encode(Set(5, 10)) == b"SET\x05\x0a"
    assert encode(Hum(((2, 2), (9, 0)))) == b"HUM\x02\x02\x02\x09\x00"
    assert encode(Mov(((4, 3, 4, 5, 4),))) == b"MOV\x01\x04\x03\x04\x05\x04"
    assert encode(Upd(())) == b"UPD\x00"
    assert encode(Nme(b"Bob")) == b"NME\x03Bob"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"XYZ", "byte 0, packet 1: b'XYZ' begins no packet; expected NME or MOV"),
        (b"NME\x01aMOX", "byte 5, packet 2: b'MOX' begins no packet"),
        (b"MOV\x00\xff", "byte 4, packet 2: ff begins no packet"),
        (b"SET\x01\x01", "b'SET' begins no packet; expected NME or MOV"),
        (b"mov", "b'mov' begins no packet"),
    ],
)
def test_what_is_no_packet_is_named_with_its_place(data: bytes, says: str) -> None:
    decoder = Decoder(FROM_PLAYER)

    def feed_all() -> None:
        while decoder.feed(data if not decoder.consumed else b""):
            pass  # the whole packets come first, then the error

    with pytest.raises(PacketError) as caught:
        feed_all()
    assert says in str(caught.value)


def test_a_byte_cannot_hold_everything() -> None:
    with pytest.raises(PacketError, match="0 to 255"):
        encode(Set(256, 1))
    with pytest.raises(PacketError, match="length of a name"):
        encode(Nme(b"x" * 256))


@given(st.binary(max_size=3000))
def test_any_bytes_are_packets_or_an_error_and_little_is_kept(data: bytes) -> None:
    decoder = Decoder(FROM_PLAYER)
    try:
        decoder.feed(data)
    except PacketError:
        return
    assert len(decoder.pending) <= 4 + 5 * 255
