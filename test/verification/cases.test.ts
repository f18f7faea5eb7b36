import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../src/core/hex.ts";
import {
  type CompilerCatalogue,
  createCatalogue,
} from "../../src/verification/compilers/catalogue.ts";
import { type Compiler, openCompiler } from "../../src/verification/compilers/compiler.ts";
import { VerificationError } from "../../src/verification/errors.ts";
import { requestedCompiler } from "../../src/verification/inputs/read.ts";
import type { VerificationRequest } from "../../src/verification/request.ts";
import type { VerifiedSource } from "../../src/verification/verified-source.ts";
import { type VerifyTask, verify } from "../../src/verification/verify.ts";
import { addressAt } from "../support/build.ts";
import { type Case, deployedInput, readCases, requestOf, tampered } from "./case.ts";
import { type CompilerFolder, createCompilerFolder } from "./compiler-folder.ts";
import { type DeploymentChain, initCodeOf, link, startDeploymentChain } from "./deployment.ts";

let chain: DeploymentChain;
let folder: CompilerFolder;
let catalogue: CompilerCatalogue;
const compilers = new Map<string, Promise<Compiler>>();

beforeAll(async () => {
  chain = await startDeploymentChain();
  folder = createCompilerFolder();
  catalogue = createCatalogue({
    folders: { solc: folder.path, vyper: undefined },
    downloads: { solc: undefined, vyper: undefined },
  });
});

afterAll(async () => {
  await chain.anvil.stop();
  folder.remove();
});

/** In this process, unlike a worker's: loading a compiler takes longer than most of the cases. */
async function open(requested: string): Promise<Compiler> {
  const build = await catalogue.resolve("solc", requested);
  const opened = compilers.get(build.file) ?? openCompiler(build, 2 ** 26);
  compilers.set(build.file, opened);
  return opened;
}

interface Compiled {
  metadata: string;
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } };
}

async function compile(it: Case): Promise<Compiled> {
  const { settings, ...input } = deployedInput(it);
  const outputSelection = {
    "*": { "*": ["metadata", "evm.bytecode.object", "evm.deployedBytecode.object"] },
  };
  const compiler = await open(it.deployed.compiler);
  const text = JSON.stringify({ ...input, settings: { ...settings, outputSelection } });
  const output = JSON.parse(await compiler.compile(text));
  const [, path, name] = /^(.*):(.*)$/.exec(it.deployed.contract) ?? [];
  const contract = output.contracts?.[path ?? ""]?.[name ?? ""];
  if (contract === undefined) throw new Error(JSON.stringify(output.errors));
  return contract;
}

async function deploy(it: Case, compiled: Compiled) {
  const { deployed } = it;
  const object = link(compiled.evm.bytecode.object, deployed.link);
  const creationCode: Hex = `0x${object}${deployed.arguments ?? ""}`;
  const initCode = deployed.via === "blueprint" ? initCodeOf(`0xfe7100${object}`) : creationCode;
  // A constructor may well refuse to run without its arguments: then the code is put there.
  const { address, runtimeCode } =
    deployed.arguments === ""
      ? undeployed(compiled)
      : await chain.deploy(initCode, deployed.via === "create2" ? "create2" : undefined);
  return {
    address: deployed.moved ? addressAt(7) : address,
    runtimeCode: tampered(runtimeCode, deployed.tamper),
    creationCode: deployed.creation === "unknown" ? null : initCode,
  };
}

function undeployed(compiled: Compiled): { address: Hex; runtimeCode: Hex } {
  return { address: addressAt(1), runtimeCode: `0x${compiled.evm.deployedBytecode.object}` };
}

async function outcomeOf(
  request: VerificationRequest,
  rest: Pick<VerifyTask, "runtimeCode" | "creationCode" | "diagnosisMs">,
): Promise<VerifiedSource | { code: string; reason: string }> {
  try {
    const { family, version } = requestedCompiler(request);
    const build = await catalogue.resolve(family, version);
    return await verify(
      { build, request: JSON.stringify(request), ...rest },
      { open: () => open(version), onFailure: () => {} },
    );
  } catch (error) {
    if (error instanceof VerificationError) return { code: error.code, reason: error.message };
    throw error;
  }
}

function summary(
  outcome: VerifiedSource,
  expected: Exclude<Case["expected"], { failure: string }>,
) {
  const { runtimeMatch, creationMatch } = outcome;
  const all: Required<typeof expected> = {
    runtime: runtimeMatch?.quality ?? null,
    creation: creationMatch?.quality ?? null,
    arguments: outcome.constructorArguments?.slice(2) ?? "",
    libraries: Object.fromEntries(outcome.libraries.map(({ name, address }) => [name, address])),
    transformations: [...new Set(runtimeMatch?.transformations.map(({ reason }) => reason))],
    name: outcome.contractName,
    file: outcome.filePath,
    evmVersion: outcome.evmVersion ?? "",
  };
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in expected));
}

test.each(readCases())("%s", async (_name, it) => {
  const compiled = await compile(it);
  const { address, ...codes } = await deploy(it, compiled);
  const isDiagnosed = "failure" in it.expected && it.expected.reason.startsWith("It matches with");
  const diagnosisMs = isDiagnosed ? Number.POSITIVE_INFINITY : 0;
  const request = requestOf(it, address, compiled.metadata);
  const outcome = await outcomeOf(request, { ...codes, diagnosisMs });
  if ("failure" in it.expected) {
    expect(outcome).toMatchObject({
      code: it.expected.failure,
      reason: expect.stringContaining(it.expected.reason),
    });
  } else {
    expect(outcome).not.toHaveProperty("code");
    expect(summary(outcome as VerifiedSource, it.expected)).toEqual(it.expected);
  }
});
