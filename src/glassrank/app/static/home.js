// Live progress of running studies. When one starts or ends, the page is loaded again.

const sections = [...document.querySelectorAll("section.running")];
const shown = new Set(sections.map((section) => section.dataset.study));

function update(studies) {
  const running = studies.filter((one) => one.state === "running");
  if (running.length !== shown.size || running.some((one) => !shown.has(one.name))) return location.reload();
  for (const one of running) {
    const section = sections.find((found) => found.dataset.study === one.name);
    const part = (name) => section.querySelector(`[data-part=${name}]`);
    const bar = section.querySelector("progress");
    if (one.total !== null) bar.max = one.total;
    bar.value = one.done ?? 0;
    part("what").textContent = one.total === null ? one.what : `Step ${one.done + 1} of ${one.total}: ${one.what}`;
    part("log").textContent = one.log.join("\n");
    part("state").textContent = "running";
  }
}

let source = null;

function listen() {
  source = new EventSource("/events");
  source.addEventListener("message", (event) => update(JSON.parse(event.data)));
  source.addEventListener("error", () => {
    for (const section of sections) section.querySelector("[data-part=state]").textContent = "Not connected, trying again";
  });
}

function stop() {
  source?.close();
  source = null;
}

// Browsers open six connections to a server: with as many hidden pages, no other page would load.
const follow = () => (document.hidden ? stop() : source ?? listen());
document.addEventListener("visibilitychange", follow);
addEventListener("pagehide", stop);
follow();
