"""Replays every example of openapi.yaml against a live server: replay.py [--update] URL openapi.yaml

The server must hold the sample collection `cities` as it was imported, and must never have had a
collection `demo`. In document order the examples are one session, but for the operations that remove
something, which come last. The `example` values of an operation's parameters, and those of their `examples` that bear
the request's name, make a request. Each named example of a request body is one, answered by the response
example of the same name. Of an operation without a body each media type of the answer is asked for: for its first
example, if any, and for every other one whose name one of the parameters bears. Examples of
errors, and those whose name no request bears, show other answers: they are only held against their schema.

An answer must have the documented status and media type, fit its schema, and be equal to the example, numbers
to 1e-9 of their size. Texts for people, links' titles and the bodies of pages, metrics and this description
may be worded otherwise, and versions, which count all that was ever written, may be higher. Prints what differs and exits with 1 if anything does.

With --update an example that differs from an answer of the right status, type and schema is replaced by it in the file,
in the style of the file, and the rest stays as it is. Read the difference before you commit it: the examples promise, and
this writes down what the server does.

Needs PyYAML and jsonschema.
"""

import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

import jsonschema
import yaml

# Nothing is left beside the sources.
sys.dont_write_bytecode = True
import rewriting  # noqa: E402

METHODS = ("get", "put", "patch", "post", "delete")
# Their examples say what kind of text it is, not which.
LOOSE = {"getLandingPage", "getOpenAPI", "getMetrics"}


class Replay:
    def __init__(self, url, document):
        self.url = url.rstrip("/")
        self.document = document
        self.requests = self.examples = 0
        self.faults = []
        # Answers by the example, a part of the document, that they differ from.
        self.others = []

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

    def target(self, path, operation, name=None):
        """Path and query of the request of a name that the parameters' examples make."""
        query = []
        for parameter in map(self.resolved, operation.get("parameters", [])):
            given, value, is_json = example(parameter, name)
            if not given:
                if parameter["in"] == "path":
                    raise ValueError(f"{path}: {parameter['name']} has no example")
                continue
            if parameter["in"] == "path":
                quoted = urllib.parse.quote(text(value), safe="")
                path = path.replace("{" + parameter["name"] + "}", quoted)
            elif parameter["in"] == "query":
                if is_json:
                    value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
                if isinstance(value, dict) and parameter.get("explode", True):
                    query += [(name, text(part)) for name, part in value.items()]
                else:
                    query.append((parameter["name"], text(value)))
        pairs = (f"{name}={urllib.parse.quote(value, safe=',')}" for name, value in query)
        return path + ("?" + "&".join(pairs) if query else "")

    def named(self, operation):
        """The names of the requests that the parameters make."""
        parameters = map(self.resolved, operation.get("parameters", []))
        return {name for parameter in parameters for name in examples(parameter)}

    def send(self, method, target, accept=None, body=None, type=None):
        """Status, media type and body of an answer."""
        headers = {"Accept": accept} if accept else {}
        if body is not None:
            headers["Content-Type"] = type
            body = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
            body = body.encode()
        request = urllib.request.Request(
            self.url + target, data=body, headers=headers, method=method.upper())
        self.requests += 1
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, everything(answer)
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def run(self):
        operations = [
            (path, method, item[method])
            for path, item in self.document["paths"].items() for method in METHODS if method in item
        ]
        operations.sort(key=lambda one: one[1] == "delete")
        removals = [one for one in operations if one[1] == "delete"]
        # What is inside goes before what holds it.
        operations[len(operations) - len(removals):] = reversed(removals)
        for path, method, operation in operations:
            self.operation(path, method, operation)

    def operation(self, path, method, operation):
        where = operation["operationId"]
        responses = {status: self.resolved(one) for status, one in operation["responses"].items()}
        self.check_examples(where, responses)
        body = self.resolved(operation.get("requestBody"))
        if body is None:
            return self.without_body(path, method, operation, responses)
        for type, content in body["content"].items():
            if not content.get("examples"):
                self.fault(where, f"no example of {type}")
            for name, example in content.get("examples", {}).items():
                self.check(f"{where} {name}, the request", example["value"], content["schema"])
                target = self.target(path, operation, name)
                expected = [
                    (status, media, one["examples"][name])
                    for status, response in responses.items()
                    for media, one in response.get("content", {}).items()
                    if name in one.get("examples", {})
                ]
                if not expected:
                    self.fault(where, f"no answer to {name}")
                for status, media, one in expected:
                    answer = self.send(method, target, media, example["value"], type)
                    self.compare(f"{where} {name} ({media})", answer, status, media, responses, one)

    def without_body(self, path, method, operation, responses):
        where = operation["operationId"]
        success = next(status for status in responses if status.startswith("2"))
        content = responses[success].get("content", {})
        if not content:
            status, _, bytes = self.send(method, self.target(path, operation))
            self.examples += 1
            if str(status) != success or bytes:
                self.fault(where, f"is {status} with {len(bytes)} bytes, not {success} without any")
        first = next((name for one in content.values() for name in one.get("examples", {})), None)
        for media, one in content.items():
            shown = one.get("examples", {})
            others = [name for name in shown if name != first and name in self.named(operation)]
            for name in [first, *others]:
                target = self.target(path, operation, name)
                answer = self.send(method, target, media.split(";")[0])
                expected = None if where in LOOSE else shown.get(name)
                self.compare(f"{where} {name} ({media})", answer, success, media, responses, expected)
        if content and first is None:
            self.fault(where, "no example")

    def check_examples(self, where, responses):
        """Holds every example answer against its schema."""
        for status, response in responses.items():
            for media, content in response.get("content", {}).items():
                for name, example in content.get("examples", {}).items():
                    self.examples += 1
                    self.check(f"{where} {status} {name}, the example", example["value"], content["schema"])

    def compare(self, where, answer, status, media, responses, expected):
        got, headers, bytes = answer
        if str(got) != status:
            return self.fault(where, f"is {got}, not {status}: {bytes[:300].decode(errors='replace')}")
        sent = headers.get("Content-Type", "").split(";")[0]
        if sent != media.split(";")[0]:
            return self.fault(where, f"comes as {sent}, not {media}")
        for name, header in responses[status].get("headers", {}).items():
            value, schema = headers.get(name), self.resolved(header)["schema"]
            if value is not None:
                self.check(f"{where}, {name}", value, schema)
            elif self.resolved(header).get("required"):
                self.fault(where, f"has no {name}")
        value = bytes.decode()
        content = responses[status]["content"][media]
        if "event-stream" in sent:
            for event in events(value):
                self.check(f"{where} {event['event']}", event["data"], content["x-events"][event["event"]])
        if "json" in sent:
            value = json.loads(value)
        elif "yaml" in sent:
            value = yaml.safe_load(value)
        known = len(self.faults)
        self.check(where, value, content["schema"])
        if expected is None:
            return
        if "event-stream" in sent:
            found = differences(events(expected["value"])[:1], events(value))
        else:
            found = differences(expected["value"], value)
        if found and len(self.faults) == known:
            self.others.append((expected, value))
        for difference in found[:5]:
            self.fault(where, difference)


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


def examples(parameter):
    """The named examples of a parameter, wherever they stand."""
    content = next(iter(parameter.get("content", {}).values()), {})
    return parameter.get("examples") or content.get("examples") or {}


def example(parameter, name):
    """Whether a parameter is in the request of a name, its value there, and whether that is sent as JSON."""
    content = next(iter(parameter.get("content", {}).values()), None)
    for place in (parameter, content or {}):
        if "example" in place:
            return True, place["example"], content is not None
    if name in examples(parameter):
        return True, examples(parameter)[name]["value"], content is not None
    return False, None, False


def text(value):
    """A parameter's value as text: style form or simple, not exploded."""
    if isinstance(value, list):
        return ",".join(map(text, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


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
    if len(arguments) != 2:
        sys.exit("usage: replay.py [--update] URL openapi.yaml")
    url, path = arguments
    with open(path, encoding="utf-8") as file:
        source = file.read()
    document = yaml.safe_load(source)
    replay = Replay(url, document)
    replay.run()
    for fault in replay.faults:
        print(fault)
    print(f"{replay.requests} requests, {replay.examples} examples, {len(replay.faults)} faults")
    if "--update" in sys.argv[1:]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(rewriting.rewritten(source, document, replay.others))
        print(f"{len(replay.others)} examples rewritten")
    sys.exit(1 if replay.faults else 0)


if __name__ == "__main__":
    main()
