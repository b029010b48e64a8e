"""Checks the pages that people read: the Markdown files at the root, in docs/ and in api/.

pages.py links            Each relative link, each #anchor and each path of this repository in backticks exists, and
                          the guide names each field of the viewport request.
pages.py run URL BINARY   Each ```sh block with a curl or pincluster line succeeds, page by page, in order.
pages.py script PAGE      Prints a bash script of all ```sh machine blocks of a page, for scripts/check-package.
pages.py html PAGE        Prints the first ```html block of a page.

`run` needs a server at URL that holds the sample collection `cities` as it was imported. A block must exit with 0, and
its curl lines must be answered with a status below 400, except where a comment in the block says `answers 422`.
A ```json or ```jsonc block that follows a block shows a part of its answer: each member shown is in the answer, with
the same value, and so is each element of a list, in the same order. Comments stand for what is left out.

Prints each fault and exits with 1 if there is any.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md"]
PAGES += (page for glob in ("[!R]*.md", "docs/**/*.md", "api/*.md") for page in sorted(ROOT.glob(glob)))
FENCE = re.compile(r"^```(\w*(?: machine)?)[^\n]*\n(.*?)^```$", re.M | re.S)

# Prints the status of each answer to standard error. Streams (-sN) are read for a second.
CURL = r"""
set -euo pipefail
curl() {
  local limit=20
  case " $* " in *" -sN "*) limit=1 ;; esac
  command curl --max-time $limit "$@" -w '%{stderr}\nstatus %{http_code}\n' || [ "$?,$limit" = 28,1 ]
}
"""

# The same for a script, whose blocks are `checked`: their answers are errors only where they say so.
SCRIPT = r"""
set -euo pipefail
curl() { command curl --max-time 20 "$@" -w '%{stderr}%{http_code}\n' 2>>/tmp/statuses; }
checked() {
  local found
  found=$(grep -vE '^[123]..$' /tmp/statuses | xargs || true)
  : >/tmp/statuses
  [ "$found" = "$1" ] || { echo "answered '$found'" && exit 1; }
}
"""


def links(page):
    """What a page refers to and doesn't exist."""
    text = FENCE.sub("", page.read_text())
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"links to {target}, which doesn't exist"
        elif anchor and anchor not in anchors(file):
            yield f"links to {target}, but {file.name} has no such heading"
    for code in re.findall(r"`([^`\n]+)`", text):
        path = code.split()[0]
        if not exists(path):
            yield f"names {path}, which doesn't exist"


def undocumented():
    """The fields of the viewport request that the guide doesn't name."""
    fields = (ROOT / "api/viewport.yaml").read_text().partition("\nfields:\n")[2].partition("\ncomponents:")[0]
    named = re.findall(r"`([^`\n]+)`", FENCE.sub("", (ROOT / "docs/guide.md").read_text()))
    return [name for name in re.findall(r"^  (\w+):", fields, re.M) if name not in named]


def anchors(file):
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", file.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def exists(path):
    """Whether text in backticks isn't a path of this repository, or is one that exists."""
    if not re.fullmatch(r"[\w.+*/-]+", path) or path.startswith(".build/"):
        return True
    top, _, rest = path.rstrip("/").partition("/")
    if rest:
        # A path from the root or from Sources.
        roots = [root for root in (ROOT, ROOT / "Sources") if top and (root / top).is_dir()]
        return not roots or any(any(root.glob(path.rstrip("/"))) for root in roots)
    if not re.search(r"\.(swift|py|md|ya?ml|h|c|cpp|tsv|lua)$", path):
        return True
    # A file may be named without its folder.
    folders = [ROOT / name for name in ("Sources", "Tests", "scripts", "docs", "api")]
    return (ROOT / path).exists() or any(any(folder.rglob(path)) for folder in folders)


def run(page, url, binary):
    """What doesn't work of the commands of a page."""
    text = page.read_text()
    blocks = list(FENCE.finditer(text))
    for block, following in zip(blocks, [*blocks[1:], None]):
        language, script = block.groups()
        if language != "sh" or not re.search(r"\bcurl |/pincluster ", script):
            continue
        line = text.count("\n", 0, block.start()) + 1
        script = script.replace("http://127.0.0.1:8080", url).replace(".build/release/pincluster", binary)
        done = subprocess.run(
            ["bash", "-c", CURL + script], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        errors = [status for status in re.findall(r"^status (\d+)$", done.stderr, re.M) if status >= "400"]
        if done.returncode or errors != re.findall(r"answers (\d{3})", script):
            yield f"line {line}: exit code {done.returncode}, {errors}\n{done.stdout[-500:]}\n{done.stderr[-500:]}"
        elif following and following[1] in ("json", "jsonc"):
            example = json.loads(re.sub(r",?\s*//[^\n]*", "", following[2]).replace("\n…", ""))
            if not shows(example, json.loads(done.stdout)):
                yield f"line {line}: the answer is another:\n{done.stdout[:1000]}"


def script(page):
    """All commands of a page for a machine of its own, as one shell would be given them, each block after its line."""
    text = page.read_text()
    blocks = [block for block in FENCE.finditer(text) if block[1] == "sh machine"]
    for block in blocks:
        expected = " ".join(re.findall(r"answers (\d{3})", block[2]))
        line = text.count("\n", 0, block.start()) + 1
        yield f"printf '\\n-- {page.name}:{line}\\n'\n{block[2]}checked '{expected}'\n"
    assert blocks, f"{page} has no such blocks"


def shows(example, answer):
    """Whether an example is a part of an answer."""
    if isinstance(example, dict) and isinstance(answer, dict):
        return all(name in answer and shows(value, answer[name]) for name, value in example.items())
    if isinstance(example, list) and isinstance(answer, list):
        rest = iter(answer)
        return all(any(shows(one, other) for other in rest) for one in example)
    return example == answer


def main():
    if sys.argv[1:] == ["links"]:
        faults = [(page, fault) for page in PAGES for fault in links(page)]
        faults += [(ROOT / "docs/guide.md", f"doesn't name the field {name}") for name in undocumented()]
    elif len(sys.argv) == 4 and sys.argv[1] == "run":
        faults = [(page, fault) for page in PAGES for fault in run(page, sys.argv[2], os.path.abspath(sys.argv[3]))]
    elif len(sys.argv) == 3 and sys.argv[1] == "script":
        return print(SCRIPT, *script(Path(sys.argv[2])), sep="\n")
    elif len(sys.argv) == 3 and sys.argv[1] == "html":
        return print(next(block[2] for block in FENCE.finditer(Path(sys.argv[2]).read_text()) if block[1] == "html"), end="")
    else:
        sys.exit("usage: pages.py links | run URL BINARY | script PAGE | html PAGE")
    for page, fault in faults:
        print(f"{page.relative_to(ROOT)}: {fault}")
    print(f"{len(PAGES)} pages, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
