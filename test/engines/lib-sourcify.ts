import {
  SolidityCompilation,
  setLibSourcifyLoggerLevel,
  Verification,
  YulCompilation,
} from "@ethereum-sourcify/lib-sourcify";
import { keccak256 } from "viem/utils";
import { type Case, requestedInput } from "../verification/case.ts";
import type { CaseChain, DeployedCase } from "../verification/case-chain.ts";

/** How the codes match, null for not at all. */
export interface EngineOutcome {
  runtime: "full" | "partial" | null;
  creation: "full" | "partial" | null;
}

setLibSourcifyLoggerLevel(0);

const QUALITIES: Readonly<Record<string, "full" | "partial">> = {
  perfect: "full",
  partial: "partial",
};

/** Another engine's verdict on a case. It knows standard JSON and a contract's path and name. */
export async function libSourcifyOutcome(
  chain: CaseChain,
  it: Case,
  deployed: DeployedCase,
): Promise<EngineOutcome | "refused"> {
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
