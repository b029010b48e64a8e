"""A service of the built binary, with the sample of cities in a folder of its own."""

import json
import re
import subprocess
import threading
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


class Service:
    """A service of the built binary."""

    def __init__(self, binary, folder, *flags):
        self.binary, self.folder = binary, folder
        data = f"{folder}/data"
        sample = ROOT / "scripts/sample/cities15000.csv"
        subprocess.run([binary, "import", sample, "--collection", "cities", "--data", data], check=True, stdout=subprocess.DEVNULL)
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data", data, *flags], stderr=subprocess.PIPE, text=True)
        port = None
        for line in self.process.stderr:
            port = port or (m := re.search(r'"event":"listening".*"port":(\d+)', line)) and m[1]
            if '"event":"ready"' in line:
                break
        self.url = f"http://127.0.0.1:{port}"
        # The log must not fill the pipe.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def ask(self, path, body=None, method=None, kind="application/json", fields={}):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path if path[0] == "/" else path, data, {"Content-Type": kind, **fields}, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"null")

    def store(self, collection, places):
        features = [
            {"type": "Feature", "id": i, "geometry": {"type": "Point", "coordinates": place}, "properties": properties}
            for i, place, properties in places
        ]
        return self.ask(f"/collections/{collection}/items", {"type": "FeatureCollection", "features": features},
                        kind="application/geo+json")

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
