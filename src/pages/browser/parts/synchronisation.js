// How the index follows its chain.

import { useEffect, useState } from "preact/hooks";
import { ask, report } from "../base/api.js";
import { duration, grouped } from "../base/format.js";
import { useNow } from "../base/hooks.js";
import { html } from "../base/html.js";
import { Chart } from "./chart.js";
import { Section } from "./parts.js";

const POLL_MS = 2_000;
const LONGEST_SECONDS = 600;
/** Speed is an average over so long: blocks come one by one. */
const SPEED_SECONDS = 30;
const precise = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });

/** `{ report, samples, error }`: what the server says of itself, and how its index moved in the last ten minutes. */
export function useHealth() {
  const [health, setHealth] = useState({ samples: [] });
  useEffect(() => {
    let timer;
    let samples = [];
    const poll = async () => {
      try {
        const current = await ask(report("How the index is", "health"));
        samples = [...samples, sampleOf(current)].filter(
          ({ at }) => at > Date.now() / 1000 - LONGEST_SECONDS,
        );
        setHealth({ report: current, samples });
      } catch {
        setHealth({ samples, error: true });
      }
      timer = setTimeout(poll, POLL_MS);
    };
    void ask(report("How it moved", "pages/history.json"))
      .then(
        (history) => {
          samples = history;
        },
        () => {},
      )
      .then(poll);
    return () => clearTimeout(timer);
  }, []);
  return health;
}

function sampleOf({ head, nodeHead, indexer }) {
  const recorded = indexer?.backfill?.recorded ?? null;
  return {
    at: Date.now() / 1000,
    head: head?.number ?? null,
    nodeHead: nodeHead ?? null,
    recorded,
  };
}

/** Returns whether every answer is true by now, and why not. */
export function State({ health: { report: current, error } }) {
  const [kind, text] = stateOf(current, error);
  return html`<p class="state" role="status" data-state=${kind}>${text}</p>`;
}

function stateOf(current, error) {
  if (error) return ["bad", "The server does not answer."];
  if (!current) return ["unknown", "Asking the server…"];
  const { status, problems = ["the server does not report its state"], indexer } = current;
  if (status === "ready") return ["good", "Ready: every answer is true for the head below."];
  const text = `Not ready: ${problems.join("; ")}.`;
  return [["starting", "backfilling", "indexing"].includes(indexer?.phase) ? "wait" : "bad", text];
}

export function Synchronisation({ health: { report: current, samples } }) {
  const now = useNow(1_000);
  const head = current?.head?.number ?? null;
  const timestamp = current?.head?.timestamp ?? null;
  // The node's head arrives once a second, ours at once.
  const nodeHead = current?.nodeHead && Math.max(current.nodeHead, head ?? 0);
  const figures = [
    ["Head", numberOf(head)],
    ["Age of the head", timestamp === null ? "–" : duration(Math.max(0, now / 1000 - timestamp))],
    ["Head of the node", numberOf(nodeHead)],
    ["Blocks behind", numberOf(current?.lag)],
    ["Blocks missing", numberOf(current?.gaps), current?.gaps ? "bad" : undefined],
    ["Reorganisations", numberOf(current?.generation)],
  ];
  return html`<${Section} id="synchronisation" title="Synchronisation" aside=${html`<span class="soft">Periscope ${current?.version}</span>`}>
    <dl class="figures">
      ${figures.map(([name, value, kind]) => html`<div class="card" key=${name}><dt>${name}</dt><dd data-state=${kind}>${value}</dd></div>`)}
    </dl>
    ${samples.length > 1 && html`<${Curves} samples=${samples} />`}
  <//>`;
}

function numberOf(value) {
  return value === null || value === undefined ? "–" : grouped(value);
}

/** How far the first load is. */
export function Progress({ indexer }) {
  const { phase, backfill, indexes } = indexer ?? {};
  if (phase === "indexing" && indexes) {
    const { built, total } = indexes;
    return html`<${ProgressBar} share=${built / total} texts=${["Building indexes", `${built} of ${total} stand`]} />`;
  }
  if (!backfill) return null;
  const { from, to, recorded, blocksPerSecond, secondsLeft } = backfill;
  const share = (recorded - from + 1) / (to - from + 1);
  const left = secondsLeft === null ? [] : [`${duration(secondsLeft)} left`];
  const texts = [
    `Block ${grouped(recorded)} of ${grouped(to)}`,
    `${Math.floor(share * 100)} %`,
    `${precise.format(blocksPerSecond)} blocks/s`,
    ...left,
  ];
  return html`<${ProgressBar} share=${share} texts=${texts} />`;
}

function ProgressBar({ share, texts }) {
  return html`<div class="card progress">
    <progress max="1" value=${share} aria-labelledby="progress-text"></progress>
    <p id="progress-text">${texts.join(" · ")}</p>
  </div>`;
}

function Curves({ samples }) {
  const times = samples.map(({ at }) => at);
  const speeds = samples.map((_sample, index) => speedAt(samples, index));
  const lags = samples.map(lagOf);
  return html`<div class="charts">
    <${Curve} title="Blocks per second" unit="blocks/s" times=${times} values=${speeds} />
    <${Curve} title="Blocks behind the node" unit="blocks" times=${times} values=${lags} />
  </div>`;
}

function Curve({ title, unit, times, values }) {
  const last = values.findLast((value) => value !== null);
  const now = last === undefined ? "" : `${precise.format(last)} ${unit}`;
  return html`<figure class="card">
    <figcaption class="heading"><span class="soft">${title}</span> <output>${now}</output></figcaption>
    <${Chart} label=${`${title} over the last ten minutes`} places=${times} lines=${[{ values, colour: "accent" }]} formatPlace=${clockOf} />
  </figure>`;
}

function clockOf(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB");
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

/** Blocks per second up to a sample; null before there are two samples. */
function speedAt(samples, index) {
  const last = samples[index];
  const first = samples.find(({ at }) => at >= last.at - SPEED_SECONDS);
  if (first === last || reached(first) === null || reached(last) === null) return null;
  return Math.max(0, reached(last) - reached(first)) / (last.at - first.at);
}
