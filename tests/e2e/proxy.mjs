// A small server in front of a real one: it answers some requests by itself and hands all others on,
// WebSockets too. So a test can have answers that the real server does not give.
import http from "node:http";
import net from "node:net";

/** `answer(request, response)` returns whether it has answered; `lets(request)` whether a WebSocket may
 *  open. Resolves with the server's `url` and `address`, and `close()`. */
export function startProxy(target, answer, lets = () => true, listen = { host: "127.0.0.1", port: 0 }) {
  const [host, port] = target.split(":");
  // The real server lets in only pages and host names of its own.
  const headersOf = (request) => {
    const headers = { ...request.headers, host: target };
    if (headers.origin) headers.origin = `http://${target}`;
    return headers;
  };
  const server = http.createServer((request, response) => {
    if (answer(request, response)) return;
    const passed = http.request({ host, port, path: request.url, method: request.method, headers: headersOf(request) },
      (answered) => {
        response.writeHead(answered.statusCode, answered.headers);
        answered.pipe(response);
      });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  const sockets = new Set();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request, socket, head) => {
    if (!lets(request)) return socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    const passed = net.connect(Number(port), host, () => {
      const lines = Object.entries(headersOf(request)).map(([name, value]) => `${name}: ${value}`);
      passed.write(`GET ${request.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      passed.write(head);
      passed.pipe(socket).pipe(passed);
    });
    for (const [one, other] of [[passed, socket], [socket, passed]]) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  return new Promise((resolve) => server.listen(listen.port, listen.host, () => {
    const address = `${listen.host}:${server.address().port}`;
    const close = () => new Promise((done) => {
      server.close(done);
      for (const socket of sockets) socket.destroy();
    });
    resolve({ url: `http://${address}`, address, close });
  }));
}
