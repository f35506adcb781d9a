"""Goal: the files in docker/ speak of flags, metrics and folders that there are, and the example for Agones
tells it that the server is ready and lives. Method: the flags against what the program's help lists, the
metrics of rules and panels against those that a server gives; the example's own script, between a server and
a stand-in for Agones' container.

Usage: deployment_test.py DOCKER_FOLDER SERVER TOOL WORLD
"""
import contextlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import urllib.request


def flags_of(program, *command):
    text = subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"--[a-z][a-z-]+", text))


@contextlib.contextmanager
def serving(server_program, world):
    """The address for admins of a server."""
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [server_program, "--world", world, "--data", folder, "--listen", "127.0.0.1:0", "--admin-listen",
             "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            yield next(line.split("admins: ")[1].strip() for line in server.stderr if "admins: " in line)
        finally:
            server.terminate()
            server.wait(20)


def metrics_of(admin):
    text = urllib.request.urlopen(admin + "/metrics", timeout=10).read().decode()
    return set(re.findall(r"^(sluice_[a-z_]+)", text, flags=re.M))


def agones_is_told(fleet, tool, admin):
    """Runs the script of the fleet's container `agones` until it has said what it has to."""
    script = re.search(r"- bash\n\s*- -c\n\s*- \|\n((?: {18}.*\n)+)", fleet)
    assert script, "agones.yaml has no script"
    said = []

    class Agones(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            # The first time it is not there yet, as a container that starts beside the others.
            status = 503 if not said else 200
            said.append((self.path, body))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    agones = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Agones)
    threading.Thread(target=agones.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        command = pathlib.Path(folder) / "sluice"
        command.write_text(f'#!/bin/sh\nexec "{tool}" admin --server {admin} "$2"\n')
        command.chmod(0o755)
        environment = {"PATH": f"{folder}:{os.environ['PATH']}", "AGONES_SDK_HTTP_PORT": str(agones.server_port)}
        container = subprocess.Popen(["bash", "-c", textwrap.dedent(script.group(1))], env=environment,
                                     stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 30
            while ("/health", b"{}") not in said and time.monotonic() < deadline:
                time.sleep(0.1)
        finally:
            container.kill()
            container.wait()
            agones.shutdown()
    assert said[:3] == [("/ready", b"{}"), ("/ready", b"{}"), ("/health", b"{}")], said


def main(docker, server_program, tool, world):
    folder = pathlib.Path(docker)
    allowed = flags_of(server_program) | {"--admin-listen"}
    for name in ("Dockerfile", "agones.yaml", "compose.yaml", "kubernetes.yaml", "sluice.service",
                 "proxies/nginx.conf", "proxies/Caddyfile"):
        text = (folder / name).read_text()
        for start in re.finditer(r"sluice-server\b|args:|command: \[\"--", text):
            # To the end of the command: the next line without a flag or a continuation.
            command = re.split(r"\n\s*\n|\n\s*[a-zA-Z#]+[:=]?\s(?!.*--)", text[start.start():], maxsplit=1)[0]
            for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", command):
                if flag in ("--role", "--file", "--build", "--now", "--rm", "--entrypoint"):
                    continue
                assert flag in allowed, f"{name}: {flag} is no flag of the server"
    with serving(server_program, world) as admin:
        known = metrics_of(admin)
        agones_is_told((folder / "agones.yaml").read_text(), tool, admin)
    spoken_of = {}
    spoken_of["rules.yml"] = re.findall(r"expr: (.*)", (folder / "prometheus/rules.yml").read_text())
    dashboard = json.loads((folder / "grafana/sluice.json").read_text())
    spoken_of["sluice.json"] = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    for name, expressions in spoken_of.items():
        assert len(expressions) > 5, name
        for expression in expressions:
            names = re.findall(r"sluice_[a-z_]+", expression)
            assert names, f"{name}: {expression} speaks of no metric"
            for metric in names:
                assert metric in known, f"{name}: there is no metric {metric}; there are {sorted(known)}"
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places), "two panels lie in one place"
    print(f"{len(known)} metrics, {sum(map(len, spoken_of.values()))} expressions: all well")


if __name__ == "__main__":
    main(*sys.argv[1:])
