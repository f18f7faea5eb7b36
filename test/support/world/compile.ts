import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Abi, Hex } from "viem";

/** What the compiler made of one contract of `contracts/`. `creationCode` is without constructor arguments. */
export interface CompiledContract {
  abi: Abi;
  creationCode: Hex;
}

interface Solc {
  compile(input: string): string;
}

interface SolcOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
}

const FOLDER = new URL("contracts/", import.meta.url);

function readSources(): Record<string, { content: string }> {
  const names = readdirSync(FOLDER).sort();
  return Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(new URL(name, FOLDER), "utf8") }]),
  );
}

function compile(solc: Solc, input: string): Record<string, CompiledContract> {
  const output = JSON.parse(solc.compile(input)) as SolcOutput;
  const errors = output.errors?.filter(({ severity }) => severity === "error") ?? [];
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"));
  const files = Object.values(output.contracts ?? {});
  return Object.fromEntries(
    files.flatMap((contracts) =>
      Object.entries(contracts).map(([name, { abi, evm }]) => [
        name,
        { abi, creationCode: `0x${evm.bytecode.object}` } satisfies CompiledContract,
      ]),
    ),
  );
}

/**
 * All contracts of the folder by their names. Compiled once per state of the sources and compiler; the result is
 * kept in the temporary folder of the system, so that parallel and later test files only read it.
 */
export function compileContracts(): Readonly<Record<string, CompiledContract>> {
  const require = createRequire(import.meta.url);
  const { version } = require("solc/package.json") as { version: string };
  const input = JSON.stringify({
    language: "Solidity",
    sources: readSources(),
    settings: {
      evmVersion: "cancun",
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  });
  const key = createHash("sha256").update(version).update(input).digest("hex");
  const folder = join(tmpdir(), "periscope-test-world");
  const file = join(folder, `${key}.json`);
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, CompiledContract>;
  } catch {
    const compiled = compile(require("solc") as Solc, input);
    mkdirSync(folder, { recursive: true });
    // Renamed into place, so that nobody reads half of it.
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(compiled));
    renameSync(`${file}.${process.pid}`, file);
    return compiled;
  }
}
