"""A service of the built binary, with the sample of cities in a folder of its own."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/lib"))

from pincluster import service  # noqa: E402
from pincluster.data import CITIES, collected, feature  # noqa: E402
from pincluster.service import load  # noqa: E402
from pincluster.wire import GEOJSON, JSON  # noqa: E402


class Service(service.Service):
    """A service that is ready."""

    def __init__(self, binary, folder, *flags):
        super().__init__(binary, folder, *flags)
        load(binary, self.data, "cities", CITIES)
        self.start()

    def ask(self, path, body=None, method=None, kind=JSON, **fields):
        """The JSON of an answer, or None. The path may be a whole URL of the service."""
        method = method or ("GET" if body is None else "POST")
        answer = self.client().ask(method, path.removeprefix(self.url), body, body is not None and kind or None, **fields)
        assert answer.status // 100 == 2, f"{method} {path}: {answer}"
        return answer.json() if answer.body else None

    def store(self, collection, places):
        """Stores features: id, place, properties."""
        features = collected(feature(place, properties, id) for id, place, properties in places)
        return self.ask(f"/collections/{collection}/items", features, kind=GEOJSON)
