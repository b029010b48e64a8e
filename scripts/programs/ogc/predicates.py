"""Predicates of each class of CQL2, and the same in Python: True, False, or None where it is unknown."""

import re
import unicodedata

import data


def value(feature, name):
    """A property. A time is in seconds."""
    own = feature["properties"].get(name)
    return data.seconds(own) if name in ("begin", "until") else own


def known(name, of):
    """A predicate of a property that is unknown without it."""
    return lambda one: None if (own := value(one, name)) is None else of(own)


def places(inside):
    return lambda one: inside(*one["geometry"]["coordinates"][:2])


def at(text):
    return data.seconds(text)


def like(pattern, flags=0):
    return re.compile(re.escape(pattern).replace("%", ".*").replace("_", "."), re.S | flags).fullmatch


def plain(text):
    """A name of the test data without accents."""
    return "".join(
        one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one)).translate({0xF8: "o", 0xD8: "O"})


def span(of):
    """A predicate of the span from begin to until."""
    return lambda one: (
        None if None in (value(one, "begin"), value(one, "until")) else of(value(one, "begin"), value(one, "until")))


NOON, LATER = at("2022-04-10T12:00:00Z"), at("2022-04-20T12:00:00Z")
SPAN = "INTERVAL('2022-04-10T12:00:00Z','2022-04-20T12:00:00Z')"
RING = "0 0, 10 0, 10 10, 0 10, 0 0"
HOLED = f"POLYGON((-180 -90, -90 -90, -90 90, -180 90, -180 -90), (-120 -50, -100 -50, -100 -40, -120 -40, -120 -50))"


def in_ring(x, y): return 0 <= x <= 10 and 0 <= y <= 10
def in_holed(x, y): return -180 <= x <= -90 and not (-120 < x < -100 and -50 < y < -40)


PREDICATES = {
    "basic-cql2": [
        ("name = 'Bern'", known("name", lambda own: own == "Bern")),
        ("name >= 'København'", known("name", lambda own: own.encode() >= "København".encode())),
        ("name < 'København'", known("name", lambda own: own.encode() < "København".encode())),
        ("name <> 'O''Hare'", known("name", lambda own: own != "O'Hare")),
        ("pop = 37", known("pop", lambda own: own == 37)),
        ("pop >= -3", known("pop", lambda own: own >= -3)),
        ("pop < 1e2", known("pop", lambda own: own < 100)),
        ("share <> 5", known("share", lambda own: own != 5)),
        ("share <= 2.5", known("share", lambda own: own <= 2.5)),
        ("flag = TRUE", known("flag", lambda own: own)),
        ("flag = false", known("flag", lambda own: not own)),
        ("\"day\" = DATE('2022-04-16')", known("day", lambda own: own == "2022-04-16")),
        ("day > DATE('2022-04-16')", known("day", lambda own: own > "2022-04-16")),
        ("begin <= TIMESTAMP('2022-04-16T10:15:00Z')", known("begin", lambda own: own <= at("2022-04-16T10:15:00Z"))),
        ("begin <> TIMESTAMP('2022-04-16T10:15:00Z')", known("begin", lambda own: own != at("2022-04-16T10:15:00Z"))),
        ("pop IS NULL", lambda one: value(one, "pop") is None),
        ("day IS NOT NULL", lambda one: value(one, "day") is not None),
        ("unheard IS NULL", lambda one: True),
        ("unheard = 1", lambda one: None),
    ],
    "advanced-comparison-operators": [
        ("name LIKE 'B_r%'", known("name", lambda own: bool(like("B_r%")(own)))),
        ("name NOT LIKE 'B%'", known("name", lambda own: not own.startswith("B"))),
        ("pop BETWEEN 0 AND 50", known("pop", lambda own: 0 <= own <= 50)),
        ("pop NOT BETWEEN 0 AND 50", known("pop", lambda own: not 0 <= own <= 50)),
        ("name IN ('Bern','kiev','foo')", known("name", lambda own: own in ("Bern", "kiev"))),
        ("name NOT IN ('Bern','kiev')", known("name", lambda own: own not in ("Bern", "kiev"))),
        ("pop IN (1, 2, 3, 4, 5, 6, 7, 8)", known("pop", lambda own: own in range(1, 9))),
        ("day IN (DATE('2022-04-16'),DATE('2022-04-18'))", known("day", lambda own: own in ("2022-04-16", "2022-04-18"))),
        ("flag NOT IN (false)", known("flag", lambda own: own)),
    ],
    "case-insensitive-comparison": [
        (f"CASEI(name) = CASEI('{name}')", known("name", lambda own: own.casefold() == "københavn"))
        for name in ("København", "københavn", "KØBENHAVN")
    ] + [
        ("CASEI(name) LIKE CASEI('b_R%')", known("name", lambda own: bool(like("b_r%", re.I)(own)))),
        ("CASEI(name) IN (CASEI('KIEV'), CASEI('foo'))", known("name", lambda own: own.casefold() == "kiev")),
        ("CASEI(name) = 'BERLIN'", known("name", lambda own: False)),
    ],
    "accent-insensitive-comparison": [
        ("ACCENTI(name) = accenti('Bár')", known("name", lambda own: plain(own) == "Bar")),
        ("ACCENTI(name) = 'Bär'", known("name", lambda own: False)),
        ("ACCENTI(name) >= ACCENTI('Käa')", known("name", lambda own: plain(own).encode() >= b"Kaa")),
        ("ACCENTI(CASEI(name)) = accenti(casei('KØBENHAVN'))", known("name", lambda own: plain(own).lower() == "kobenhavn")),
        ("ACCENTI(name) LIKE accenti('Ḃ_r%')", known("name", lambda own: bool(like("B_r%")(plain(own))))),
        ("CASEI(ACCENTI(name)) LIKE 'å%'", known("name", lambda own: False)),
        ("ACCENTI(CASEI(name)) IN (accenti(casei('Ålesund')), accenti(casei('KIÉV')), accenti(casei('foo')))", known(
            "name", lambda own: plain(own).lower() in ("alesund", "kiev"))),
    ],
    "basic-spatial-functions": [
        ("S_INTERSECTS(geometry,BBOX(0,0,10,10))", places(in_ring)),
        ("S_INTERSECTS(geometry,BBOX(150,-90,-150,90))", places(lambda x, y: x >= 150 or x <= -150)),
        ("S_INTERSECTS(geometry,POINT(7.02 49.92))", places(lambda x, y: (x, y) == (7.02, 49.92))),
        ("S_INTERSECTS(geometry,POINT(5 0))", places(lambda x, y: (x, y) == (5, 0))),
    ],
    "basic-spatial-functions-plus": [
        ("S_INTERSECTS(geometry,LINESTRING(-180 -45, 0 -45))", places(lambda x, y: y == -45 and -180 <= x <= 0)),
        ("S_INTERSECTS(geometry,MULTILINESTRING((-180 -45, 0 -45), (0 0, 20 20)))", places(
            lambda x, y: y == -45 and x <= 0 or x == y and 0 <= x <= 20)),
        (f"S_INTERSECTS(geometry,POLYGON(({RING})))", places(in_ring)),
        (f"S_INTERSECTS(geometry,{HOLED})", places(in_holed)),
        (f"S_INTERSECTS(geometry,MULTIPOLYGON{HOLED.removeprefix('POLYGON').replace('((', '(((', 1)},(({RING}))))", places(
            lambda x, y: in_holed(x, y) or in_ring(x, y))),
        (f"S_INTERSECTS(geometry,GEOMETRYCOLLECTION(POINT(7.02 49.92), POLYGON(({RING}))))", places(
            lambda x, y: (x, y) == (7.02, 49.92) or in_ring(x, y))),
        ("S_INTERSECTS(geometry,MULTIPOINT((5 0), (10 10)))", places(lambda x, y: (x, y) in ((5, 0), (10, 10)))),
    ],
    "temporal-functions": [
        ("T_AFTER(begin,TIMESTAMP('2022-04-16T10:15:00Z'))", known("begin", lambda own: own > at("2022-04-16T10:15:00Z"))),
        (f"T_BEFORE(begin,{SPAN})", known("begin", lambda own: own < NOON)),
        (f"T_DISJOINT(begin,{SPAN})", known("begin", lambda own: not NOON <= own <= LATER)),
        (f"T_INTERSECTS(begin,{SPAN})", known("begin", lambda own: NOON <= own <= LATER)),
        ("T_EQUALS(day,DATE('2022-04-16'))", known("day", lambda own: own == "2022-04-16")),
        ("T_EQUALS(day,INTERVAL('2022-04-16','2022-04-16'))", known("day", lambda own: own == "2022-04-16")),
        ("T_INTERSECTS(day,INTERVAL('2022-04-10','2022-04-20'))", known(
            "day", lambda own: "2022-04-10" <= own <= "2022-04-20")),
        (f"T_AFTER(INTERVAL(begin,until),{SPAN})", span(lambda a, b: a > LATER)),
        (f"T_BEFORE(INTERVAL(begin,until),{SPAN})", span(lambda a, b: b < NOON)),
        (f"T_DURING(INTERVAL(begin,until),{SPAN})", span(lambda a, b: NOON < a and b < LATER)),
        (f"T_CONTAINS(INTERVAL(begin,until),INTERVAL('2022-04-14T00:00:00Z','2022-04-14T06:00:00Z'))", span(
            lambda a, b: a < at("2022-04-14T00:00:00Z") and b > at("2022-04-14T06:00:00Z"))),
        (f"T_OVERLAPS(INTERVAL(begin,until),{SPAN})", span(lambda a, b: a < NOON < b < LATER)),
        (f"T_OVERLAPPEDBY(INTERVAL(begin,until),{SPAN})", span(lambda a, b: NOON < a < LATER < b)),
        (f"T_INTERSECTS(INTERVAL(begin,until),{SPAN})", span(lambda a, b: a <= LATER and b >= NOON)),
        ("T_AFTER(INTERVAL(begin,until),INTERVAL('..','2022-04-16T10:15:00Z'))", span(
            lambda a, b: a > at("2022-04-16T10:15:00Z"))),
    ],
}
