import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { privateKeyToAccount } from "viem/accounts";
import type { Address } from "../../src/core/evm/address.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import { startChild } from "../../src/process/child.ts";

/** The release that this suite was last seen to pass with. */
const VERSION = "v1.17.10";
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
// The world's transactions are neither cheap nor always signed for one chain only.
const POOL = [
  "--rpc.allow-unprotected-txs",
  "--rpc.txfeecap",
  "0",
  "--txpool.accountslots",
  "4096",
];

/** Keeps the state of every block. */
export const ARCHIVE = ["--gcmode", "archive", "--state.scheme", "hash"];

/**
 * Starts geth on a free port of loopback, with a chain of its own in a folder that is deleted with it. `flags` come
 * instead of those of an archive.
 */
export async function startGeth(flags: readonly string[] = ARCHIVE): Promise<Geth> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-geth-"));
  return startWith(process.env["GETH"] ?? "geth", folder, ["--dev", ...flags], HOW_TO_GET_IT);
}

/** Block gas of a chain on which contracts may be larger and state costs more. */
const AMSTERDAM_GAS_LIMIT = "0x3938700";

/**
 * Starts geth in its development mode on a chain whose blocks follow Amsterdam's rules from a time on, in seconds; before it
 * they follow Osaka's.
 */
export async function startAmsterdam(forkTime: number): Promise<Geth> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-amsterdam-"));
  const command = process.env["GETH"] ?? "geth";
  const run = promisify(execFile);
  const { stdout } = await run(command, ["--dev", "dumpgenesis"]).catch((error: Error) => {
    throw new Error(`${HOW_TO_GET_IT}; it said: ${error.message}`);
  });
  const { config, alloc, ...genesis } = JSON.parse(stdout);
  const { bogotaTime: _later, ...forks } = config;
  const developer = privateKeyToAccount(DEVELOPER_KEY).address.slice(2);
  const own = {
    ...genesis,
    gasLimit: AMSTERDAM_GAS_LIMIT,
    config: { ...forks, amsterdamTime: forkTime },
    alloc: { ...alloc, [developer]: { balance: `0x1${"0".repeat(24)}` } },
  };
  await writeFile(path.join(folder, "genesis.json"), JSON.stringify(own));
  const scheme = ["--state.scheme", "hash"];
  await run(command, ["init", "--datadir", folder, ...scheme, path.join(folder, "genesis.json")]);
  return startWith(command, folder, ["--dev", ...ARCHIVE], HOW_TO_GET_IT);
}

/** The last line of releases that make blocks with Clique (EIP-225). */
const CLIQUE_VERSION = "v1.13.15";
const HOW_TO_GET_CLIQUE =
  "this test needs a geth that makes blocks with Clique, its path in CLIQUE_GETH: " +
  `go install -ldflags=-checklinkname=0 github.com/ethereum/go-ethereum/cmd/geth@${CLIQUE_VERSION}`;

export const CLIQUE_CHAIN_ID = 7_225;

/**
 * Starts geth on a chain whose one signer, by Clique, is the account of the key, and whose coins are the owner's. It makes
 * a block a second.
 */
export async function startClique(key: Hex, owner: Address): Promise<Geth> {
  const command = process.env["CLIQUE_GETH"];
  if (command === undefined) throw new Error(HOW_TO_GET_CLIQUE);
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-clique-"));
  const { address } = privateKeyToAccount(key);
  const inFolder = (name: string) => path.join(folder, name);
  await writeFile(inFolder("genesis.json"), JSON.stringify(cliqueGenesis(address, owner)));
  await writeFile(inFolder("key"), key.slice(2));
  await writeFile(inFolder("password"), "");
  const run = promisify(execFile);
  await run(command, [
    "init",
    "--datadir",
    folder,
    "--state.scheme",
    "hash",
    inFolder("genesis.json"),
  ]);
  const password = ["--password", inFolder("password")];
  await run(command, ["account", "import", "--datadir", folder, ...password, inFolder("key")]);
  const signing = ["--mine", "--miner.etherbase", address, "--unlock", address, ...password];
  const flags = [...signing, "--allow-insecure-unlock", "--syncmode", "full"];
  return startWith(command, folder, [...flags, "--maxpeers", "0", ...ARCHIVE], HOW_TO_GET_CLIQUE);
}

function cliqueGenesis(signer: Address, owner: Address) {
  const forks =
    "homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london";
  return {
    config: {
      chainId: CLIQUE_CHAIN_ID,
      ...Object.fromEntries(forks.split(" ").map((fork) => [`${fork}Block`, 0])),
      clique: { period: 1, epoch: 30_000 },
    },
    difficulty: "1",
    gasLimit: "30000000",
    extraData: `0x${"00".repeat(32)}${signer.slice(2)}${"00".repeat(65)}`,
    alloc: { [owner.slice(2)]: { balance: "1000000000000000000000" } },
  };
}

/** Starts a kind of geth on the chain in the folder, which is deleted with it. */
export async function startWith(
  command: string,
  folder: string,
  flags: readonly string[],
  howToGetIt: string,
): Promise<Geth> {
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  const lines: string[] = [];
  const child = startChild({
    command,
    args: [
      ...["--datadir", folder, "--ipcdisable", "--nodiscover", "--port", "0"],
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
    throw new Error(`${howToGetIt}; it said: ${lines.join(" ")}`);
  }
  return {
    url,
    async stop() {
      await child.stop(STOP_PATIENCE_MS);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
