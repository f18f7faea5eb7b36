import {
  SolidityCompilation,
  setLibSourcifyLoggerLevel,
  Verification,
  YulCompilation,
} from "@ethereum-sourcify/lib-sourcify";
import { keccak256 } from "viem/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Case, readCases, requestedInput } from "./case.ts";
import { type CaseChain, type DeployedCase, startCaseChain } from "./case-chain.ts";

// What another engine makes of the same cases. It knows standard JSON and a contract's path and name.

let chain: CaseChain;

beforeAll(async () => {
  setLibSourcifyLoggerLevel(0);
  chain = await startCaseChain();
});

afterAll(() => chain.stop());

type Outcome = { runtime: string | null; creation: string | null };

const QUALITIES: Readonly<Record<string, string>> = { perfect: "full", partial: "partial" };

async function theirs(it: Case, deployed: DeployedCase): Promise<Outcome | "refused"> {
  const name = it.request.name ?? it.deployed.contract;
  const target = {
    path: name.slice(0, name.lastIndexOf(":")),
    name: name.slice(name.lastIndexOf(":") + 1),
  };
  const compiler = {
    compile: async (version: string, input: object) => {
      const { compile } = await chain.open(version);
      const output = JSON.parse(await compile(JSON.stringify(input)));
      const error = output.errors?.find(
        ({ severity }: { severity: string }) => severity === "error",
      );
      if (error) throw new Error(error.message);
      return output;
    },
  };
  const build = await chain.catalogue.resolve("solc", it.request.compiler ?? it.deployed.compiler);
  const { release, commit } = build.version;
  const Compilation = it.deployed.language === "Yul" ? YulCompilation : SolidityCompilation;
  const input = requestedInput(it) as never;
  const compilation = new Compilation(compiler, `${release}+commit.${commit}`, input, target);
  const verification = new Verification(
    compilation,
    fakeChain(deployed) as never,
    deployed.address,
    deployed.creationCode === null ? undefined : keccak256(deployed.creationCode),
  );
  try {
    await verification.verify();
  } catch {
    return "refused";
  }
  const { runtimeMatch, creationMatch } = verification.status;
  return {
    runtime: QUALITIES[runtimeMatch ?? ""] ?? null,
    creation: QUALITIES[creationMatch ?? ""] ?? null,
  };
}

function fakeChain({ runtimeCode, creationCode }: DeployedCase) {
  return {
    chainId: 31_337,
    getBytecode: async () => runtimeCode,
    getTx: async () => ({ blockNumber: 1, from: "0x", data: creationCode }),
    getContractCreationBytecodeAndReceipt: async () => ({
      creationBytecode: creationCode,
      txReceipt: { index: 0 },
    }),
  };
}

function ours({ expected }: Case): Outcome | "refused" {
  if ("failure" in expected) return "refused";
  return { runtime: expected.runtime, creation: expected.creation };
}

const cases = readCases().filter(
  ([, { request, deployed }]) =>
    request.format === "standard-json" && (request.name ?? deployed.contract).includes(":"),
);

test.each(cases)("%s", async (_name, it) => {
  const outcome = await theirs(it, await chain.deploy(it));
  if (it.sourcify?.startsWith("differs")) expect(outcome).not.toEqual(ours(it));
  else expect(outcome).toEqual(ours(it));
});
