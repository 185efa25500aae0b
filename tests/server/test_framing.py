import pytest

from sidecar.server.framing import FrameParser, FramingError, Oversized, header

CAP = 1000


def parse(data: bytes, step: int) -> list[object]:
    parser = FrameParser(CAP)
    frames: list[object] = []
    for start in range(0, len(data), step):
        frames += [
            frame if isinstance(frame, Oversized) else bytes(frame)
            for frame in parser.feed(data[start : start + step])
        ]
    assert not parser.inside_message
    return frames


@pytest.mark.parametrize("step", [1, 2, 7, 10_000])
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"Content-Length: 2\r\n\r\n{}", [b"{}"], id="plain"),
        pytest.param(b"Content-Length: 2\r\n\r\n{}" * 3, [b"{}"] * 3, id="several"),
        pytest.param(b"Content-Length: 0\r\n\r\n", [b""], id="empty-body"),
        pytest.param(b"content-length:2\r\n\r\n{}", [b"{}"], id="lower-case-no-blank"),
        pytest.param(b"CONTENT-LENGTH:   2  \r\n\r\n{}", [b"{}"], id="upper-case-blanks"),
        pytest.param(b"Content-Length: 002\r\n\r\n{}", [b"{}"], id="leading-zeros"),
        pytest.param(b"Content-Length: 2\n\n{}", [b"{}"], id="bare-line-feeds"),
        pytest.param(
            b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
            [b"{}"],
            id="extra-header-before",
        ),
        pytest.param(b"Content-Length: 2\r\nX: a:b\r\n\r\n{}", [b"{}"], id="extra-header-after"),
        pytest.param(
            b"Content-Length: 1000\r\n\r\n" + b"x" * 1000 + b"Content-Length: 1\r\n\r\ny",
            [b"x" * 1000, b"y"],
            id="at-the-cap",
        ),
        pytest.param(
            b"Content-Length: 1001\r\n\r\n" + b"x" * 1001 + b"Content-Length: 1\r\n\r\ny",
            [Oversized(1001), b"y"],
            id="over-the-cap",
        ),
        pytest.param(
            b"Content-Length: 16000\r\n\r\n" + b"x" * 16000 + b"Content-Length: 1\r\n\r\ny",
            [Oversized(16000), b"y"],
            id="sixteen-times-the-cap",
        ),
    ],
)
def test_frames_come_out_whole_however_they_arrive(
    data: bytes, expected: list[object], step: int
) -> None:
    assert parse(data, step) == expected


@pytest.mark.parametrize("step", [1, 5, 10_000])
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\r\n", "no-content-length"),
        (b"X: 1\r\n\r\n", "no-content-length"),
        (b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "content-length-doubled"),
        (b"Content-Length: two\r\n\r\n", "content-length-unreadable"),
        (b"Content-Length: -2\r\n\r\n", "content-length-unreadable"),
        (b"Content-Length: +2\r\n\r\n", "content-length-unreadable"),
        (b"Content-Length: 2.0\r\n\r\n", "content-length-unreadable"),
        (b"Content-Length: \r\n\r\n", "content-length-unreadable"),
        (b"Content-Length: 1 2\r\n\r\n", "content-length-unreadable"),
        (b"Content-Length: \xb2\r\n\r\n", "content-length-unreadable"),
        (b"Content-Length: 16001\r\n\r\n", "content-length-absurd"),
        (b"Content-Length: 9999999999999999999\r\n\r\n", "content-length-unreadable"),
        (b"no colon here\r\n", "header-without-colon"),
        (b'{"jsonrpc":"2.0"', "header-unreadable"),
        (b'[{"jsonrpc":"2.0"}]\n', "header-unreadable"),
        (b'"a": 1\r\n\r\n', "header-unreadable"),
        (b": 1\r\n\r\n", "header-unreadable"),
        (b"X: " + b"y" * 4200, "header-too-long"),
        (b"X: y\r\n" * 1000, "header-too-long"),
    ],
)
def test_what_cannot_be_followed_is_a_fault(data: bytes, reason: str, step: int) -> None:
    with pytest.raises(FramingError) as caught:
        parse(data, step)

    assert caught.value.reason == reason


def test_a_header_block_of_the_largest_size_is_read() -> None:
    tail = b"Content-Length: 2\r\n\r\n"
    padding = b"X: " + b"y" * (4096 - len(tail) - len("X: \r\n")) + b"\r\n"

    assert parse(padding + tail + b"{}", 10_000) == [b"{}"]
    with pytest.raises(FramingError):
        parse(padding.replace(b"X:", b"XX:") + tail + b"{}", 10_000)


def test_frames_before_a_fault_are_kept() -> None:
    frames: list[object] = []

    with pytest.raises(FramingError):
        FrameParser(CAP).feed_into(frames, b"Content-Length: 2\r\n\r\n{}nonsense\r\n")  # type: ignore[arg-type]

    assert frames == [b"{}"]


@pytest.mark.parametrize(
    "data", [b"C", b"Content-Length: 2\r\n\r\n", b"Content-Length: 2\r\n\r\n{"]
)
def test_the_parser_knows_that_it_is_inside_a_message(data: bytes) -> None:
    parser = FrameParser(CAP)

    parser.feed(data)

    assert parser.inside_message


def test_a_claimed_length_costs_no_memory() -> None:
    parser = FrameParser(1 << 40)

    parser.feed(b"Content-Length: 1099511627776\r\n\r\nx")

    assert parser.wanted == 1 << 20


def test_a_header_is_what_the_parser_reads() -> None:
    assert FrameParser().feed(header(3) + b"abc") == [b"abc"]
