"""Goal: the files in docker/ speak of flags, metrics and folders that there are. Method: the flags against
what the program's help lists, the metrics of rules and panels against those that a server gives.

Usage: deployment_test.py DOCKER_FOLDER SERVER TOOL WORLD
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request


def flags_of(program, *command):
    text = subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"--[a-z][a-z-]+", text))


def metrics_of(server_program, world):
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [server_program, "--world", world, "--data", folder, "--listen", "127.0.0.1:0", "--admin-listen",
             "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            address = next(line.split("admins: ")[1].strip() for line in server.stderr if "admins: " in line)
            text = urllib.request.urlopen(address + "/metrics", timeout=10).read().decode()
        finally:
            server.terminate()
            server.wait(20)
    return set(re.findall(r"^(sluice_[a-z_]+)", text, flags=re.M))


def main(docker, server_program, tool, world):
    folder = pathlib.Path(docker)
    allowed = flags_of(server_program) | {"--admin-listen"}
    for name in ("Dockerfile", "compose.yaml", "kubernetes.yaml", "sluice.service", "proxies/nginx.conf",
                 "proxies/Caddyfile"):
        text = (folder / name).read_text()
        for start in re.finditer(r"sluice-server\b|args:|command: \[\"--", text):
            # To the end of the command: the next line without a flag or a continuation.
            command = re.split(r"\n\s*\n|\n\s*[a-zA-Z#]+[:=]?\s(?!.*--)", text[start.start():], maxsplit=1)[0]
            for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", command):
                if flag in ("--role", "--file", "--build", "--now", "--rm", "--entrypoint"):
                    continue
                assert flag in allowed, f"{name}: {flag} is no flag of the server"
    known = metrics_of(server_program, world)
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
