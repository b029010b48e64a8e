"""HAProxy in front of instances."""

import re

from pincluster.data import ROOT
from pincluster.waiting import tries
from pincluster.wire import Client, Lost

RECIPE = ROOT / "deploy/haproxy-instances.cfg"


class Balancer:
    """HAProxy with the recipe of deploy, of which only addresses are replaced, and as many servers as there are instances."""

    def __init__(self, keeper, ports, port):
        recipe, found = re.subn(
            r'^(  server )one "\$\{INSTANCE_ONE-127\.0\.0\.1:8081\}"(.*)\n  server two .*$',
            lambda match: "\n".join(
                f"{match[1]}s{number} 127.0.0.1:{each}{match[2].replace('/one', f'/s{number}')}" for number, each in enumerate(ports)),
            RECIPE.read_text(), flags=re.M)
        assert found == 3 and "bind :8080" in recipe, f"{RECIPE} has other servers"
        file, log = keeper.folder / "haproxy.cfg", keeper.folder / "haproxy.log"
        file.write_text(recipe.replace("bind :8080", f"bind 127.0.0.1:{port}"))
        self.port = port
        with open(log, "wb") as output:
            process = keeper.start(["haproxy", "-db", "-f", file], stdout=output, stderr=output)
        client = Client(port, timeout=5)
        for _ in tries(20):
            try:
                answer = client.ask("GET", "/health/live")
                if answer.status == 200:
                    return client.close()
            except Lost as error:
                answer = error
            if process.poll() is not None:
                break
        raise RuntimeError(f"HAProxy: {answer}: {log.read_text()}")
