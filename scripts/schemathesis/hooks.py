"""What schemathesis has to be told about pincluster beside its openapi.yaml."""

import json
import re

import schemathesis
from hypothesis import strategies as st


def as_bytes(value):
    """Text as it is; anything else, which negative tests make, as JSON."""
    if isinstance(value, bytes):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


@schemathesis.serializer("application/geo+json-seq", "application/x-ndjson", "text/csv")
def serialize_text(context, value):
    return as_bytes(value)


# Lines that mean something, some of them bad; any text at all would be refused at its first line.
coordinates = st.tuples(st.floats(-180, 180), st.floats(-91, 91))
features = st.builds(
    lambda id, at, name: {
        "type": "Feature",
        **({} if id is None else {"id": id}),
        "geometry": {"type": "Point", "coordinates": list(at)},
        "properties": {"name": name},
    },
    st.none() | st.integers(-5, 2**53) | st.text(min_size=1, max_size=5),
    coordinates,
    st.none() | st.text(max_size=5) | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
)
cells = st.none() | st.integers() | st.text("ab\u00e9 ,;\"'\r\n01", max_size=6)


def lines(mark):
    return st.lists(features, max_size=5).map(
        lambda items: "".join(f"{mark}{json.dumps(item)}\n" for item in items)
    )


def table(rows):
    def quoted(value):
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set('",\r\n') else text

    return "".join(f"{quoted(name)},{lon!r},{lat!r}\r\n" for name, (lon, lat) in [*rows])


texts = {
    "application/geo+json-seq": lines("\x1e"),
    "application/x-ndjson": lines(""),
    "text/csv": st.lists(st.tuples(cells, coordinates), max_size=5).map(
        lambda rows: "name,lon,lat\r\n" + table(rows)
    ),
}


@schemathesis.hook
def flatmap_body(context, body):
    """Most generated text bodies become ones of their format."""
    if isinstance(body, str):
        return st.just(body) | st.sampled_from(list(texts)).flatmap(lambda name: texts[name])
    return st.just(body)


# Views that a map might show. Made-up ones are mostly of absurd scales and end at 422.
views = st.builds(
    lambda west, south, width, height, scale: {
        "bbox": [west, south, west + width, min(south + height, 90)], **scale
    },
    st.floats(-300, 300), st.floats(-90, 89), st.floats(0.001, 400), st.floats(0, 180),
    st.builds(lambda zoom: {"zoom": zoom}, st.floats(0, 8))
    | st.builds(lambda width: {"viewportWidth": width}, st.floats(100, 2000)),
)
# What views replace, and what makes few cells or annotations too many.
replaced = {"bbox", "visibleMapRect", "region", "viewportWidth", "zoom", "cellSize", "debug", "limit"}


@schemathesis.hook
def flatmap_case(context, case):
    """Gives half of the good requests for clusters and pins a view that makes sense."""
    good = case.meta is None or case.meta.generation.mode.is_positive
    if not good or case.method != "POST" or not case.path.endswith(("/clusters", "/pins")):
        return st.just(case)

    def show(view):
        if view:
            rest = {k: v for k, v in case.body.items() if k not in replaced}
            case.body = {**rest, **view}
        return case

    return (st.none() | views).map(show)


@schemathesis.hook
def map_case(context, case):
    """A good Feature that is PUT has no id but that of its path, or it would be 422."""
    good = case.meta is None or case.meta.generation.mode.is_positive
    if good and case.method == "PUT" and isinstance(case.body, dict) and "geometry" in case.body:
        case.body = {name: value for name, value in case.body.items() if name != "id"}
    return case


@schemathesis.hook
def filter_case(context, case):
    """Keeps the sample: without it nearly every answer would be 404."""
    names = case.path_parameters or {}
    drops = case.method == "DELETE" and "featureId" not in names
    return not (drops and names.get("collectionId") == "cities")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """With idProperty a Feature's own id doesn't count, so a bad one is no error."""
    accepted = type(failure).__name__ == "AcceptedNegativeData"
    own = re.search(r"in body\b.*\bid\b", str(failure.message), re.DOTALL)
    return not (accepted and own and "idProperty" in (case.query or {}))


@schemathesis.check
def counts_add_up(context, response, case):
    """Counts are exact at every zoom; pages and problems are what they say."""
    kind = response.headers.get("content-type", [""])[0].partition(";")[0]
    if not kind.endswith("json") or not response.content or case.method == "HEAD":
        return
    answer = response.json()
    if response.status_code >= 400:
        assert kind == "application/problem+json", f"an error as {kind}"
        assert answer["status"] == response.status_code, "another status in the body"
        return
    if "annotations" in answer:
        assert sum(a["count"] for a in answer["annotations"]) == answer["featureCount"]
        assert len({a["id"] for a in answer["annotations"]}) == len(answer["annotations"])
    if "pins" in answer:
        assert len(answer["pins"]) == answer["featureCount"]
    if "numberReturned" in answer:
        assert len(answer["features"]) == answer["numberReturned"] <= answer["numberMatched"]
