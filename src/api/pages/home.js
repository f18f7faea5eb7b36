// The page at /: draws what /health and two small documents of its own tell.

const POLL_MS = 2_000;
const NETWORK_MS = 30_000;
const LONGEST_SECONDS = 600;
const SHORTEST_SECONDS = 120;
/** Speed is an average over so long: blocks come one by one. */
const SPEED_SECONDS = 30;
const CHART = { width: 600, height: 160 };

const element = (id) => document.getElementById(id);
const base = new URL(".", location.href).href.replace(/\/$/, "");
const whole = new Intl.NumberFormat("en");
const precise = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });

/** { at, head, nodeHead, recorded }: seconds and block numbers, oldest first. */
let samples = [];
let headTimestamp = null;
let networkAt = 0;

async function fetchJson(path) {
  const response = await fetch(path, { cache: "no-store" });
  return response.json();
}

async function poll() {
  try {
    showHealth(await fetchJson("health"));
    if (Date.now() - networkAt > NETWORK_MS) {
      showNetwork(await fetchJson("pages/network.json"));
      networkAt = Date.now();
    }
  } catch {
    showState("bad", "The server does not answer.");
  }
  setTimeout(poll, POLL_MS);
}

function showHealth(health) {
  const head = health.head?.number ?? null;
  const { phase, backfill, indexes } = health.indexer ?? {};
  headTimestamp = health.head?.timestamp ?? null;
  showNumber("head", head);
  // The node's head is told once a second, ours at once.
  showNumber("node-head", health.nodeHead && Math.max(health.nodeHead, head ?? 0));
  showNumber("lag", health.lag);
  showNumber("gaps", health.gaps);
  showNumber("generation", health.generation);
  element("gaps").dataset.state = health.gaps ? "bad" : "";
  element("version").textContent = health.version ?? "";
  showAge();
  if (phase === "indexing" && indexes) showIndexes(indexes);
  else showBackfill(backfill);
  showState(...describeState(health));
  const at = Date.now() / 1000;
  samples.push({ at, head, nodeHead: health.nodeHead, recorded: backfill?.recorded ?? null });
  samples = samples.filter((sample) => sample.at > at - LONGEST_SECONDS);
  drawCharts(at);
}

function describeState({ status, problems = ["the server cannot tell how it is"], indexer }) {
  if (status === "ready") return ["good", "Ready: every answer is true for the head below."];
  const text = `Not ready: ${[...problems, indexer?.reason].filter(Boolean).join("; ")}.`;
  const working = ["starting", "backfilling", "indexing"].includes(indexer?.phase);
  return [working ? "wait" : "bad", text];
}

function showState(state, text) {
  element("state").dataset.state = state;
  // A screen reader says every change.
  if (element("state").textContent !== text) element("state").textContent = text;
}

function showNumber(id, value) {
  element(id).textContent = value === null || value === undefined ? "–" : whole.format(value);
}

function showAge() {
  const age = headTimestamp === null ? null : Math.max(0, Date.now() / 1000 - headTimestamp);
  element("age").textContent = age === null ? "–" : describeSeconds(age);
}

function describeSeconds(seconds) {
  for (const [unit, size] of [
    ["d", 86_400],
    ["h", 3_600],
    ["min", 60],
  ]) {
    if (seconds >= size * 2) return `${Math.floor(seconds / size)} ${unit}`;
  }
  return `${Math.floor(seconds)} s`;
}

function showBackfill(backfill) {
  element("progress").hidden = !backfill;
  if (!backfill) return;
  const { from, to, recorded, blocksPerSecond, secondsLeft } = backfill;
  const share = (recorded - from + 1) / (to - from + 1);
  showProgress(share, [
    `Block ${whole.format(recorded)} of ${whole.format(to)}`,
    `${Math.floor(share * 100)} %`,
    `${precise.format(blocksPerSecond)} blocks/s`,
    ...(secondsLeft === null ? [] : [`${describeSeconds(secondsLeft)} left`]),
  ]);
}

function showIndexes({ built, total }) {
  element("progress").hidden = false;
  showProgress(built / total, ["Building indexes", `${built} of ${total} stand`]);
}

function showProgress(share, texts) {
  element("progress-bar").value = share;
  element("progress-text").textContent = texts.join(" · ");
}

function drawCharts(now) {
  const speeds = samples.map((sample, index) => ({ at: sample.at, value: speedAt(index) }));
  const lags = samples.map((sample) => ({ at: sample.at, value: lagOf(sample) }));
  draw("speed-chart", speeds, now, { minimumTop: 1, unit: "blocks/s" });
  draw("lag-chart", lags, now, { minimumTop: 5, unit: "blocks" });
}

/** While a first synchronisation runs, what is recorded counts, though it is not served yet. */
function reached({ head, recorded }) {
  return recorded ?? head;
}

function lagOf(sample) {
  const number = reached(sample);
  if (number === null || sample.nodeHead === null) return null;
  return Math.max(0, sample.nodeHead - number);
}

/** Blocks per second up to a sample; null before two samples tell. */
function speedAt(index) {
  const last = samples[index];
  const first = samples.find(({ at }) => at >= last.at - SPEED_SECONDS);
  if (first === last || reached(first) === null || reached(last) === null) return null;
  return Math.max(0, reached(last) - reached(first)) / (last.at - first.at);
}

function draw(id, points, now, { minimumTop, unit }) {
  const known = points.filter(({ value }) => value !== null);
  const top = Math.max(minimumTop, ...known.map(({ value }) => value));
  const span = Math.max(SHORTEST_SECONDS, now - (samples[0]?.at ?? now));
  const { width, height } = CHART;
  const place = ({ at, value }) => {
    const x = width - ((now - at) / span) * width;
    const y = height - 2 - (value / top) * (height - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  };
  const curve = known.map(place).join(" ");
  const [start] = curve.split(",");
  const area = known.length > 1 ? `${start},${height} ${curve} ${width},${height}` : "";
  const figure = element(id);
  figure.querySelector("svg").replaceChildren(
    ...[0, 0.5, 1].map((share) => {
      const y = 2 + share * (height - 4);
      return shape("line", { class: "grid", x1: 0, x2: width, y1: y, y2: y });
    }),
    shape("polygon", { class: "area", points: area }),
    shape("polyline", { class: "curve", points: curve }),
  );
  const value = known.at(-1)?.value;
  figure.querySelector("output").textContent =
    value === undefined ? "" : `${precise.format(value)} ${unit}`;
  figure.querySelector(".top").textContent = precise.format(top);
  figure.querySelector(".start").textContent = `${describeSeconds(span)} ago`;
}

function shape(name, attributes) {
  const created = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  return created;
}

function showNetwork({ name, chainId, features, examples }) {
  const title = name ?? (chainId === null ? "Periscope" : `Chain ${chainId}`);
  element("network").textContent = title;
  document.title = title === "Periscope" ? title : `${title} · Periscope`;
  fill("features", "feature", features, (item, feature) => {
    item.querySelector("li").dataset.on = feature.on;
    item.querySelector("strong").textContent = `${feature.name}: ${feature.on ? "on" : "off"}`;
    item.querySelector(".detail").textContent = feature.detail;
  });
  fill("addresses", "address", addresses(chainId), (item, [label, url]) => {
    item.querySelector("dt").textContent = label;
    item.querySelector("code").textContent = url;
  });
  fill("examples", "example", examples, (item, { title: about, path, body }) => {
    const data = body ? ` \\\n  -H 'content-type: application/json' \\\n  -d '${body}'` : "";
    item.querySelector("p").textContent = about;
    item.querySelector("code").textContent = `curl '${base}${path}'${data}`;
  });
}

function addresses(chainId) {
  return [
    ["Blockscout's dialect", `${base}/api`],
    ["Etherscan's dialect (V2)", `${base}/v2/api${chainId === null ? "" : `?chainid=${chainId}`}`],
    ["JSON-RPC", `${base}/api/eth-rpc`],
  ];
}

/** One copy of the template per thing; nothing is touched while the things are the same. */
function fill(listId, templateId, things, write) {
  const list = element(listId);
  const key = JSON.stringify(things);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(
    ...things.map((thing) => {
      const item = element(templateId).content.cloneNode(true);
      write(item, thing);
      return item;
    }),
  );
}

async function copy(button) {
  const code = button.closest("[data-copied]").querySelector("code");
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(code.textContent);
  } else {
    // Without HTTPS there is no other way.
    getSelection().selectAllChildren(code);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1_500);
}

document.addEventListener("click", ({ target }) => {
  if (target.matches(".copy")) void copy(target);
});
setInterval(showAge, 1_000);
samples = await fetchJson("pages/history.json").catch(() => []);
await poll();
