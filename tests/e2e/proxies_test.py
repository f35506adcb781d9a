"""Goal: the examples of proxies work as they stand: pages, viewers and clients come through, over TLS,
the server knows who connects, and nobody makes themselves somebody. Method: the example with its name,
ports and certificate replaced, in the real program, before a real server.

Usage: proxies_test.py nginx|caddy EXAMPLE SERVER TOOL WORLD
"""
import http.client
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

NAME = "play.example.org"
CLIENT = "127.0.0.2"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def check(wrong, what):
    if wrong:
        raise SystemExit(f"{what}: {wrong}")
    print(what)


class Proxy:
    def __init__(self, kind, example, folder, server_port):
        self.port = free_port()
        certificate, key = f"{folder}/{NAME}.pem", f"{folder}/{NAME}.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                        f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME},DNS:localhost", "-keyout", key,
                        "-out", certificate], check=True, capture_output=True)
        self.certificate = certificate
        text = open(example, encoding="utf-8").read()
        check(text.count("127.0.0.1:8080") < 2, "the example has a server to replace")
        text = text.replace("127.0.0.1:8080", f"127.0.0.1:{server_port}").replace("/etc/ssl", folder)
        path = f"{folder}/proxy.conf"
        if kind == "nginx":
            text = text.replace("listen 443", f"listen 127.0.0.1:{self.port}")
            text = text.replace(f"server_name {NAME}", f"server_name {NAME} localhost")
            temporary = "".join(f"{part}_temp_path {folder}/{part};\n" for part in
                                ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            text = (f"daemon off; pid {folder}/pid; error_log stderr;\nevents {{}}\n"
                    f"http {{\naccess_log off;\n{temporary}{text}}}\n")
            command = ["nginx", "-e", "stderr", "-c", path]
        else:
            site = f"https://{NAME}:{self.port}, https://localhost:{self.port} {{\n\tbind 127.0.0.1\n\ttls {certificate} {key}\n"
            text = re.sub(rf"^{re.escape(NAME)} {{\n", site, text, flags=re.M)
            text = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + text
            command = ["caddy", "run", "--adapter", "caddyfile", "--config", path]
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        environment = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin", HOME=folder)
        # To a file: nobody reads a pipe meanwhile, and a full one stops who writes.
        errors = f"{folder}/proxy-errors.txt"
        with open(errors, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(command, env=environment, stderr=out, text=True)
        for _ in range(2000):  # how long a machine takes is never a reason to fail
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        self.process.kill()
        with open(errors, encoding="utf-8") as text:
            raise SystemExit(f"{kind} does not listen:\n{text.read()}")

    def ask(self, method, path, headers=None):
        context = ssl.create_default_context(cafile=self.certificate)
        # From an address that is no proxy's.
        connection = http.client.HTTPSConnection("localhost", self.port, context=context, timeout=20,
                                                 source_address=(CLIENT, 0))
        connection.request(method, path, headers={"Host": f"{NAME}:{self.port}", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace"), dict(answer.getheaders())


def read_address(server):
    for line in server.stdout:
        if "listening on" in line:
            return int(line.rsplit(":", 1)[1])
    raise SystemExit("the server does not listen")


def read_anew(server, errors):
    """Has the server read its accounts, and waits until it says that it has."""
    def times():
        with open(errors) as text:
            return text.read().count("SIGHUP: read")
    before = times()
    server.send_signal(signal.SIGHUP)
    for _ in range(2000):
        if times() > before:
            return
        time.sleep(0.01)
    raise SystemExit("the server never read its accounts anew")


def run(kind, example, server_program, tool, world, folder):
    accounts = f"{folder}/tokens.toml"
    errors = f"{folder}/errors.txt"
    token = subprocess.run([tool, "token", "add", "ada", "--role", "build", "--file", accounts],
                           check=True, capture_output=True, text=True).stdout.strip()
    server = subprocess.Popen(
        [server_program, "--world", world, "--data", f"{folder}/data", "--listen", "127.0.0.1:0", "--tokens",
         accounts, "--host", NAME, "--trusted-proxy", "127.0.0.1", "--account-header", "X-Forwarded-User"],
        stdout=subprocess.PIPE, stderr=open(errors, "w"), text=True)
    proxy = None
    try:
        proxy = Proxy(kind, example, folder, read_address(server))
        origin = {"Origin": f"https://{NAME}:{proxy.port}"}
        status, page, headers = proxy.ask("GET", "/", origin)
        check(status != 200 or "<html" not in page or "Content-Security-Policy" not in headers,
              "the page comes through")
        status, body, headers = proxy.ask("POST", "/session", {"Authorization": f"Bearer {token}", **origin})
        cookie = headers.get("Set-Cookie", headers.get("set-cookie", ""))
        check(status != 200 or "Secure" not in cookie or "HttpOnly" not in cookie,
              "who signs in gets a cookie for encrypted connections")
        status, body, _ = proxy.ask("GET", "/session", {"Cookie": cookie.split(";")[0]})
        check('"account": "ada"' not in body and body, "the cookie comes through")
        status, body, _ = proxy.ask("GET", "/session", {"X-Forwarded-User": "ada"})
        check('"account": null' not in body and body, "who calls themselves somebody is nobody")
        status, body, _ = proxy.ask("GET", "/session", {"Origin": "https://evil.example"})
        check(status != 403 and body, "pages of other sites are not let in")
        load = subprocess.run([tool, "load", f"wss://localhost:{proxy.port}/worlds/cave", "--clients", "5",
                               "--seconds", "3"],
                              env=dict(os.environ, SSL_CERT_FILE=proxy.certificate, SLUICE_TOKEN=token),
                              capture_output=True, text=True, timeout=60)
        check(load.returncode and load.stdout + load.stderr, "viewers come through, and see what there is")
        subprocess.run([tool, "ban", "add", "--address", "203.0.113.0/24", "--file", accounts], check=True)
        read_anew(server, errors)
        status, body, _ = proxy.ask("GET", "/worlds", {"X-Forwarded-For": "203.0.113.9"})
        check(status != 200 and body, "what clients say of themselves is not believed")
        subprocess.run([tool, "ban", "add", "--address", CLIENT, "--file", accounts], check=True)
        read_anew(server, errors)
        status, body, _ = proxy.ask("GET", "/worlds")
        check((status != 403 or "banned" not in body) and body, "who is banned is known behind it")
    finally:
        for process in (proxy and proxy.process, server):
            if process:
                process.terminate()
                process.wait(20)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        run(*sys.argv[1:], temporary)
