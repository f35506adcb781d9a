// Where the server is away, whoever opens the page gets one that says so and waits. Nothing else is kept
// or looked at: worlds are never old ones, and whose session it is stays between page and server.
const CACHE = "sluice-offline";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.add(new Request("/offline.html", { cache: "reload" }))));
  self.skipWaiting();
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  event.respondWith(fetch(event.request).catch(async () => (await caches.match("/offline.html")) ?? Response.error()));
});
