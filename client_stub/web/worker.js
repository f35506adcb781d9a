// Where the server is away, whoever opens the page gets one that says so and waits. Nothing else is kept
// or looked at: worlds are never old ones, and whose session it is stays between page and server.
const CACHE = "sluice-offline";
const KEPT = ["/offline.html", "/offline.js"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) =>
    cache.addAll(KEPT.map((path) => new Request(path, { cache: "reload" })))));
  self.skipWaiting();
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const script = new URL(event.request.url).pathname === "/offline.js";
  if (event.request.mode !== "navigate" && !script) return;
  const kept = script ? "/offline.js" : "/offline.html";
  event.respondWith(fetch(event.request).catch(async () => (await caches.match(kept)) ?? Response.error()));
});
