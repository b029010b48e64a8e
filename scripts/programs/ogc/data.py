"""The features that the suite stores: of every type of property, some of which are missing, and with times."""

import datetime
import random

COLLECTION = "ogc"
TEMPORAL = {"start": "begin", "end": "until"}
NAMES = [
    "Berlin", "BERLIN", "Bern", "Bär", "Ba\u0308r", "København", "KØBENHAVN", "Kiev", "kiev", "O'Hare", "100%", "a_b", "back\\slash",
    "tab\there", "line\nfeed", "bell\x07", "", "Ålesund", "x" * 200]


def features(count=240):
    """The features, the same each time."""
    make = random.Random(20)
    return [_feature(make, number) for number in range(1, count + 1)]


def _feature(make, number):
    """One feature. About one in ten lacks a property, or has null there."""
    begin = datetime.datetime(2022, 4, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(
        minutes=15 * make.randrange(96 * 40))
    until = begin + datetime.timedelta(minutes=15 * make.randrange(96 * 9))
    properties = {
        "name": make.choice(NAMES), "pop": make.randrange(-50, 200), "share": make.randrange(0, 1000) / 100,
        "flag": make.random() < 0.5, "day": begin.strftime("%Y-%m-%d"), "begin": _text(begin), "until": _text(until),
    }
    for name in list(properties):
        if make.random() < 0.1:
            if make.random() < 0.5:
                properties[name] = None
            else:
                del properties[name]
    # Some lie on corners and edges of the shapes that the tests ask for.
    if number % 5:
        place = [round(make.uniform(-180, 179.99), 5), round(make.uniform(-90, 90), 5)]
    else:
        place = make.choice([[0, 0], [10, 10], [5, 0], [-180, -45], [7.02, 49.92], [-90, 10], [-110, -45], [-180, 45]])
    if number % 7 == 0:
        place = [*place, number * 1.5]
    return {
        "type": "Feature", "id": number, "geometry": {"type": "Point", "coordinates": place}, "properties": properties}


def _text(time):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds(text):
    """A date-time in seconds, None if it is none."""
    if not isinstance(text, str):
        return None
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return None


FEATURES = features()
BY_ID = {one["id"]: one for one in FEATURES}


def store(service):
    """Stores the features in a collection of their own, anew."""
    address = f"/collections/{COLLECTION}"
    service.send("DELETE", address)
    answer = service.send("PUT", address, body={"title": "Suite", "temporal": TEMPORAL}, Content_Type="application/json")
    assert answer.status in (200, 201), str(answer)
    answer = service.send("POST", f"{address}/items", body={"type": "FeatureCollection", "features": FEATURES})
    assert answer.status == 200, str(answer)
