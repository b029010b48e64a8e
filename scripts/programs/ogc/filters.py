"""CQL2: filters as text and as JSON, and which features they must find."""

import json
import math
import operator
import random

import cql2 as reference

import data
from features import ITEMS, found, ids
from predicates import PREDICATES, value
from suite import test

OPERATORS = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
LITERALS = {
    "name": ("'foo'", "foo"), "flag": ("TRUE", True), "share": ("3.14", 3.14), "pop": ("1", 1),
    "begin": ("TIMESTAMP('2022-04-14T14:48:46Z')", data.seconds("2022-04-14T14:48:46Z")),
    "day": ("DATE('2022-04-14')", "2022-04-14"),
}


def select(service, text):
    """The ids that a filter finds, written as text. As JSON it must find the same."""
    some = ids(found(service, filter=text, limit=1000))
    assert some == select_json(service, text), f"{text}: other features as JSON"
    return some


def select_json(service, text):
    condition = json.dumps(reference.parse_text(text).to_json())
    return ids(found(service, filter=condition, limit=1000, **{"filter-lang": "cql2-json"}))


def passing(predicate):
    """The ids of the features of which a predicate is true. Of others it is false, or None: unknown."""
    return {one["id"] for one in data.FEATURES if predicate(one) is True}


def check(service, text, predicate):
    some, wanted = select(service, text), passing(predicate)
    assert some == wanted, f"{text}: {len(some)} found, {len(wanted)} expected, {sorted(some ^ wanted)[:5]} differ"
    return some


def check_class(service, kind):
    """The predicates of a class find what they must, and not always all or nothing."""
    counts = [len(check(service, text, predicate)) for text, predicate in PREDICATES[kind]]
    assert any(0 < one < len(data.FEATURES) for one in counts), counts


@test("cql2/basic-cql2", "test-data")
def basic(service):
    check_class(service, "basic-cql2")


@test("cql2/advanced-comparison-operators", "test-data")
def advanced(service):
    check_class(service, "advanced-comparison-operators")


@test("cql2/case-insensitive-comparison", "test-data")
def case_insensitive(service):
    check_class(service, "case-insensitive-comparison")


@test("cql2/accent-insensitive-comparison", "test-data")
def accent_insensitive(service):
    check_class(service, "accent-insensitive-comparison")


@test("cql2/basic-spatial-functions", "test-data")
def spatial(service):
    check_class(service, "basic-spatial-functions")


@test("cql2/basic-spatial-functions-plus", "test-data")
def more_spatial(service):
    check_class(service, "basic-spatial-functions-plus")


@test("cql2/temporal-functions", "test-data")
def temporal(service):
    check_class(service, "temporal-functions")


@test("cql2/basic-cql2", "logical")
@test("cql2/advanced-comparison-operators", "logical")
@test("cql2/case-insensitive-comparison", "logical")
@test("cql2/accent-insensitive-comparison", "logical")
@test("cql2/basic-spatial-functions", "logical")
@test("cql2/temporal-functions", "logical")
def logical(service):
    """Combinations of four predicates, with what is unknown as SQL has it."""
    make = random.Random(7)
    def no(a): return None if a is None else not a
    def both(a, b): return False if a is False or b is False else None if None in (a, b) else True
    def either(a, b): return no(both(no(a), no(b)))
    basics = PREDICATES["basic-cql2"]
    for kind, own in PREDICATES.items():
        for _ in range(10):
            (t1, p1), (t2, p2), (t3, p3), (t4, p4) = (make.choice(own if make.random() < 0.7 else basics) for _ in range(4))
            check(
                service, f"((NOT ({t1}) AND {t2}) OR ({t3} AND NOT ({t4})) OR NOT ({t1} AND {t4}))",
                lambda f: either(either(both(no(p1(f)), p2(f)), both(p3(f), no(p4(f)))), no(both(p1(f), p4(f)))))


@test("cql2/basic-cql2", "comparison")
def comparison(service):
    for name, (literal, other) in LITERALS.items():
        sets = {}
        for symbol, compare in OPERATORS.items():
            def predicate(one):
                own = value(one, name)
                return None if own is None else compare(own, other)
            sets[symbol] = check(service, f"{name} {symbol} {literal}", predicate)
        for one, opposite in (("=", "<>"), (">", "<="), ("<", ">=")):
            assert not sets[one] & sets[opposite]


@test("cql2/basic-cql2", "is-null")
def is_null(service):
    for name in ("name", "pop", "share", "flag", "day", "begin"):
        nothing = check(service, f"{name} IS NULL", lambda one: one["properties"].get(name) is None)
        assert select(service, f"{name} is not null") == ids(data.FEATURES) - nothing


@test("cql2/basic-cql2", "boolean")
def boolean(service):
    assert select(service, "true") == ids(data.FEATURES) and select(service, "false") == set()


@test("cql2/advanced-comparison-operators", "like")
def like(service):
    sets = {pattern: select(service, f"name like '{pattern}'") for pattern in ("%", "_%", "", "%%")}
    assert not sets["_%"] & sets[""] and sets["%"] == sets["%%"] == sets["_%"] | sets[""] and sets[""]
    # The escape of PyPI's cql2 is the same, yet it writes JSON with the backslashes as they are.
    for pattern, name in ((r"\%\_", "%_"), (r"100\%", "100%"), (r"a\_b", "a_b"), (r"back\\slash", "back\\slash")):
        check(service, f"name LIKE '{pattern}'", lambda one: (own := value(one, "name")) and own == name)


@test("cql2/advanced-comparison-operators", "between")
def between(service):
    for name in ("pop", "share"):
        inside = select(service, f"{name} BETWEEN 0 AND 100")
        assert inside == passing(lambda one: (own := value(one, name)) is not None and 0 <= own <= 100) and inside
        assert select(service, f"{name} between 100.0 and 1.0") == set()


@test("cql2/advanced-comparison-operators", "in")
def is_in(service):
    check(service, "pop IN (1, 2, 3)", lambda one: value(one, "pop") in (1, 2, 3))
    check(service, "share IN (1, 2, 3.5)", lambda one: value(one, "share") in (1, 2, 3.5))
    check(service, "name in ('foo', 'Bern')", lambda one: value(one, "name") == "Bern")
    check(service, "flag in (true)", lambda one: value(one, "flag") is True)
    day, begin = data.FEATURES[1]["properties"]["day"], data.FEATURES[1]["properties"]["begin"]
    check(service, f"day in ('{day}', '2022-01-01')", lambda one: value(one, "day") == day)
    check(service, f"begin in ('{begin}', '2022-04-14T14:52:56Z')", lambda one: one["properties"].get("begin") == begin)


def check_folded(service, function, text, other, holds):
    """A comparison without some differences holds where it should, and the opposite for all other texts."""
    same = check(service, f"{function.upper()}(name) = {function}('{text}')", holds)
    different = select(service, f"{function.upper()}(name) <> {function}('{other}')")
    assert same and not same & different and same | different == select(service, "name IS NOT NULL")


def check_same(service, one, other):
    """Two filters find the same, and something."""
    some = select(service, one)
    assert some and some == select(service, other)


@test("cql2/case-insensitive-comparison", "casei")
def any_case(service):
    check_folded(service, "casei", "BERN", "bern", lambda one: (value(one, "name") or "").lower() == "bern")


@test("cql2/case-insensitive-comparison", "casei-like")
def any_case_like(service):
    check_same(service, "CASEI(name) LIKE casei('ber%')", "CASEI(name) LIKE casei('BER%')")


@test("cql2/accent-insensitive-comparison", "accenti")
def any_accent(service):
    check_folded(service, "accenti", "Bàr", "Bar", lambda one: value(one, "name") in ("Bär", "Ba\u0308r"))


@test("cql2/accent-insensitive-comparison", "accenti-like")
def any_accent_like(service):
    check_same(service, "ACCENTI(name) LIKE accenti('Ä%')", "ACCENTI(name) LIKE accenti('A%')")


@test("cql2/accent-insensitive-comparison", "accenti-casei")
def any_accent_and_case(service):
    check_same(service, "ACCENTI(CASEI(name)) = accenti(casei('KÖBENHAVN'))", "CASEI(ACCENTI(name)) = casei(accenti('kobenhavn'))")


@test("cql2/accent-insensitive-comparison", "accenti-casei-like")
def any_accent_and_case_like(service):
    check_same(service, "ACCENTI(CASEI(name)) LIKE accenti(casei('ÄL%'))", "ACCENTI(CASEI(name)) LIKE accenti(casei('al%'))")


@test("cql2/basic-spatial-functions", "s_intersects")
def intersects(service):
    assert select(service, "S_INTERSECTS(geometry,BBOX(-180,-90,180,90))") == ids(data.FEATURES)
    assert select(service, "S_INTERSECTS(geometry,POINT(7.02 49.92))")
    service.refuses(ITEMS, filter="S_INTERSECTS(geometry,POINT(90 180))")
    assert not select(
        service, "S_INTERSECTS(geometry,BBOX(-180,-90,-90.5,90)) AND S_INTERSECTS(geometry,BBOX(90,-90,180,90))") & passing(
            lambda one: abs(one["geometry"]["coordinates"][0]) != 180)


@test("cql2/basic-spatial-functions-plus", "s_intersects")
def intersects_more(service):
    service.refuses(ITEMS, filter="S_INTERSECTS(geometry,MULTIPOINT(7.02 49.92, 90 180))")
    box = "-180 -90, -90 -90, -90 90, -180 90, -180 -90"
    for shape in [
        "LINESTRING(-180 -45, 0 -45)", "MULTILINESTRING((-180 -45, 0 -45), (0 45, 180 45))",
        f"POLYGON(({box}), (-120 -50, -100 -50, -100 -40, -120 -40, -120 -50))",
        f"MULTIPOLYGON((({box}), (-120 -50, -100 -50, -100 -40, -120 -40, -120 -50)),((0 0, 10 0, 10 10, 0 10, 0 0)))",
        "GEOMETRYCOLLECTION(POINT(7.02 49.92), POLYGON((0 0, 10 0, 10 10, 0 10, 0 0)))",
    ]:
        assert 0 < len(select(service, f"S_INTERSECTS(geometry,{shape})")) < len(data.FEATURES), shape


@test("cql2/temporal-functions", "temporal-functions-1")
def times(service):
    for name, at, span in [
        ("begin", "TIMESTAMP('2022-04-24T07:59:57Z')", "'2022-04-10T00:00:00Z','2022-04-20T23:59:59Z'"),
        ("day", "DATE('2022-04-24')", "'2022-04-10','2022-04-20'"),
    ]:
        for other in (at, f"INTERVAL({span})"):
            sets = {
                function: select(service, f"T_{function}({name},{other})")
                for function in ("AFTER", "BEFORE", "DISJOINT", "EQUALS", "INTERSECTS")}
            assert sets["AFTER"] | sets["BEFORE"] == sets["DISJOINT"] and sets["DISJOINT"], f"{name} {other}"
            assert not sets["DISJOINT"] & sets["INTERSECTS"] and sets["EQUALS"] <= sets["INTERSECTS"]
            assert sets["DISJOINT"] | sets["INTERSECTS"] == select(service, f"{name} IS NOT NULL")


@test("cql2/temporal-functions", "temporal-functions-2")
def spans(service):
    """Of two spans exactly one of the relations of Allen holds."""
    functions = "AFTER BEFORE CONTAINS DURING EQUALS FINISHEDBY FINISHES MEETS METBY OVERLAPPEDBY OVERLAPS STARTEDBY STARTS"
    span = "INTERVAL('2022-04-10T00:00:00Z','2022-04-20T12:00:00Z')"
    sets = [select(service, f"T_{one}(INTERVAL(begin,until),{span})") for one in functions.split()]
    both = passing(lambda one: None not in (value(one, "begin"), value(one, "until")) and value(one, "begin") != value(one, "until"))
    assert set().union(*sets) >= both
    assert sum(len(one & both) for one in sets) == len(both), "two relations at once"
    select(service, f"T_DISJOINT(INTERVAL(begin,until),{span})")
    assert select(service, "T_DURING(INTERVAL(day,until),INTERVAL('..','..'))") is not None


@test("cql2/cql2-text", "escaping")
def escaping(service):
    for name in data.NAMES:
        quoted = name.replace("'", "''")
        some = ids(found(service, filter=f"name = '{quoted}'"))
        assert some == passing(lambda one: value(one, "name") == name) and some, repr(name)
    # The other way to write a quotation mark, and control characters.
    for text, name in ((r"O\'Hare", "O'Hare"), (r"tab\there", "tab\there"), (r"line\nfeed", "line\nfeed"), (r"bell\a", "bell\a")):
        some = ids(found(service, filter=f"name = '{text}'"))
        assert some == passing(lambda one: value(one, "name") == name) and some, repr(name)


@test("cql2/cql2-text", "validate")
@test("cql2/cql2-json", "validate")
def both_languages(service):
    """What is no filter in one language is none in the other. All other tests ask in both."""
    for text in ("pop =", "pop = 1 AND", "(pop = 1", "S_INTERSECTS(geometry, POLYGON((0 0, 4 0", "pop ! 1"):
        service.refuses(ITEMS, filter=text)
    for condition in (
        {}, {"op": "="}, {"op": "=", "args": [{"property": "pop"}]}, {"op": "unheard", "args": []}, [], 7,
        {"op": "s_intersects", "args": [{"property": "geometry"}, {"type": "Polygon", "coordinates": 5}]},
    ):
        service.refuses(ITEMS, filter=json.dumps(condition), **{"filter-lang": "cql2-json"})
    assert math.isclose(len(select(service, "pop = 1 OR pop <> 1")), len(select(service, "pop IS NOT NULL")))
