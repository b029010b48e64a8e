"""Files of Debian's packages that aren't installed."""

import subprocess
import tempfile
from pathlib import Path

from .data import ROOT


def unpacked(package, folder, file):
    """The path of a file of a package, which is unpacked into a folder in .build unless it is there; None where that can't
    be had."""
    folder = ROOT / ".build" / folder
    if not (folder / file).exists():
        with tempfile.TemporaryDirectory() as downloads:
            # apt may download as another user.
            Path(downloads).chmod(0o755)
            for words in (("download", package), ("update",), ("download", package)):
                subprocess.run(["apt-get", "-q", *words], cwd=downloads, capture_output=True, timeout=120)
                if found := list(Path(downloads).glob("*.deb")):
                    folder.mkdir(parents=True, exist_ok=True)
                    subprocess.run(["dpkg-deb", "-x", found[0], folder], capture_output=True)
                    break
    return folder / file if (folder / file).exists() else None
