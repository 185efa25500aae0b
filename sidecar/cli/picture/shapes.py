"""SVG elements as text; every text and attribute that comes from a graph is made safe here."""

from sidecar.cli.picture.text import cut, safe

Point = tuple[float, float]


def number(value: float) -> str:
    """A coordinate with two decimals at most."""
    return f"{round(value, 2):.2f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """An element; `_` in attribute names stands for `-`, attributes that are None are left out."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def rectangle(x: float, y: float, width: float, height: float, **attributes: object) -> str:
    return element("rect", "", x=x, y=y, width=width, height=height, **attributes)


def label(  # noqa: PLR0913 -- a text has a place, a size, a colour and room
    text: str,
    at: Point,
    *,
    size: float,
    fill: str,
    room: float,
    anchor: str | None = None,
    weight: int | None = None,
    style: str | None = None,
    decoration: str | None = None,
) -> str:
    """A line of text on a baseline, cut to the room it has."""
    shown = cut(text, size, room)
    if not shown:
        return ""
    return element(
        "text",
        safe(shown),
        x=at[0],
        y=at[1],
        font_size=size,
        fill=fill,
        text_anchor=anchor,
        font_weight=weight,
        font_style=style,
        text_decoration=decoration,
    )


def group(content: str, **attributes: object) -> str:
    return element("g", content, **attributes)


def title(text: str) -> str:
    """What a viewer shows when the pointer rests on the element around."""
    return element("title", safe(text))


def rounded_top(x: float, y: float, width: float, height: float, radius: float) -> str:
    """The path of a rectangle whose upper corners are round."""
    right, bottom = number(x + width), number(y + height)
    return (
        f"M{number(x)} {bottom}V{number(y + radius)}q0 {number(-radius)} {number(radius)}"
        f" {number(-radius)}H{number(x + width - radius)}q{number(radius)} 0 {number(radius)}"
        f" {number(radius)}V{bottom}H{right}Z"
    )


def _attribute(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    return safe(str(value))
