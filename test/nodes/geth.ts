import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startChild } from "../../src/process/child.ts";

/** The release that this suite was last seen to pass with. */
const VERSION = "v1.17.0";
const HOW_TO_GET_IT =
  `this suite needs geth: go install github.com/ethereum/go-ethereum/cmd/geth@${VERSION}, ` +
  "then put it on the PATH or give its path in GETH";

/** A geth in its development mode: it makes a block as soon as a transaction waits. */
export interface Geth {
  url: string;
  stop(): Promise<void>;
}

/** The key that geth gives its developer account, which owns everything. */
export const DEVELOPER_KEY = "0xb71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291";

const STOP_PATIENCE_MS = 10_000;
// What the world sends is neither cheap nor always signed for one chain only.
const POOL = [
  "--rpc.allow-unprotected-txs",
  "--rpc.txfeecap",
  "0",
  "--txpool.accountslots",
  "4096",
];

/** Keeps the state of every block. */
const ARCHIVE = ["--gcmode", "archive", "--state.scheme", "hash"];

/**
 * Starts geth on a free port of loopback, with a chain of its own in a folder that is deleted with it. `flags` come
 * instead of those of an archive.
 */
export async function startGeth(flags: readonly string[] = ARCHIVE): Promise<Geth> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-geth-"));
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  const lines: string[] = [];
  const child = startChild({
    command: process.env["GETH"] ?? "geth",
    args: [
      ...["--dev", "--datadir", folder, "--ipcdisable", "--nodiscover", "--port", "0"],
      ...["--http", "--http.port", "0", "--http.api", "eth,debug,net,web3,txpool,dev"],
      ...["--authrpc.port", "0", ...POOL, ...flags],
    ],
    stopSignal: "TERM",
    onLine: (line) => {
      const endpoint = /HTTP server started.*endpoint=(\S+).*auth=false/.exec(line)?.[1];
      if (endpoint !== undefined) resolve(`http://${endpoint}`);
      if (lines.push(line) > 10) lines.shift();
    },
  });
  const url = await child.until(listening, undefined);
  if (url === undefined) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`${HOW_TO_GET_IT}; it said: ${lines.join(" ")}`);
  }
  return {
    url,
    async stop() {
      await child.stop(STOP_PATIENCE_MS);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
