"""Features part 1, core, and Common part 1: the landing page, the description and the list of classes."""

import json

from openapi_spec_validator import OpenAPIV30SpecValidator

import schemas
from assertions import SPEC
from service import HTML, JSON, OPENAPI, link
from suite import test

CONFORMANCE = "http://www.opengis.net/def/rel/ogc/1.0/conformance"
LANDING_RESOURCES = ["/", "/conformance"]


@test("features-1/core", "http")
def http(service):
    answer = service.get("/")
    assert answer.headers["Date"] and answer.headers["Content-Type"] == JSON
    assert service.send("HEAD", "/").body == b""
    # Neither unknown methods nor paths upset it.
    assert service.send("DELETE", "/").status == 405 and service.send("GET", "/nothing").status == 404


@test("features-1/core", "root-op", "root-success")
@test("common-1/landing-page", "root-op", "root-success")
def landing_page(service):
    document = service.get("/", JSON).json()
    schemas.check(document, schemas.LANDING)
    for relations in (["service-desc", "service-doc"], ["conformance", CONFORMANCE], ["data"]):
        assert any(link(document, one, required=False) for one in relations), f"no link {relations[0]}"
    page = service.page("/")
    for relation in ("service-desc", "conformance", "data"):
        assert link(document, relation) in page, f"the page has no link {relation}"


@test("common-1/landing-page", "conformance-op", "conformance-success")
def conformance_by_its_full_name(service):
    document = service.get("/", JSON).json()
    check_classes(service, link(document, CONFORMANCE))


@test("features-1/core", "conformance-op", "conformance-success")
@test("tiles-1/core", "conformance-success")
def conformance(service):
    document = service.get("/", JSON).json()
    for address in (link(document, "conformance"), "/conformance"):
        classes = check_classes(service, address)
        assert f"{SPEC}/ogcapi-features-1/1.0/conf/core" in classes
        assert f"{SPEC}/ogcapi-tiles-1/1.0/conf/core" in classes


def check_classes(service, address):
    document = service.get(address, JSON).json()
    schemas.check(document, schemas.CLASSES)
    page = service.page(address)
    for one in document["conformsTo"]:
        assert one in page, f"the page lacks {one}"
    return document["conformsTo"]


@test("features-1/core", "api-definition-op", "api-definition-success")
@test("common-1/landing-page", "api-definition-op", "api-definition-success")
@test("features-1/oas30", "oas-definition-1", "oas-definition-2")
def api_definition(service):
    landing = service.get("/", JSON).json()
    described = 0
    for one in landing["links"]:
        if one["rel"] == "service-desc":
            answer = service.get(one["href"])
            assert answer.headers["Content-Type"] == one["type"], answer.headers["Content-Type"]
            described += answer.type == OPENAPI
    assert described == 1, "OpenAPI 3.0 is not there as JSON"
    assert link(landing, "service-desc", OPENAPI).startswith(service.url)
    document = service.get(link(landing, "service-desc", OPENAPI), OPENAPI).json()
    assert document["openapi"].startswith("3.0."), document["openapi"]
    OpenAPIV30SpecValidator(document).validate()
    service.page(link(landing, "service-doc", HTML))


@test("common-1/json", "definition", "content")
def pages_are_json(service):
    for path, schema in zip(LANDING_RESOURCES, (schemas.LANDING, schemas.CLASSES)):
        schemas.check(service.get(path, JSON).json(), schema)
    json.loads(service.get("/api", OPENAPI).body)


@test("common-1/html", "definition", "content")
def pages_are_html(service):
    for path in [*LANDING_RESOURCES, "/api"]:
        service.page(path)
        service.page(path, f="html")
