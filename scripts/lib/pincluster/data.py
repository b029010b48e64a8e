"""Made-up features, the files that they come in, and certificates."""

import random
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# 34,006 cities.
CITIES = ROOT / "scripts/sample/cities15000.csv"


def feature(place, properties, id=None):
    """A feature at a place: longitude, latitude. Without an id the service gives it one."""
    made = {"type": "Feature", "geometry": {"type": "Point", "coordinates": list(place)}, "properties": properties}
    return made if id is None else {"id": id} | made


def collected(features):
    """A FeatureCollection."""
    return {"type": "FeatureCollection", "features": list(features)}


def anywhere(r):
    """A place chosen by a random generator."""
    return [round(r.uniform(-180, 180), 5), round(r.uniform(-85, 85), 5)]


def write_crowd(path, count, seed=7):
    """Writes a file of CSV: features crowded around 20,001 centres, of which one, Berlin, has every fiftieth."""
    r = random.Random(seed)
    centres = [(13.4, 52.52)] + [
        (r.uniform(-175, 175), max(-60, min(72, r.gauss(25, 25)))) for _ in range(20_000)]
    with open(path, "w") as file:
        file.write("id,lon,lat,name,population,country\n")
        for number in range(1, count + 1):
            lon, lat = centres[0 if number % 50 == 0 else r.randrange(len(centres))]
            lon, lat = r.gauss(lon, 0.15), r.gauss(lat, 0.1)
            country = f"{chr(65 + int(lon + 180) % 26)}{chr(65 + int(lat + 90) % 26)}"
            file.write(
                f"{number},{max(-180, min(180, lon)):.5f},{lat:.5f},Place {number % 50021},"
                f"{int(r.paretovariate(1) * 1000) % 10**7},{country}\n")


def write_certificate(folder, host="x", key=("ec", "-pkeyopt", "ec_paramgen_curve:P-256")):
    """Writes cert.pem, which signs itself, its key, key.pem, and both in pair.pem. Returns the paths of the first two."""
    cert, own, pair = (Path(folder, f"{name}.pem") for name in ("cert", "key", "pair"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", *key, "-nodes", "-days", "9", "-subj", f"/CN={host}", "-addext",
         f"subjectAltName=DNS:{host}", "-keyout", own, "-out", cert], check=True, stderr=subprocess.DEVNULL)
    pair.write_text(cert.read_text() + own.read_text())
    return cert, own
