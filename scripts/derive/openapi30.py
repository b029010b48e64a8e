"""Derives an OpenAPI 3.0 document from openapi.yaml, for programs that know no other version.

Types of several kinds and null become `nullable`, tuples become arrays of what their elements have in common, query
parameters that are objects are split into their members, those that are lists or JSON become strings, apart from the `bbox` that OGC API Features describes, and constraints between
members become prose. It allows more than openapi.yaml, and nothing that openapi.yaml allows is lost. Examples of answers
are left out, as programs have no use for them.
"""

import copy

# Keywords of JSON Schema 2020-12 that OpenAPI 3.0 lacks, and that only refuse values.
DROPPED = ("propertyNames", "patternProperties", "dependentRequired", "contains", "minContains", "x-events")


def derive(document):
    """The document in OpenAPI 3.0."""
    source = copy.deepcopy(document)
    info = source["info"]
    info.pop("summary", None)
    info.get("license", {}).pop("identifier", None)
    derived = {"openapi": "3.0.3", "servers": source.pop("servers")}
    for name, value in source.items():
        if name not in ("openapi", "paths", "components"):
            derived[name] = value
    components = source["components"]
    name_limit(source)
    shorten_column(source)
    leave_out_places(source)
    write_out_tuples(source, components)
    derived["paths"] = {
        path: {method: operation(one, components) for method, one in item.items()}
        for path, item in source["paths"].items()
    }
    derived["components"] = {
        "parameters": {
            name: as_text(parameter(one), components)
            for name, one in components["parameters"].items() if not is_split(one)
        },
        "securitySchemes": components["securitySchemes"],
        "headers": {name: header(one) for name, one in components["headers"].items()},
        "responses": {name: response(one) for name, one in components["responses"].items()},
        "schemas": {name: schema(one) for name, one in components["schemas"].items()},
    }
    inline_lists(derived, derived["components"]["schemas"])
    return derived


def inline_lists(node, schemas):
    """Writes out the elements of lists that are lists by reference, which openapi-generator makes no Swift of."""
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
    for part in parts:
        inline_lists(part, schemas)
    # Generators refuse such a document.
    assert not isinstance(node, dict) or node.get("type") != "array" or "items" in node, f"a list of nothing: {node}"
    if isinstance(node, dict) and isinstance(node.get("items"), dict) and "$ref" in node["items"]:
        referred = schemas[node["items"]["$ref"].rsplit("/", 1)[1]]
        if referred.get("type") == "array":
            node["items"] = copy.deepcopy(referred)


def name_limit(source):
    """Gives the limit of pages of features the name by which GDAL and QGIS look for it, with the largest page."""
    parameters = source["paths"]["/collections/{collectionId}/items"]["get"]["parameters"]
    place = next(place for place, one in enumerate(parameters) if one.get("name") == "limit")
    limit = {**parameters[place], "schema": {"type": "integer", "minimum": 0, "maximum": 10000, "default": 10}}
    source["components"]["parameters"]["limit"] = limit
    parameters[place] = {"$ref": "#/components/parameters/limit"}
    # Programs that check such documents don't all follow references.
    parameters[:] = [copy.deepcopy(resolved(one, source["components"])) for one in parameters]
    # GDAL sends filters where it finds cql-text here, and otherwise takes comparisons of dates for `datetime`.
    for one in parameters:
        if one.get("name") == "filter-lang":
            one["schema"] = copy.deepcopy(resolved(one["schema"], source["components"]))


def leave_out_places(source):
    """Leaves out lists of places among the bodies of features, as openapi-python-client tells no list from an object."""
    body = source["paths"]["/collections/{collectionId}/items"]["post"]["requestBody"]
    body["content"]["application/json"]["schema"] = {"$ref": "#/components/schemas/FeaturesInput"}
    body["content"]["application/json"].get("examples", {}).pop("places", None)
    del source["components"]["schemas"]["PlacesInput"]


def shorten_column(source):
    """Makes the column of a tile of OGC API Tiles the integer that it is there. With a form it is another path."""
    path = "/collections/{collectionId}/tiles/WebMercatorQuad/{tileMatrix}/{tileRow}/{tileCol}"
    described = source["paths"][path]["get"]
    # The form that clients get which don't say what they accept.
    described["responses"]["200"]["content"].pop("application/geo+json", None)
    for one in described["parameters"]:
        if one.get("name") == "tileCol":
            one["schema"] = {"type": "integer", "minimum": 0, "maximum": 16777215}
            one["example"] = int(one["example"])


def write_out_tuples(node, components):
    """Writes out the elements of tuples that are references to several schemas, to see what they have in common."""
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        write_out_tuples(part, components)
    parts = node.get("prefixItems", []) if isinstance(node, dict) else []
    if len({part.get("$ref") for part in parts}) > 1:
        node["prefixItems"] = [copy.deepcopy(resolved(part, components)) for part in parts]


def operation(one, components):
    """An operation; its parameters that are objects become several."""
    if "parameters" in one:
        parameters = []
        for given in one["parameters"]:
            whole = resolved(given, components)
            if is_split(whole):
                parameters += members(whole)
            else:
                parameters.append(given if "$ref" in given else parameter(given))
        one["parameters"] = [given if "$ref" in given else as_text(given, components) for given in parameters]
    if "requestBody" in one:
        content(one["requestBody"])
        for media in one["requestBody"].get("content", {}).values():
            if media.get("schema", {}).get("type") == "string":
                # What is not JSON is a file to generators.
                media["schema"]["format"] = "binary"
    one["responses"] = {
        status: answer if "$ref" in answer else response(answer) for status, answer in one["responses"].items()
    }
    return one


def resolved(node, components):
    """The component that a reference names, or what isn't one."""
    while "$ref" in node:
        kind, name = node["$ref"].removeprefix("#/components/").split("/")
        node = components[kind][name]
    return node


def is_split(one):
    """Whether a parameter is an object whose members are parameters of their own."""
    return one.get("explode") is True and "properties" in one.get("schema", {})


def members(one):
    """The parameters that stand for one that is an object."""
    whole = one["schema"]
    rules = prose(whole)
    shown = one.get("example", {})
    found = []
    for name, given in whole["properties"].items():
        single = {"name": name, "in": one["in"], "required": name in whole.get("required", [])}
        text = [one.get("description", "").strip()] + rules
        single["description"] = "\n\n".join(filter(None, text))
        single["schema"] = schema(given)
        if name in shown:
            single["example"] = shown[name]
        found.append(single)
    return found


def parameter(one):
    """A parameter. One that is JSON text is a string."""
    if "content" in one:
        one.pop("content")
        one["schema"] = {"type": "string"}
        one["description"] = one.get("description", "").strip() + "\n\nJSON text."
        one.pop("example", None)
    else:
        one["schema"] = schema(one["schema"])
    return one


def as_text(one, components):
    """A parameter that is a comma-separated list as a string: some generators would repeat its name instead."""
    if one["name"] == "bbox" and one["schema"].get("oneOf"):
        # OGC API Features says how this one is described. The service takes it repeated, too.
        one["schema"] = {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 6}
        one.update(style="form", explode=False)
    elif one["in"] == "query" and resolved(one["schema"], components).get("type") == "array":
        one["schema"] = {"type": "string"}
        one["description"] = one.get("description", "").strip() + "\n\nA comma-separated list."
        one.pop("style", None)
        one.pop("explode", None)
        if isinstance(one.get("example"), list):
            one["example"] = ",".join(map(str, one["example"]))
    return one


def header(one):
    """A field of the header of an answer."""
    if "$ref" not in one:
        one["schema"] = schema(one["schema"])
    return one


def response(one):
    """An answer, without examples."""
    content(one)
    for media in one.get("content", {}).values():
        media.pop("examples", None)
        media.pop("example", None)
    if "headers" in one:
        one["headers"] = {name: header(field) for name, field in one["headers"].items()}
    return one


def content(one):
    """The forms of a body."""
    for media in one.get("content", {}).values():
        for name in DROPPED:
            media.pop(name, None)
        if "schema" in media:
            media["schema"] = schema(media["schema"])


def schema(one):
    """A schema of OpenAPI 3.0 that allows what a schema of JSON Schema 2020-12 allows, and perhaps more."""
    if one is True:
        return {}
    if one is False:
        return {"not": {}}
    one = {name: value for name, value in one.items() if name not in DROPPED}
    rules = prose(one)
    nullable = False
    for kind in ("anyOf", "oneOf", "allOf"):
        if kind in one:
            kept = [part for part in one[kind] if not is_constraint(part) and part != {"type": "null"}]
            nullable = nullable or (kind != "allOf" and {"type": "null"} in one[kind])
            one[kind] = [schema(part) for part in kept]
            if not kept:
                del one[kind]
    if one.get("type") == "null":
        # There is no schema of null alone.
        one["type"] = ["string", "null"]
    types = one.get("type", [])
    if isinstance(types, list) and types:
        nullable = nullable or "null" in types
        types = [type for type in types if type != "null"]
        if len(types) == 1:
            one["type"] = types[0]
        else:
            del one["type"]
            one["anyOf"] = [schema({"type": type}) for type in types]
    if "const" in one:
        one["enum"] = [one.pop("const")]
    if "examples" in one:
        one["example"] = one.pop("examples")[0]
    for bound, name in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(one.get(name), (int, float)) and not isinstance(one.get(name), bool):
            one[bound], one[name] = one[name], True
    if "properties" in one:
        one["properties"] = {name: schema(part) for name, part in one["properties"].items()}
    if isinstance(one.get("additionalProperties"), dict):
        one["additionalProperties"] = schema(one["additionalProperties"])
    if "not" in one:
        one["not"] = schema(one["not"])
    if "prefixItems" in one:
        more = one.get("items", False)
        parts = [schema(part) for part in one.pop("prefixItems")]
        one["items"] = common(parts + ([schema(more)] if more is not False else []))
    elif "items" in one:
        one["items"] = schema(one["items"])
    elif one.get("type") == "array":
        one["items"] = {}
    if rules:
        one["description"] = "\n\n".join(filter(None, [one.get("description", "").strip(), *rules]))
    return single(one, nullable)


def single(one, nullable):
    """Writes a choice of one schema as that schema. What stands beside a reference would be ignored."""
    for kind in ("anyOf", "oneOf"):
        if kind in one and len(one[kind]) == 1:
            part = one.pop(kind)[0]
            one = {**part, **one} if "$ref" not in part else {**one, "allOf": [part, *one.get("allOf", [])]}
    if "$ref" in one and (len(one) > 1 or nullable):
        one = {"allOf": [{"$ref": one.pop("$ref")}], **one}
    if nullable:
        one["nullable"] = True
        if "enum" in one and None not in one["enum"]:
            one["enum"] = [*one["enum"], None]
    return one


def common(parts):
    """A schema of what several have in common: their type, if it is the same, or numbers."""
    types = {part.get("type") for part in parts}
    if all("$ref" in part for part in parts) and len({part["$ref"] for part in parts}) == 1:
        return parts[0]
    if types <= {"number", "integer"}:
        return {"type": "number"}
    if types == {"string"}:
        return {"type": "string"}
    return {}


def is_constraint(part):
    """Whether a schema only says which members must or must not be there together."""
    if not isinstance(part, dict) or not part:
        return False
    keys = set(part) - {"description"}
    if "required" in keys and keys <= {"required", "maxProperties"}:
        return True
    if keys == {"not"}:
        return is_constraint(part["not"])
    if keys in ({"anyOf"}, {"oneOf"}, {"allOf"}):
        return all(is_constraint(one) for one in part[keys.pop()])
    return keys <= {"if", "then", "else"} or keys == {"properties", "required"} and "type" not in part


def prose(one):
    """Takes the constraints between members out of a schema, and says them in sentences."""
    rules = []
    for kind, words in (("oneOf", "Exactly one"), ("anyOf", "At least one")):
        parts = one.get(kind, [])
        if parts and all(is_constraint(part) for part in parts):
            names = [" with ".join(f"`{name}`" for name in part["required"]) for part in parts if "required" in part]
            if len(names) == len(parts):
                rules.append(f"{words} of {', '.join(names)} must be given.")
            del one[kind]
    for part in one.get("allOf", []):
        if is_constraint(part):
            rules += prose(dict(part))
    for name in ("if", "then", "else"):
        one.pop(name, None)
    if is_constraint({"not": one.get("not", {})}):
        one.pop("not", None)
    return rules
