"""Reference of the REST API, from the OpenAPI document of the service."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.site.markdown import cell, plain, prose


def page(root: Path) -> str:
    """What follows the words of `rest`: each operation, then the documents."""
    document = openapi(root)
    operations = [
        (f"{method.upper()} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    common = set.intersection(*(_answers(operation) for _, operation in operations))
    rows = [
        "| status | meaning |",
        "|---|---|",
        *(f"| {a} | {cell(b)} |" for a, b in sorted(common)),
    ]
    parts = ["", "Every request may also be answered by:", "\n".join(rows)]
    parts += [_operation(title, operation, common) for title, operation in operations]
    parts.append("## Documents")
    for name, schema in document.get("components", {}).get("schemas", {}).items():
        if "properties" in schema:
            parts.append(f"### {name}\n\n" + prose(schema.get("description", "")))
            parts.append(_properties(schema))
    return "\n\n".join(parts) + "\n"


def openapi(root: Path) -> Mapping[str, Any]:
    """The document of a service over one recording of the German example."""
    from indexer import index_files
    from service import Service, Settings, create_app

    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/index"
        index_files([root / "examples/german/mesh/KERSTIN_00.mesh"], store, language="German")
        service = Service(Settings((store,)))
        try:
            return create_app(service).openapi()
        finally:
            service.close()


def _answers(operation: Mapping[str, Any]) -> set[tuple[str, str]]:
    """(status, meaning) of the answers that are no success."""
    answers = operation.get("responses", {})
    faults = ((status, answer) for status, answer in answers.items() if status > "3")
    return {(status, answer.get("description", "")) for status, answer in faults}


def _operation(title: str, operation: Mapping[str, Any], common: set[tuple[str, str]]) -> str:
    about = operation.get("description") or operation.get("summary", "")
    parts = [f"## `{title}`", prose(about)]
    if given := operation.get("parameters"):
        rows = ["| parameter | in | values | meaning |", "|---|---|---|---|"]
        for parameter in given:
            name = f"`{parameter['name']}`" + (" (required)" if parameter.get("required") else "")
            meaning = cell(parameter.get("description", ""))
            rows.append(
                f"| {name} | {parameter['in']} | {_type(parameter.get('schema', {}))} | {meaning} |"
            )
        parts.append("\n".join(rows))
    if "requestBody" in operation:
        kinds = operation["requestBody"]["content"]
        shown = [
            f"`{kind}` {_type(body.get('schema', {}))}".strip() for kind, body in kinds.items()
        ]
        parts.append(f"Body: {', '.join(shown)}")
    own = sorted(_answers(operation) - common)
    if own:
        parts.append(
            f"Other answers: {'; '.join(f'{status}: {plain(text)}' for status, text in own)}"
        )
    return "\n\n".join(parts)


def _properties(schema: Mapping[str, Any]) -> str:
    rows = ["| key | values | meaning |", "|---|---|---|"]
    rows += [
        f"| `{key}` | {_type(kind)} | {cell(kind.get('description', ''))} |"
        for key, kind in schema["properties"].items()
    ]
    return "\n".join(rows)


def _type(schema: Mapping[str, Any]) -> str:
    """A JSON schema in words: type, limits, default."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        words = " or ".join(_type(choice) for choice in schema["anyOf"])
    elif schema.get("type") == "array":
        words = f"list of {_type(schema.get('items', {}))}"
    elif "enum" in schema:
        words = ", ".join(f"`{value}`" for value in schema["enum"])
    else:
        words = str(schema.get("type", "any")).replace("null", "nothing")
    limits = [
        f"{sign} {schema[key]}"
        for key, sign in (("minimum", "from"), ("maximum", "up to"), ("maxLength", "letters up to"))
        if key in schema
    ]
    if schema.get("default") is not None:
        limits.append(f"default `{json.dumps(schema['default'])}`")
    return ", ".join([words, *limits])
