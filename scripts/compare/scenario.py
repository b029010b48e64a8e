"""The requests: about 2,900 that are always much the same, then as many seeded ones as asked for."""

import json
from urllib.parse import quote

import data
import fixed
import mistakes
from fixed import JSON, TYPES, query
from mistakes import text
from service import HOST


class Scenario(fixed.Fixed):
    """All requests, through `ask`, a function from a request to its answer."""

    def run(self):
        self.service()
        for collection in self.collections:
            self.load(collection)
        self.service()
        self.errors()
        self.protocol()
        self.writes()
        kinds = [(self.plain, 30), (self.detailed, 26), (self.filtered, 12), (self.method, 8), (self.previous, 6), (self.annotation, 10),
                 (self.pins, 8), (self.locate, 8), (self.items, 8), (self.touch, 8), (self.scratch, 6), (self.conditional, 5), (self.changes, 2)]
        last = self.sent + self.count
        while self.sent < last:
            self.rng.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()
        self.scratch_end()
        self.service()

    def three_times(self, kind, collection, fields):
        """A view, once more for cells that are cached by then, and panned on the same grid."""
        form = self.rng.choice(["post", "post", "get", "post-geojson", "get-geojson", "get-accept", "get-gzip"])
        for _ in range(2):
            answer = self.clusters(kind, collection, fields, form)
        self.clusters(kind, collection, data.moved(self.rng, fields), form)
        if answer["status"] == 200 and len(self.views) < 300:
            self.views.append((collection, fields, form))
        return answer

    def plain(self):
        """Views as maps ask for them, with a field or none; mostly of cells that can be cached."""
        collection, rng = self.any_collection(), self.rng
        fields = data.view(rng, collection)
        names = {"cellSize": [40, 60, 88, 100.5], "clusterer": data.CLUSTERERS, "titleProperty": collection.properties, "marginFactor": [0, 0.5, 1], "minPoints": [2, 3],
                 "properties": ["none", "*", collection.properties[:1]], "members": [3], "maxZoomLevelForClustering": [8, 12], "decluster": [True]}
        for name in rng.sample(list(names), rng.choice([0, 1, 1, 2])):
            fields[name] = rng.choice(names[name])
        self.three_times("views, plain", collection, fields)

    def detailed(self):
        collection, rng = self.any_collection(), self.rng
        zoom = round(rng.uniform(*collection.zooms), rng.choice([0, 2]))
        share = rng.choice([0.1, 0.2, 0.4])
        fields = {**data.view(rng, collection, zoom if rng.random() < 0.85 else None),
                  **data.grid_fields(rng, collection, share, zoom), **data.output_fields(rng, collection, share)}
        self.three_times("views, detailed", collection, fields)

    def filtered(self):
        collection, rng = self.any_collection(), self.rng
        fields = {**data.view(rng, collection), "filter": data.filter_text(rng, collection)}
        if rng.random() < 0.4:
            fields["groupBy"] = rng.choice(collection.properties)
        if rng.random() < 0.3:
            fields["countBy"] = rng.choice(collection.properties)
        self.three_times("filters", collection, fields)

    def method(self):
        collection, rng = self.any_collection(), self.rng
        fields = {**data.view(rng, collection), **data.output_fields(rng, collection, 0.15), **data.method_fields(rng, collection)}
        answer = self.clusters("methods without a grid", collection, fields)
        self.clusters("methods without a grid", collection, data.moved(rng, fields))
        found = self.annotations(answer)
        view = {name: value for name, value in fields.items() if name not in ("limit", "previous")}
        for annotation in rng.sample(found, min(2, len(found))):
            for part in ["", "/items", "/children"]:
                self.get("annotations", f"{collection.path}/clusters/{annotation['id']}{part}?{query(view)}")

    def previous(self):
        """A map that is moved and zoomed, each time sending what it shows."""
        collection, rng = self.any_collection(), self.rng
        zoom = rng.uniform(*collection.zooms)
        fields = data.view(rng, collection, round(zoom, 1))
        fields.update(data.grid_fields(rng, collection, 0.1, zoom) if rng.random() < 0.8 else data.method_fields(rng, collection))
        fields.update(data.output_fields(rng, collection, 0.08))
        fields.pop("limit", None)
        shown = self.annotations(self.clusters("previous", collection, fields, "post"))
        for _ in range(3):
            fields = data.moved(rng, fields)
            if "zoom" in fields and rng.random() < 0.6:
                fields["zoom"] = min(max(fields["zoom"] + rng.choice([-1, 1, 0.5]), 0), 24)
            if rng.random() < 0.2:
                fields["filter"] = data.filter_text(rng, collection)
            sent = shown if rng.random() < 0.5 else [{"id": a["id"], "coordinate": a["coordinate"]} for a in shown]
            if rng.random() < 0.4:
                rng.shuffle(sent)
                sent = sent[:rng.choice([5, 50])] + [{"id": "gone", "coordinate": {"latitude": 1, "longitude": 2}}]
            form = "get" if len(text(sent)) < 8000 and rng.random() < 0.5 else "post"
            shown = self.annotations(self.clusters("previous", collection, {**fields, "previous": sent[:3000]}, form))

    def annotation(self):
        """The annotations of a view, looked at one by one."""
        collection, rng = self.any_collection(), self.rng
        zoom = round(rng.uniform(*collection.zooms), 1)
        fields = {**data.view(rng, collection, zoom), **data.grid_fields(rng, collection, 0.15, zoom), **data.output_fields(rng, collection, 0.1)}
        found = self.annotations(self.clusters("annotations", collection, fields, "post"))
        repeated = {name: value for name, value in fields.items() if name in (
            "filter", "keepApart", "clusterer", "maxZoomLevelForClustering", "minUniqueLocationsForClustering", "minPoints", "decluster",
            "distanceFromContestedLocation", "titleProperty", "subtitleLimit", "properties", "members", "weightBy", "countBy", "aggregate")}
        for annotation in rng.sample(found, min(3, len(found))):
            asked = query({**repeated, **data.output_fields(rng, collection, 0.1)} if rng.random() < 0.8 else {})
            target = f"{collection.path}/clusters/{annotation['id']}"
            self.get("annotations", f"{target}?{asked}")
            self.get("annotations", f"{target}/items?{asked}&limit={rng.choice([0, 1, 10, 500])}&offset={rng.choice([0, 0, 1, 20])}")
            child = f"&childZoom={rng.choice([round(zoom) + 2, zoom + 1.25, 24, 0, -1, 25])}" if rng.random() < 0.6 else ""
            self.get("annotations", f"{target}/children?{asked}{child}" + rng.choice(["", "&f=geojson"]))
            if rng.random() < 0.3:
                other = list(annotation["id"])
                other[rng.randrange(len(other))] = rng.choice("0123456789gz_~-")
                self.get("annotations", f"{collection.path}/clusters/{''.join(other)}")
                self.ask("annotations", "HEAD", target)

    def pins(self):
        collection, rng = self.any_collection(), self.rng
        zoom = rng.uniform(max(collection.zooms[0], collection.zooms[1] - 8), collection.zooms[1]) if rng.random() < 0.8 else None
        fields = data.view(rng, collection, zoom and round(zoom, 1))
        if rng.random() < 0.4:
            del fields["zoom" if "zoom" in fields else "viewportWidth"]
        fields.update(data.output_fields(rng, collection, 0.12))
        makers = {"marginFactor": [0, 1, 4], "distanceFromContestedLocation": [0, 3, 50.5, 1000], "limit": [1, 100, 10000, 10000], "cellSize": [90], "groupBy": ["name"]}
        fields.update({name: rng.choice(values) for name, values in makers.items() if rng.random() < 0.3})
        if rng.random() < 0.5:
            self.post("pins", collection.path + "/pins", fields)
        else:
            self.get("pins", f"{collection.path}/pins?{query(fields)}")

    def locate(self):
        collection, rng = self.any_collection(), self.rng
        fields = {"latitudinalMeters": rng.choice([1, 500, 20000.5, 5e6]), "longitudinalMeters": rng.choice([1, 800, 30000, 2e7]),
                  "viewportWidth": rng.choice([320, 800, 1280.5]), "viewportHeight": rng.choice([200, 600, 900])}
        fields.update(data.output_fields(rng, collection, 0.12))
        fields.update(data.grid_fields(rng, collection, 0.15) if rng.random() < 0.7 else data.method_fields(rng, collection))
        fields.pop("limit", None)
        for identifier in collection.ids(rng, 2):
            self.post("locate", f"{collection.path}/items/{quote(str(identifier), safe='')}/locate", fields)

    def items(self):
        collection, rng = self.any_collection(), self.rng
        fields = {}
        if rng.random() < 0.6:
            west, south = rng.uniform(-200, 180), rng.uniform(-90, 80)
            if rng.random() < 0.7:
                _, west, south = rng.choice(collection.points)
                south = min(south, 89)
            fields["bbox"] = [round(west, 4), round(south, 4), round(west + rng.choice([0.1, 5, 60]), 4), round(min(south + rng.choice([0.1, 5, 60]), 90), 4)]
        if rng.random() < 0.5:
            fields["filter"] = data.filter_text(rng, collection)
        if rng.random() < 0.7:
            fields["limit"] = rng.choice([0, 1, 25, 300, 20000]) if collection.name != "cities" or fields else 50
        if rng.random() < 0.3:
            fields["offset"] = rng.choice([1, 10, 1000])
        answer = self.get("items", f"{collection.path}/items?{query(fields)}")
        try:
            links = json.loads(answer["body"]).get("links", [])
        except ValueError:
            links = []
        for link in links:
            if link.get("rel") == "next":
                self.get("items", link["href"].removeprefix(f"http://{HOST}"))
        for identifier in collection.ids(rng, 3):
            self.get("one item", f"{collection.path}/items/{quote(str(identifier), safe='')}")

    def touch(self):
        """A write to a collection that views are cached of, and some of these views again."""
        rng = self.rng
        collection = self.any_collection()
        identifier, longitude, latitude = rng.choice(collection.points)
        target = f"{collection.path}/items/{quote(str(identifier), safe='')}"
        properties = {name: rng.choice(values) for name, values in collection.values.items()}
        spot = [min(max(longitude + rng.choice([0, 0.001, 1]), -180), 180), latitude]
        choice = rng.randrange(6)
        if choice == 0:
            self.ask("write one", "DELETE", target)
        elif choice == 1:
            self.ask("write one", "PATCH", target, {"Content-Type": TYPES["patch"]}, text({"properties": dict(list(properties.items())[:1])}))
        elif choice == 2:
            self.ask("write one", "PATCH", target, {"Content-Type": TYPES["patch"]}, text({"geometry": {"coordinates": spot}}))
        elif choice == 3:
            self.ask("write one", "PUT", target, {"Content-Type": TYPES["geojson"]}, text(mistakes.feature(id=identifier, geometry=mistakes.point(*spot), properties=properties)))
        elif choice == 4:
            features = [mistakes.feature(id=other[0], geometry=mistakes.point(*other[1:]), properties=properties) for other in rng.sample(collection.points, 20)]
            self.ask("store", "POST", collection.path + "/items", {"Content-Type": TYPES["lines"]}, "\n".join(map(text, features)))
        else:
            box = f"{longitude - 0.0005:.6f},{max(latitude - 0.0005, -90):.6f},{longitude + 0.0005:.6f},{min(latitude + 0.0005, 90):.6f}"
            self.ask("delete many", "DELETE", f"{collection.path}/items?bbox={box}" + rng.choice(["", "&filter=" + quote(data.filter_text(rng, collection, 2))]))
        known = [view for view in self.views if view[0] is collection]
        for view in rng.sample(known, min(3, len(known))):
            for _ in range(2):
                self.clusters("views after writes", *view)

    def scratch(self):
        """Conditional writes of one feature, read back.

        Nothing expires where something is deleted: the service then takes another version, within a second.
        """
        rng, target = self.rng, f"/collections/conditions/items/{self.rng.choice(['1', '17', 'x', 'y%2Fz', '-5', '007'])}"
        tag = self.header(self.get("one item", target), "etag")
        condition = rng.choice([{"If-Match": tag}, {"If-Match": '"other"'}, {"If-Match": "*"}, {"If-None-Match": "*"}, {"If-None-Match": tag}, {"If-Match": f'"a", {tag}'}, {"If-Match": "W/" + tag}, {}])
        feature = mistakes.feature(geometry=mistakes.point(round(rng.uniform(-180, 180), 5), round(rng.uniform(-90, 90), 5)), properties={"r": rng.random(), "name": "ü\n\"\\"})
        del feature["id"]
        method = rng.choice(["PUT", "PUT", "PATCH", "DELETE"])
        self.ask("conditional writes", method, target, {**JSON, **condition}, "" if method == "DELETE" else text(feature))
        self.get("one item", target)

    def conditional(self):
        collection, rng = self.any_collection(), self.rng
        fields = data.view(rng, collection)
        target = rng.choice([f"{collection.path}/clusters?{query(fields)}", f"{collection.path}/pins?limit=10000&{query(fields)}", f"{collection.path}/items?limit=20&offset={rng.randrange(500)}",
                             collection.path, f"{collection.path}/items/{quote(str(collection.ids(rng, 1)[0]), safe='')}", "/", "/collections"])
        coding = rng.choice([{}, {"Accept-Encoding": "gzip"}])
        tag = self.header(self.ask("conditional reads", "GET", target, coding), "etag")
        for value in [tag, f'"a", W/{tag}', "*", tag[:-1] + 'x"']:
            self.ask("conditional reads", rng.choice(["GET", "HEAD"]), target, {**coding, "If-None-Match": value})

    def changes(self):
        """The first event of a stream, and the one that a write brings."""
        collection, rng = self.any_collection(), self.rng
        identifier, longitude, latitude = rng.choice(collection.points)
        fields = {"bbox": [longitude - 1, max(latitude - 1, -90), longitude + 1, min(latitude + 1, 90)], "zoom": rng.choice([6, 8, 10.5])}
        fields.update(data.output_fields(rng, collection, 0.1))
        fields.pop("filter", None)
        target = f"{collection.path}/changes?{query(fields)}"
        stream = {"mode": "stream", "events": 1}
        answer = self.ask("changes", "GET", target, {"Accept": "text/event-stream"}, **stream)
        # Moved, since a cell that looks as before is no event.
        moved = longitude - 0.02 if longitude > 0 else longitude + 0.02
        write = {"method": "PUT", "target": f"{collection.path}/items/{quote(str(identifier), safe='')}", "headers": JSON,
                 "body": text(mistakes.feature(id=identifier, geometry=mistakes.point(moved, latitude), properties={"seen": rng.random()}))}
        since = answer["body"].split("id: ")[-1].split("\n")[0]
        self.ask("changes", "GET", target, {"Accept": "text/event-stream"}, mode="stream", events=2, then=write)
        self.ask("changes", "GET", target + f"&since={since}", **stream)
        self.ask("changes", "GET", target, {"Last-Event-ID": since}, **stream)
