import pytest

from sidecar.core.typing_rules import fits


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("IMAGE", "IMAGE", True),
        ("image", "IMAGE", True),
        ("IMAGE", "MASK", False),
        ("*", "MASK", True),
        ("MASK", "*", True),
        ("IMAGE,MASK", "mask , LATENT", True),
        ("IMAGE,MASK", "LATENT", False),
        ("INT", "FLOAT", True),
        ("FLOAT", "INT", False),
        ("int", "STRING,Float", True),
        ("IMAGE,*", "LATENT", True),
        ("", "LATENT", True),
        ("LATENT", " , ", True),
        ("INTEGER", "FLOAT", False),
    ],
)
def test_types_fit(source: str, target: str, expected: bool) -> None:  # noqa: FBT001
    assert fits(source, target) is expected
