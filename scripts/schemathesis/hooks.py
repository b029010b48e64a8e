"""Tells schemathesis what it needs to know about pincluster beyond openapi.yaml."""

import csv
import itertools
import json
import os
import re

import schemathesis
import yaml
from hypothesis import strategies as st


def as_bytes(value):
    """Encodes text as it is, and anything else, which negative tests make, as JSON."""
    if isinstance(value, bytes):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


@schemathesis.serializer("application/geo+json-seq", "application/x-ndjson", "text/csv")
def serialize_text(context, value):
    return as_bytes(value)


# Lines that make sense, some of them bad. Random text would be refused at its first line.
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
    """Replaces most generated text bodies by bodies of their format."""
    if isinstance(body, str):
        return st.just(body) | st.sampled_from(list(texts)).flatmap(lambda name: texts[name])
    return st.just(body)


# Filters that parse, mostly over the properties of the sample.
names = st.sampled_from(
    ["name", "country", "population", "timezone", "nothing", '"name"', '"no such ""name"""']
)
literals = (
    st.sampled_from(["'DE'", "'it''s'", "'Europe/Berlin'", "''", "TRUE", "false", "100000", "-1.5e3"])
    | st.integers(-(2**53), 2**53).map(str)
    | st.text("abz%_é ", max_size=5).map(lambda text: f"'{text}'")
)
operands = names | literals
patterns = st.text("aeSt%_\\é", max_size=8).filter(lambda text: len(re.findall(r"\\+$", text)) == 0)
predicates = (
    st.tuples(operands, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), operands).map(" ".join)
    | st.builds(
        lambda name, negation, values: f"{name} {negation}IN ({', '.join(values)})",
        names, st.sampled_from(["", "NOT "]), st.lists(literals, min_size=1, max_size=4))
    | st.builds(
        lambda name, negation, low, high: f"{name} {negation}BETWEEN {low} AND {high}",
        names, st.sampled_from(["", "not "]), literals, literals)
    | st.builds(
        lambda name, negation, pattern: f"{name} {negation}LIKE '{pattern}'",
        names, st.sampled_from(["", "NOT "]), patterns)
    | st.builds(
        lambda name, negation: f"{name} IS {negation}NULL", names, st.sampled_from(["", "NOT "]))
)
filters = st.recursive(
    predicates,
    lambda inner: inner.map(lambda one: f"NOT ({one})")
    | st.tuples(inner, st.sampled_from([" AND ", " or "]), inner).map("".join)
    | inner.map(lambda one: f"({one})"),
    max_leaves=6,
)
schemathesis.openapi.format("cql2-text", filters)
schemathesis.openapi.format(
    "sort-key", st.sampled_from(["name", "-population", "+country", "-timezone", "population"]))

dates = st.dates().map(lambda date: date.isoformat()) | st.datetimes().map(
    lambda time: time.isoformat(timespec="milliseconds") + "Z")
schemathesis.openapi.format(
    "datetime-span", dates | st.builds(lambda start: f"{start}/..", dates) | st.builds(lambda end: f"../{end}", dates))

# Some features of the sample, and ids of annotations that may hold features.
sample = [3413829, 3415496, 2950159, 5128581, 1850147, 2204582, 2147714, 8644037, 362]
with open(os.path.join(os.path.dirname(__file__), "../sample/cities15000.csv"), encoding="utf-8") as file:
    # Features that may be deleted, one after the other; see existing().
    spare = itertools.cycle([row["id"] for row in csv.DictReader(file)])
cells_of_grids = st.integers(0, 8).flatmap(
    lambda zoom: st.builds(
        lambda column, row, cells=max(1, int(256 * 2**zoom / 60 + 1e-6)): (
            f"g{cells}_60_{column % cells}_{row % cells}"
        ),
        st.integers(0, 2000), st.integers(0, 2000))
)
annotation_ids = cells_of_grids | st.sampled_from(sample).map(lambda id: f"n{id}")
previous = st.lists(
    st.builds(
        lambda id, longitude, latitude: {
            "id": id, "coordinate": {"latitude": latitude, "longitude": longitude}
        },
        annotation_ids, st.floats(-180, 180), st.floats(-85, 85)),
    max_size=8, unique_by=lambda one: one["id"],
)
# Properties by which the sample can be grouped, counted and summed.
statistics = st.fixed_dictionaries({}, optional={
    "groupBy": st.sampled_from(["country", "timezone", "population", "nothing"]),
    "countBy": st.sampled_from(["country", "name"]),
    "weightBy": st.sampled_from(["population", "name"]),
    "aggregate": st.just(
        {"sum": ["sum", "population"], "mean": ["mean", "population"], "none": ["min", "name"]}
    ),
    "filter": filters,
    "previous": previous,
})
methods = st.sampled_from([
    {},
    {"method": "distance"},
    {"method": "distance", "epsilon": 100},
    {"method": "collision"},
    {"method": "collision", "markerSize": [80, 20], "clusterBy": "country", "priorityBy": "population"},
])
# Viewports of phones and desktops, and how much to show around a feature.
screens = st.fixed_dictionaries({
    "latitudinalMeters": st.floats(10, 5e6), "longitudinalMeters": st.floats(10, 5e6),
    "viewportWidth": st.floats(100, 2000), "viewportHeight": st.floats(100, 2000),
})

# Viewports that a map might show. Random ones mostly have absurd scales and are answered 422.
views = st.builds(
    lambda west, south, width, height, scale: {
        "bbox": [west, south, west + width, min(south + height, 90)], **scale
    },
    st.floats(-300, 300), st.floats(-90, 89), st.floats(0.001, 400), st.floats(0, 180),
    st.builds(lambda zoom: {"zoom": zoom}, st.floats(0, 8))
    | st.builds(lambda width: {"viewportWidth": width}, st.floats(100, 2000)),
)
# Fields that such a viewport replaces, and fields that would make most viewports too large.
replaced = {"bbox", "visibleMapRect", "region", "viewportWidth", "zoom", "cellSize", "debug", "limit"}


# Fields of the method grid, which the other methods refuse. A schema can say so for a body but not for a query.
with open(os.path.join(os.path.dirname(__file__), "../../openapi.yaml"), encoding="utf-8") as file:
    method_fields = yaml.safe_load(file)["components"]["schemas"]["MethodFields"]
of_grid = method_fields["oneOf"][1]["properties"].keys() - {"method"}


def is_good(case):
    return case.meta is None or case.meta.generation.mode.is_positive


def takes_view(case):
    return case.method == "POST" and case.path.endswith(("/clusters", "/pins"))


def finds(case):
    return case.method == "POST" and case.path.endswith("/locate")


def without_grid(fields):
    """Removes the fields that the method of a good request does not have, filters of a kind that no schema describes, and
    other orders than that of the nearest."""
    if isinstance(fields, dict):
        unlike = isinstance(fields.get("filter"), dict) or fields.get("filter-lang") == "cql2-json"
        fields = {k: v for k, v in fields.items() if not (unlike and k in ("filter", "filter-lang"))}
        if "near" in fields:
            fields = {k: v for k, v in fields.items() if k not in ("offset", "sortby")}
    if not isinstance(fields, dict) or fields.get("method") not in ("distance", "collision"):
        return fields
    return {name: value for name, value in fields.items() if name not in of_grid}


def deletes_features(case):
    return case.method == "DELETE" and "/items" in case.path


def existing(case):
    """Makes the case delete features that exist, in copies of the sample."""
    if "featureId" in case.path_parameters:
        case.path_parameters.update(collectionId="thinned", featureId=next(spare))
    else:
        case.path_parameters.update(collectionId="emptied")
        # The filters are text.
        for fields in [case.query, (case.query or {}).get("selection")]:
            if isinstance(fields, dict):
                fields.pop("filter-lang", None)
    return case


@schemathesis.hook
def flatmap_case(context, case):
    """Gives half of the good requests for clusters, pins and locate a viewport that makes sense, and
    properties that the sample has."""
    if not is_good(case) or not isinstance(case.body, dict) or not (takes_view(case) or finds(case)):
        return st.just(case)

    def show(made):
        view, asked, method, feature = made
        if view:
            rest = {k: v for k, v in case.body.items() if k not in replaced or finds(case)}
            case.body = without_grid({**rest, **view, **asked, **method})
            if finds(case):
                case.body.pop("previous", None)
                case.path_parameters.update(collectionId="cities", featureId=feature)
            if "groupBy" not in case.body:
                case.body.pop("groups", None)
        return case

    view = st.none() | (screens if finds(case) else views)
    return st.tuples(view, statistics, methods, st.sampled_from(sample).map(str)).map(show)


@schemathesis.hook
def map_case(context, case):
    """Removes from good requests what would make them 422: another id in the body of a PUT than in its
    path, and fields that the method does not have."""
    if not is_good(case):
        return case
    if deletes_features(case):
        return existing(case)
    if case.method == "PUT" and isinstance(case.body, dict) and "geometry" in case.body:
        case.body = {name: value for name, value in case.body.items() if name != "id"}
    if case.method == "GET" and case.query:
        case.query = without_grid(case.query)
    if takes_view(case) or finds(case):
        case.body = without_grid(case.body)
    return case


def drops_sample(case):
    names = case.path_parameters or {}
    drops = case.method == "DELETE" and "/items" not in case.path
    return drops and names.get("collectionId") in ("cities", "thinned", "emptied")


def ask_for_no_version(values, name):
    """Replaces a version that nobody is going to write, for which the answer would be 503."""
    try:
        number = float(str((values or {})[name]))
    except (KeyError, ValueError):
        return
    if number.is_integer() and 0 < number < 2**53:
        values[name] = "0"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Does the same for cases that are not made at random, and keeps the sample from those that take ids from
    earlier answers."""
    ask_for_no_version(case.query, "minVersion")
    ask_for_no_version(case.headers, "Pincluster-Version")
    if drops_sample(case):
        case.path_parameters.update(collectionId="demo")
    if is_good(case) and case.method == "GET" and case.query:
        case.query = without_grid(case.query)


@schemathesis.hook
def filter_case(context, case):
    """Keeps the sample collections, without which nearly every answer would be 404."""
    return not drops_sample(case)


# Collections that were deleted and not created again since.
deleted = set()


@schemathesis.hook
def after_call(context, case, response):
    """Keeps account of deleted collections. A write to anything below a collection creates it again."""
    collection = (case.path_parameters or {}).get("collectionId")
    if not 200 <= response.status_code < 300:
        return
    if case.method == "DELETE" and case.path.endswith("/{collectionId}"):
        deleted.add(collection)
    elif case.method in ("PUT", "POST"):
        deleted.discard(collection)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Accepts a bad id of a Feature when idProperty is given, as that id is not used then; a collection
    that is there after its deletion because a write to its items has created it again, which schemathesis
    does not see; an empty text in a list in a query, which is an empty list; a filter that is none in the
    language that filter-lang names; and header fields that nobody knows."""
    kind = type(failure).__name__
    if kind == "AcceptedNegativeData":
        if "in header - object with unexpected properties" in str(failure.message):
            return False
        bad = re.search(r"parameter `([^`]+)` in query - violates `pattern`", str(failure.message))
        if bad and (case.query or {}).get(bad[1]) in ("", [""]):
            return False
    if kind == "RejectedPositiveData":
        given = {**(case.query or {}), **(case.body if isinstance(case.body, dict) else {})}
        if "filter-lang" in given and re.search(r'"pointer":"/?filter["/]', response.text):
            return False
    if kind == "UseAfterFree":
        return (case.path_parameters or {}).get("collectionId") in deleted or "/items/" in failure.free
    own = re.search(r"in body\b.*\bid\b", str(failure.message), re.DOTALL)
    return not (kind == "AcceptedNegativeData" and own and "idProperty" in (case.query or {}))


def check_annotations(answer, case):
    annotations = answer["annotations"]
    asked = case.body if isinstance(case.body, dict) else case.query or {}
    # Groups with cells of their own cover another rect than the head counts, and fields may leave out counts.
    if not asked.get("groups") and all("count" in a for a in annotations):
        shown = sum(a["count"] for a in annotations)
        assert shown + answer.get("hiddenCount", 0) == answer["featureCount"]
    ids = [a["id"] for a in annotations]
    assert len(set(ids)) == len(ids)
    for a in annotations:
        if {"counts", "otherCount", "count"} <= a.keys():
            assert sum(a["counts"].values()) + a["otherCount"] == a["count"]
    if "changes" in answer:
        changes = answer["changes"]
        assert sorted([new for _, new in changes["kept"]] + changes["added"]) == sorted(ids)
        assert [[a["reuses"], a["id"]] for a in annotations if "reuses" in a] == changes["kept"]
        if isinstance(asked.get("previous"), list):
            before = [one["id"] for one in asked["previous"]]
            assert sorted([old for old, _ in changes["kept"]] + changes["removed"]) == sorted(before)


@schemathesis.check
def counts_add_up(context, response, case):
    """Checks that counts add up, and that pages and problems are consistent."""
    kind = response.headers.get("content-type", [""])[0].partition(";")[0]
    if not kind.endswith("json") or not response.content or case.method == "HEAD":
        return
    answer = response.json()
    if response.status_code >= 400:
        assert kind == "application/problem+json", f"an error as {kind}"
        assert answer["status"] == response.status_code, "another status in the body"
        return
    if "annotations" in answer:
        check_annotations(answer, case)
    if "pins" in answer:
        assert len(answer["pins"]) == answer["featureCount"]
    if "numberReturned" in answer:
        assert len(answer["features"]) == answer["numberReturned"] <= answer["numberMatched"]
