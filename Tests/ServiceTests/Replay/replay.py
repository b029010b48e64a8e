"""Replays every example in api/examples against a live server: replay.py [--update] URL

The server must hold the sample collection `cities` as it was imported, and must never have had a
collection `demo`. In the order of the document the examples are one session, but for requests that remove
something, which come last. An example without a `request` is only held against its schema.

An answer must have the documented status, media type and headers, fit its schema, and be equal to the
example, numbers to 1e-9 of their size. Titles of links may be worded otherwise, and versions, which count all
that was ever written, may be higher. Of an example that is `loose` only the schema counts. Media types that the
first example of a GET does not show are asked for as well.

Every operation that takes fields of the viewport request must know those that the document gives it, and no
others; no field is 400 with the example of its schema.

Prints what differs and exits with 1 if anything does. With --update, an example that differs from an answer
of the right status, type and schema is replaced by it in its file. Read the difference before you commit it:
the examples promise, and this writes down what the server does.

Needs PyYAML and jsonschema (Debian: python3-yaml, python3-jsonschema).
"""

import importlib.machinery
import importlib.util
import json
import pathlib
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

import jsonschema
import yaml

# Nothing is left beside the sources.
sys.dont_write_bytecode = True
script = str(pathlib.Path(__file__).resolve().parents[3] / "scripts/openapi")
loader = importlib.machinery.SourceFileLoader("openapi", script)
openapi = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(openapi)


JSON = {"Content-Type": "application/json"}
USUAL = "http://127.0.0.1:8080"


class Replay:
    def __init__(self, url, update):
        self.url = url.rstrip("/")
        self.update = update
        self.document, self.examples = openapi.assemble()
        self.requests = 0
        self.faults = []

    def resolved(self, node):
        """The node itself, or what its $ref names."""
        while isinstance(node, dict) and "$ref" in node:
            target = self.document
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")]
            node = target
        return node

    def fault(self, where, text):
        self.faults.append(f"{where}: {text}")

    def check(self, where, value, schema):
        """Holds a value against a schema of the document."""
        whole = {**schema, "components": self.document["components"]}
        validator = jsonschema.Draft202012Validator(whole)
        for error in list(validator.iter_errors(value))[:3]:
            self.fault(where, f"at /{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")

    def send(self, method, target, headers={}, body=None):
        """Status, headers and body of an answer."""
        if body is not None:
            body = (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)).encode()
        request = urllib.request.Request(self.url + target, data=body, headers=headers, method=method)
        self.requests += 1
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, everything(answer)
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def run(self):
        kept = [one for one in self.examples if one.method != "DELETE"]
        # Features are removed before their collection.
        removals = [one for one in self.examples if one.method == "DELETE"]
        removals.sort(key=lambda one: -one.path.count("/"))
        for example in [*kept, *removals]:
            self.replay(example)
        self.other_types()
        self.fields()

    def response(self, example):
        """What the document says about the answer to an example."""
        if example.operation is None:
            return self.document["components"]["responses"][example.owner]
        return self.resolved(example.operation["responses"][str(example.data["status"])])

    def replay(self, example):
        where, data = example.file, example.data
        if example.operation:
            self.check_request(example)
        for media, value in data.get("answers", {}).items():
            if "event-stream" not in media:
                self.check(f"{where}, {media}", value, self.response(example)["content"][media]["schema"])
        if example.method:
            for media in data.get("answers", {None: None}):
                self.compare(example, media)

    def check_request(self, example):
        """Holds the request of an example against its operation."""
        data, operation = example.data, example.operation
        if "body" in data:
            schema = operation["requestBody"]["content"][data["type"]]["schema"]
            self.check(f"{example.file}, the body", data["body"], schema)
        known = self.parameters(operation)
        for name, value in data.get("query", {}).items():
            if name in known:
                self.check(f"{example.file}, {name}", value, known[name])
            else:
                self.fault(example.file, f"{name} is no parameter of {example.owner}")

    def parameters(self, operation):
        """The schemas of the query parameters by name; the members of an exploded object are parameters."""
        schemas = {}
        for parameter in map(self.resolved, operation.get("parameters", [])):
            if parameter["in"] == "query":
                content = parameter.get("content", {}).get("application/json", parameter)
                if parameter.get("explode") and "properties" in content["schema"]:
                    schemas.update(content["schema"]["properties"])
                else:
                    schemas[parameter["name"]] = content["schema"]
        return schemas

    def ask(self, example, media):
        """The answer to the request of an example as a media type."""
        data = example.data
        # An error comes whatever the client accepts, and may be about what it accepts.
        headers = {"Accept": media.split(";")[0]} if media and example.operation else {}
        if "type" in data:
            headers["Content-Type"] = data["type"]
        return self.send(example.method, example.target, {**headers, **data.get("headers", {})}, data.get("body"))

    def compare(self, example, media):
        data, where = example.data, f"{example.file}, {media}"
        answer = self.ask(example, media)
        value = self.read(where, answer, data["status"], media, self.response(example))
        if value is None or data.get("loose"):
            return
        expected = data["answers"][media]
        if "event-stream" in media:
            found = differences(events(expected)[:1], events(value))
        else:
            found = differences(expected, value)
        for difference in found[:5]:
            self.fault(where, difference)
        if found and self.update:
            data["answers"][media] = value
            (openapi.API / example.file).write_text(openapi.dump(data), encoding="utf-8")

    def read(self, where, answer, status, media, response):
        """The body of an answer, if it is of a response of the document."""
        got, headers, bytes = answer
        if got != status:
            return self.fault(where, f"is {got}, not {status}: {bytes[:300].decode(errors='replace')}")
        for name, header in response.get("headers", {}).items():
            value, schema = headers.get(name), self.resolved(header)["schema"]
            if value is not None:
                self.check(f"{where}, {name}", int(value) if schema["type"] == "integer" else value, schema)
            elif self.resolved(header).get("required"):
                self.fault(where, f"has no {name}")
        if media is None:
            return self.fault(where, f"has {len(bytes)} bytes, not none") if bytes else None
        sent = headers.get("Content-Type", "").split(";")[0]
        if sent != media.split(";")[0]:
            return self.fault(where, f"comes as {sent}")
        if response["content"][media]["schema"].get("format") == "binary":
            return bytes or self.fault(where, "is empty")
        # Links begin with the server's URL, those of the examples with that of a usual one.
        value = bytes.decode().replace(self.url, USUAL)
        content = response["content"][media]
        known = len(self.faults)
        if "event-stream" in sent:
            for event in events(value):
                self.check(f"{where} {event['event']}", event["data"], content["x-events"][event["event"]])
        if "json" in sent:
            value = json.loads(value)
        elif "yaml" in sent:
            value = yaml.safe_load(value)
        self.check(where, value, content["schema"])
        return value if len(self.faults) == known else None

    def other_types(self):
        """Asks for the media types that no example shows."""
        firsts = {one.owner: one for one in reversed(self.examples) if one.operation and one.method == "GET"}
        for example in firsts.values():
            response = self.response(example)
            for media in response.get("content", {}):
                if media not in example.data["answers"]:
                    where = f"{example.file}, {media}"
                    self.read(where, self.ask(example, media), example.data["status"], media, response)

    def fields(self):
        """Asks every operation for every field of the viewport request: it knows those that are documented."""
        shown = next(one.data["answers"] for one in self.examples if one.file.endswith("/unknownField.yaml"))
        unknown = shown["application/problem+json"]["detail"]
        all = self.document["components"]["schemas"]["ViewportRequest"]["properties"]
        firsts = {one.owner: one for one in reversed(self.examples) if one.operation}
        for owner, example in firsts.items():
            body = self.body(example.operation)
            known = body if body is not None else self.parameters(example.operation)
            if "marginFactor" not in known:
                continue
            for name in all:
                query, fields = ("", {name: None}) if body else (f"?{name}=", None)
                answer = self.send(example.method, example.path + query, JSON, fields)[2].decode()
                if unknown in answer and name in known:
                    self.fault(owner, f"the field {name} is documented and unknown")
                elif unknown not in answer and name not in known:
                    self.fault(owner, f"the field {name} is known and not documented")
        query, body = firsts["getClusters"], firsts["postClusters"]
        self.field_examples(query, self.parameters(query.operation))
        self.field_examples(body, self.body(body.operation))

    def field_examples(self, example, schemas):
        """Sends each field with the example of its schema, beside a rect and a scale."""
        values = {
            name: self.resolved(schema.get("anyOf", [schema])[0])["examples"][0]
            for name, schema in schemas.items() if name != "f"
        }
        rects, scales = ("bbox", "visibleMapRect", "region"), ("viewportWidth", "zoom")
        for name in values:
            # Each rect and scale instead of the first, and the one field that needs another one with it.
            others = [choice[0] for choice in (rects, scales) if name not in choice]
            others += ["groupBy"] if name == "groups" else []
            fields = {one: values[one] for one in [*others, name]}
            if example.method == "GET":
                answer = self.send("GET", f"{example.path}?{openapi.query_text(fields)}")
            else:
                answer = self.send("POST", example.path, JSON, fields)
            if answer[0] != 200:
                self.fault(f"{example.owner}, the example of {name}", answer[2].decode())

    def body(self, operation):
        """The schemas of the members of a JSON body; None if there is none."""
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        return self.resolved(content["schema"]).get("properties", {}) if content else None


def everything(answer):
    """The body of an answer; of a stream that which comes with its first event."""
    if "event-stream" not in answer.headers.get("Content-Type", ""):
        return answer.read()
    lines = []
    while not (lines and lines[-1] == b"\n" and any(one.startswith(b"data:") for one in lines)):
        lines.append(answer.readline())
        if not lines[-1]:
            break
    return b"".join(lines)


def events(text):
    """The events of a stream."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.strip().split("\n") if ": " in line)
        if "data" in fields:
            found.append({"event": fields.get("event"), "data": json.loads(fields["data"])})
    return found


def differences(want, got, at=""):
    """How an answer differs from its example, as sentences."""
    if isinstance(want, dict) and isinstance(got, dict):
        if re.search(r"/links/\d+$", at):
            got = {name: got[name] for name in want if name in got}
            want = {name: part for name, part in want.items() if name != "title"}
            got.pop("title", None)
        # What may come on top of an example, and only that.
        got = {name: part for name, part in got.items() if name in want or name != "crs"}
        found = [f"at {at}: has no {name}" for name in want if name not in got]
        found += [f"at {at}: has {name}, which the example lacks" for name in got if name not in want]
        for name in want:
            if name in got and name != "version":
                found += differences(want[name], got[name], f"{at}/{name}")
        return found
    if isinstance(want, list) and isinstance(got, list):
        if at.endswith("/links"):
            found = {(link["rel"], link["href"]): link for link in got}
            got = [found.get((link["rel"], link["href"])) for link in want]
        if len(want) != len(got):
            return [f"at {at}: {len(got)} elements, not {len(want)}"]
        return [
            one for index, pair in enumerate(zip(want, got))
            for one in differences(*pair, f"{at}/{index}")
        ]
    if isinstance(want, bool) or isinstance(got, bool):
        same = want is got
    elif isinstance(want, (int, float)) and isinstance(got, (int, float)):
        same = abs(want - got) <= 1e-9 * max(1, abs(want))
    else:
        same = want == got
    return [] if same else [f"at {at}: is {json.dumps(got)[:200]}, not {json.dumps(want)[:200]}"]


def main():
    arguments = [one for one in sys.argv[1:] if one != "--update"]
    if len(arguments) != 1:
        sys.exit("usage: replay.py [--update] URL")
    replay = Replay(arguments[0], "--update" in sys.argv[1:])
    replay.run()
    for fault in replay.faults:
        print(fault)
    print(f"{replay.requests} requests, {len(replay.examples)} examples, {len(replay.faults)} faults")
    sys.exit(1 if replay.faults else 0)


if __name__ == "__main__":
    main()
