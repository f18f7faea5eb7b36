import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import type { Abi } from "viem";
import type { Hex } from "../core/evm/hex.ts";

/** The compiler's output for one contract. */
export interface Artifact {
  abi: Abi;
  creationCode: Hex;
}

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
}

/** Folder of the sample contracts, one file each. */
export const SOURCES = new URL("contracts/", import.meta.url);
/** Their compiler settings. */
export const SETTINGS = {
  // Without the optimizer the first start is over a second faster.
  optimizer: { enabled: false },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
};
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const resolve = createRequire(import.meta.url).resolve;

/** Compiles the sample contracts in a process of their own, and caches them by sources, settings and compiler. */
export async function loadArtifacts(cacheFolder: string, signal: AbortSignal) {
  const input = JSON.stringify({
    language: "Solidity",
    sources: await readSources(),
    settings: SETTINGS,
  });
  const compiler = await readFile(resolve("solc/package.json"), "utf8");
  const key = createHash("sha256").update(input).update(compiler).digest("hex").slice(0, 16);
  const file = path.join(cacheFolder, `artifacts-${key}.json`);
  const cached = await readFile(file, "utf8").catch(() => undefined);
  if (cached !== undefined) return new Map(JSON.parse(cached) as [string, Artifact][]);
  const artifacts = collect(await compile(input, signal));
  await mkdir(cacheFolder, { recursive: true });
  await writeFile(`${file}.new`, JSON.stringify([...artifacts]));
  await rename(`${file}.new`, file);
  return artifacts;
}

async function readSources(): Promise<Record<string, { content: string }>> {
  const names = (await readdir(SOURCES)).sort();
  const sources = names.map(async (name) => {
    return [name, { content: await readFile(new URL(name, SOURCES), "utf8") }] as const;
  });
  return Object.fromEntries(await Promise.all(sources));
}

async function compile(input: string, signal: AbortSignal): Promise<CompilerOutput> {
  const args = [resolve("solc/solc.js"), "--standard-json"];
  const options = { maxBuffer: MAX_OUTPUT_BYTES, signal };
  const running = promisify(execFile)(process.execPath, args, options);
  running.child.stdin?.end(input);
  const { stdout } = await running.catch((cause: unknown) => {
    throw new Error("the compiler of the sample contracts failed", { cause });
  });
  // The compiler's launcher prints a line of its own first.
  return JSON.parse(stdout.slice(stdout.indexOf("{")));
}

function collect(output: CompilerOutput): Map<string, Artifact> {
  const failure = output.errors?.find((error) => error.severity === "error");
  if (failure) throw new Error(failure.formattedMessage);
  const contracts = Object.values(output.contracts ?? {}).flatMap((file) => Object.entries(file));
  return new Map(
    contracts.map(([name, { abi, evm }]) => [
      name,
      { abi, creationCode: `0x${evm.bytecode.object}` },
    ]),
  );
}
