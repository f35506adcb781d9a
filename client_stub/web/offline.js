// Of offline.html: looks for the server, and shows the world when it is there. A file of its own, since
// the page's rules allow no script inside of a page.
const look = () => fetch("/healthz", { cache: "no-store" }).then((answer) => answer.ok && location.reload(), () => undefined);
setInterval(look, 3000);
addEventListener("online", look);
document.querySelector("button").addEventListener("click", look);
