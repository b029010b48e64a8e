"""The data set and the predicates of the CQL2 standard, by hand, as both are the OGC's:

    dataset.py URL REPOSITORY    REPOSITORY: a clone of github.com/opengeospatial/ogcapi-features

Stores the points of the data set, asks for each predicate on them that a table of the annex has, as text and as JSON, and
compares the counts. The examples that come in both languages must be valid in both, or in neither, and find the same.
Needs ogr2ogr.
"""

import json
import re
import subprocess
import sys
import tempfile
import urllib.parse

import cql2 as reference

from service import JSON, Service

PLACES = "ne_110m_populated_places_simple"
CLAIMED = [
    "basic-cql2", "advanced-comparison-operators", "case-insensitive-comparison", "accent-insensitive-comparison", "basic-spatial-functions",
    "basic-spatial-functions-plus", "temporal-functions"]


def read(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True).stdout


def store(service, repository):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/data.gpkg", "wb") as file:
            file.write(read(repository, "show", "HEAD:cql2/standard/data/ne110m4cql2.gpkg"))
        subprocess.run(
            ["ogr2ogr", "-f", "GeoJSON", "-lco", "COORDINATE_PRECISION=15", f"{folder}/data.json", f"{folder}/data.gpkg", PLACES],
            check=True)
        with open(f"{folder}/data.json", encoding="utf-8") as file:
            features = json.load(file)
    for one in features["features"]:
        for name, value in one["properties"].items():
            # GDAL writes dates and times of its own.
            time = isinstance(value, str) and re.fullmatch(r"(\d{4})[/-](\d\d)[/-](\d\d)(?:[ T](\d\d:\d\d:\d\d).*)?", value)
            if time:
                one["properties"][name] = "-".join(time.groups()[:3]) + (f"T{time[4]}Z" if time[4] else "")
    answer = service.send("POST", f"/collections/{PLACES}/items", body=features)
    assert answer.status == 200, str(answer)
    return len(features["features"])


def predicates(repository, name):
    """The predicates on the points in the tables of a class, with their counts."""
    text = read(repository, "show", f"HEAD:cql2/standard/annex_ats_{name}.adoc").decode()
    for predicate, count in re.findall(rf"\|{PLACES} \|`(.*?)` *\|(\d+)", text):
        yield predicate, int(count)
    for *parts, count in re.findall(r"^\|`(.*?)` \|`(.*?)` \|`(.*?)` \|`(.*?)` \|(\d+)$", text, re.M):
        p1, p2, p3, p4 = parts
        yield f"(NOT ({p2}) AND {p1}) OR ({p3} and {p4}) or not ({p1} OR {p4})", int(count)


def count(service, text, language):
    answer = service.send(
        "GET", f"/collections/{PLACES}/items", {"filter": text, "filter-lang": language, "limit": 0}, Accept=JSON)
    return answer.json()["numberMatched"] if answer.status == 200 else answer.json()["detail"]


def main():
    service, repository = Service(sys.argv[1]), sys.argv[2]
    total, faults = store(service, repository), 0
    asked = 0
    for name in CLAIMED:
        for predicate, wanted in predicates(repository, name):
            text = predicate.replace("\\<", "<").replace("\\(", "(")
            asked += 1
            found = count(service, text, "cql2-text")
            try:
                other = count(service, json.dumps(reference.parse_text(text).to_json()), "cql2-json")
            except Exception:  # what the other parser has no JSON for
                other = found
            if (found, other) != (wanted, wanted):
                faults += 1
                print(f"{name}: {text}: {found}, as JSON {other}, and not {wanted}")
    folder = "cql2/standard/schema/examples"
    files = read(repository, "ls-tree", "-r", "--name-only", "HEAD", folder).decode().split()
    pairs = supported = 0
    for path in files:
        other = path.replace("/text/", "/json/").replace(".txt", ".json")
        if "/text/" not in path or other not in files:
            continue
        pairs += 1
        text = read(repository, "show", f"HEAD:{path}").decode().strip()
        found = count(service, text, "cql2-text")
        same = count(service, read(repository, "show", f"HEAD:{other}").decode(), "cql2-json")
        supported += isinstance(found, int)
        if isinstance(found, int) != isinstance(same, int) or isinstance(found, int) and found != same:
            faults += 1
            print(f"{urllib.parse.quote(path.rsplit('/', 1)[1])}: {text!r}: {found}, as JSON {same}")
    service.send("DELETE", f"/collections/{PLACES}")
    print(f"CQL2: {asked} predicates on {total} points, {pairs} examples, {supported} of them understood, {faults} faults")
    sys.exit(1 if faults else 0)


main()
