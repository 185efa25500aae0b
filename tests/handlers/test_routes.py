import inspect

import pytest

from protocol.methods import METHODS
from sidecar.handlers.routes import ROUTES


def test_every_method_has_a_route_and_every_route_a_method() -> None:
    assert set(ROUTES) == set(METHODS)


@pytest.mark.parametrize("method", ROUTES)
def test_what_a_route_names_is_there_and_takes_what_it_is_given(method: str) -> None:
    route = ROUTES[method]

    assert len(inspect.signature(route.handler).parameters) == (2 if route.beside else 3)
    assert route.on_storage_error is not None or METHODS[method].answering == "request"
    if route.on_storage_error is not None:
        assert len(inspect.signature(route.on_storage_error).parameters) == 3
