import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Abi, Hex } from "viem";

/** The compiler's output for one contract of `contracts/`. `creationCode` is without constructor arguments. */
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

function readSources(folder: URL): Record<string, { content: string }> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(new URL(name, folder), "utf8") }]),
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
 * Returns all contracts of the folder by their names. They are compiled once per state of the sources and compiler; the
 * result is kept in the temporary folder of the system, where parallel and later test files read it.
 */
export function compileContracts(
  sourceFolder = FOLDER,
  evmVersion = "cancun",
): Readonly<Record<string, CompiledContract>> {
  const require = createRequire(import.meta.url);
  const { version } = require("solc/package.json") as { version: string };
  const input = JSON.stringify({
    language: "Solidity",
    sources: readSources(sourceFolder),
    settings: {
      evmVersion,
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
    // Renamed into place: no reader sees a part of it.
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(compiled));
    renameSync(`${file}.${process.pid}`, file);
    return compiled;
  }
}
