"""The routes under /api: all are in the schema, and none fails whatever it is sent."""

from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import response_schema_conformance

from glassrank.app.security import Access
from glassrank.app.server import PAGES, create_app
from tests.app.conftest import STUDY


@pytest.fixture(scope="module")
def schema(workspace):
    app = create_app(workspace, Access(port=80))
    return schemathesis.openapi.from_asgi("/api/openapi.json", app, headers={"host": "127.0.0.1"})


def test_every_route_under_api_is_in_the_schema(client):
    routes = {(route.path, method) for page in PAGES for route in page.router.routes for method in route.methods}
    expected = {(path, method.lower()) for path, method in routes if path.startswith("/api/")}
    described = client.get("/api/openapi.json").json()["paths"]
    assert {(path, method) for path, methods in described.items() for method in methods} == expected
    assert ("/api/studies", "get") in expected


def operations(schema):
    return [found.ok() for found in schema.get_all_operations()]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_route_under_api_fails_whatever_it_is_sent(schema, mode):
    for operation in operations(schema):

        @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def answers(case):
            # Every second name is that of the study that exists; the others are names that a client may invent.
            if isinstance(case.path_parameters, dict) and len(str(case.path_parameters.get("name", ""))) % 2:
                case.path_parameters["name"] = STUDY
            answer = case.call(headers={"host": "127.0.0.1"})
            assert answer.status_code < 500, f"{case.method} {case.formatted_path} failed"
            case.validate_response(answer, checks=[response_schema_conformance])

        with suppress(Unsatisfiable):  # nothing is invalid for a route that takes any text, or nothing
            answers()
