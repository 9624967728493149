"""The parameters of an address as a model: read in one step, described as FastAPI would.

FastAPI reads and validates parameters one by one, which takes longer than all else that it does
for a request; a search is asked for while others wait.
"""

from functools import cache
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from service.problems import ProblemError

Model = TypeVar("Model", bound=BaseModel)


def parameters(model: type[Model], request: Request) -> Model:
    """The parameters of a request; others than those of the model are ignored.

    Raises:
        ProblemError: one is missing or not as expected.
    """
    given, several = request.query_params, _lists(model)
    values = {
        name: given.getlist(name) if name in several else value for name, value in given.items()
    }
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ProblemError(422, f"{where}: {first['msg']}") from error


@cache
def _lists(model: type[BaseModel]) -> frozenset[str]:
    """The parameters that may be repeated."""
    fields = model.model_fields.items()
    return frozenset(name for name, field in fields if get_origin(field.annotation) is list)


def described(model: type[BaseModel]) -> dict[str, Any]:
    """The parameters as OpenAPI describes them; of a route that reads them by `parameters`."""
    schema = model.model_json_schema()
    required = schema.get("required", ())
    return {
        "parameters": [
            {"name": name, "in": "query", "required": name in required, "schema": part}
            | ({"description": part["description"]} if "description" in part else {})
            for name, part in schema["properties"].items()
        ]
    }
