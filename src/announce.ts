import type { StartedChain } from "./app.ts";
import { sleep } from "./core/async.ts";
import type { IndexerStatus } from "./indexer/thread/status.ts";
import { type Examples, getExamples } from "./store/examples.ts";
import { getIndexState, getServedHead, type ServedHead } from "./store/sync-state.ts";

const LOOK_INTERVAL_MS = 100;
const PROGRESS_INTERVAL_MS = 5_000;

/** Waits for the first synchronisation, logging its progress, then shows URLs and commands to try. Ends with the chain. */
export async function announce(app: StartedChain): Promise<void> {
  const { log, signal } = app;
  const look = watchSynchronisation(app);
  let progressAt = performance.now() + PROGRESS_INTERVAL_MS;
  while (!signal.aborted) {
    try {
      const head = await look();
      if (head) {
        if (app.apiUrl !== null) await say(app, app.apiUrl, head);
        return;
      }
    } catch (error) {
      log.debug(
        { err: error },
        "cannot read the progress of the first synchronisation; trying again",
      );
    }
    if (performance.now() >= progressAt) {
      progressAt += PROGRESS_INTERVAL_MS;
      const progress = app.indexer && describeProgress(app.indexer.status());
      if (progress) log.info(progress);
    }
    await sleep(LOOK_INTERVAL_MS, signal);
  }
}

async function say(app: StartedChain, apiUrl: string, head: ServedHead): Promise<void> {
  const urls = listUrls(app, apiUrl);
  const commands = listCommands(apiUrl, head, await getExamples(app.sql));
  if (!process.stdout.isTTY) return app.log.info({ ...urls, try: commands }, "ready");
  const width = Math.max(...Object.keys(urls).map((name) => name.length));
  const places = Object.entries(urls).map(([name, url]) => `  ${name.padEnd(width)}  ${url}`);
  const tries = commands.map((command) => `  ${command}`);
  const lines = ["", `Ready, at block ${head.number}.`, ...places, "Try:", ...tries, "", ""];
  process.stdout.write(lines.join("\n"));
}

/** Returns a function that returns the index's head once it has reached the node's first head. */
function watchSynchronisation({
  sql,
  indexer,
  devnet,
}: StartedChain): () => Promise<ServedHead | undefined> {
  let goal: number | undefined;
  void devnet?.populated.then((head) => {
    goal = head;
  });
  return async () => {
    const status = indexer?.status();
    if (!devnet) goal ??= status?.nodeHead ?? undefined;
    const head = await getServedHead(sql);
    const isOurs = status !== undefined && status.phase !== "standby";
    const isThere = !isOurs || (goal !== undefined && head !== undefined && head.number >= goal);
    return isThere && (await getIndexState(sql))?.synchronised ? head : undefined;
  };
}

/** Returns `block 1200 of 5000, 24 %, 140 blocks/s, 27 s left`; undefined without progress. */
function describeProgress({ phase, indexes, backfill }: IndexerStatus): string | undefined {
  if (phase === "indexing" && indexes)
    return `building indexes, ${indexes.built} of ${indexes.total} stand`;
  if (!backfill) return undefined;
  const { from, to, recorded, blocksPerSecond, secondsLeft } = backfill;
  const percent = Math.floor((100 * (recorded - from + 1)) / (to - from + 1));
  const tenths = Math.floor(percent / 10);
  const bar = process.stdout.isTTY ? `${"█".repeat(tenths)}${"░".repeat(10 - tenths)} ` : "";
  return (
    `${bar}block ${recorded} of ${to}, ${percent} %, ${blocksPerSecond.toFixed(0)} blocks/s` +
    (secondsLeft === null ? "" : `, ${secondsLeft.toFixed(0)} s left`)
  );
}

function listUrls({ devnet }: StartedChain, apiUrl: string): Record<string, string> {
  return {
    page: `${apiUrl}/`,
    api: `${apiUrl}/api`,
    etherscan: `${apiUrl}/v2/api`,
    ethRpc: `${apiUrl}/api/eth-rpc`,
    ...(devnet ? { chain: devnet.rpcUrl } : {}),
  };
}

function listCommands(apiUrl: string, head: ServedHead, { account, token }: Examples): string[] {
  const queries = [
    account && `module=account&action=txlist&address=${account}&page=1&offset=3&sort=desc`,
    token && `module=token&action=getTokenHolders&contractaddress=${token}`,
    `module=block&action=getblockreward&blockno=${head.number}`,
    "module=stats&action=ethsupply",
    "module=block&action=eth_block_number",
  ];
  return queries
    .filter((query) => query !== null)
    .slice(0, 3)
    .map((query) => `curl '${apiUrl}/api?${query}'`);
}
