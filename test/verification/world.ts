import { createRequire } from "node:module";
import { pino } from "pino";
import type { Chain } from "../../src/chain/chain.ts";
import { createChain } from "../../src/chain/client.ts";
import type { Address } from "../../src/core/evm/address.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import type { Sql } from "../../src/db/client.ts";
import { createCatalogue } from "../../src/verification/compilers/catalogue.ts";
import type { VerificationRequest } from "../../src/verification/request.ts";
import type { Verifier } from "../../src/verification/verifier.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { startTestVerifier, type TestVerifierOptions } from "../support/verifier.ts";
import { type CompilerFolder, createCompilerFolder } from "./compiler-folder.ts";
import { type DeploymentChain, startDeploymentChain } from "./deployment.ts";

/** A chain, its index, and what verifies on them: all of it real. */
export interface World {
  node: DeploymentChain;
  database: TestDatabase;
  sql: Sql;
  indexer: TestIndexer;
  chain: Chain;
  compilers: CompilerFolder;
  /** Starts a verifier, to be closed by the caller. */
  startVerifier(options?: Partial<TestVerifierOptions>): Verifier;
  stop(): Promise<void>;
}

/** Starts it. `anvilArgs` are added to the command line of its node; `traces` says whether it is indexed with them. */
export async function startWorld(
  anvilArgs?: readonly string[],
  traces: "auto" | "off" = "auto",
): Promise<World> {
  const [node, database] = await Promise.all([
    startDeploymentChain(anvilArgs),
    createTestDatabase(),
  ]);
  const compilers = createCompilerFolder();
  const indexer = startTestIndexer({
    databaseUrl: database.url,
    rpcUrls: [node.anvil.url],
    traces,
  });
  const log = pino({ level: process.env["TEST_LOG_LEVEL"] ?? "silent" });
  const closing = new AbortController();
  const chain = createChain({
    urls: [node.anvil.url],
    requestTimeoutMs: 30_000,
    batchSize: 100,
    concurrency: 4,
    maxResponseBytes: 32 * 1024 * 1024,
    traces: "off",
    log,
    signal: closing.signal,
  });
  const catalogue = createCatalogue({
    folders: { solc: compilers.path, vyper: undefined },
    downloads: { solc: undefined, vyper: undefined },
  });
  return {
    node,
    database,
    sql: database.sql,
    indexer,
    chain,
    compilers,
    startVerifier: (options = {}) =>
      startTestVerifier({ sql: database.sql, chain, catalogue, concurrency: 1, log, ...options }),
    stop: async () => {
      await indexer.stop();
      closing.abort();
      await chain.close();
      await database.drop();
      await node.anvil.stop();
      compilers.remove();
    },
  };
}

/** A contract of the tests: one file, and what its deployment needs. */
export interface Program {
  source: string;
  /** Without its path, which is `Note.sol`. */
  name: string;
  /** Hex digits. */
  arguments?: string;
}

const solc: { compile(input: string): string } = createRequire(import.meta.url)("solc");
const PATH = "Note.sol";
const SETTINGS = { optimizer: { enabled: true, runs: 200 } };

/** A small contract; `text` makes its metadata another one, `mark` its code. */
export function note(text: string, mark = 1): Program {
  const source = `pragma solidity ^0.8.0;\n\n// ${text}\ncontract Note {\n    uint256 public constant mark = ${mark};\n}\n`;
  return { source, name: "Note" };
}

/** Compiles a program with the bundled compiler and deploys it. */
export async function deployProgram(node: DeploymentChain, program: Program): Promise<Address> {
  const { address } = await node.deploy(initCodeOf(program));
  return address;
}

/** In this process: one of its own for each contract would load the compiler again. */
function initCodeOf({ source, name, arguments: given = "" }: Program): Hex {
  const input = {
    language: "Solidity",
    sources: { [PATH]: { content: source } },
    settings: { ...SETTINGS, outputSelection: { [PATH]: { [name]: ["evm.bytecode.object"] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  return `0x${output.contracts[PATH]?.[name]?.evm.bytecode.object}${given}`;
}

/** The request that verifies a program. */
export function requestFor(address: Address, { source, name }: Program): VerificationRequest {
  const input = {
    language: "Solidity",
    sources: { [PATH]: { content: source } },
    settings: SETTINGS,
  };
  return {
    format: "standard-json",
    address,
    input: JSON.stringify(input),
    name: `${PATH}:${name}`,
    compilerVersion: "v0.8.37+commit.f401782d",
  };
}
