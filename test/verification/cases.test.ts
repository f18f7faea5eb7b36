import { afterAll, beforeAll, expect, test } from "vitest";
import type { VerifiedSource } from "../../src/verification/engine/verified-source.ts";
import { type VerifyTask, verify } from "../../src/verification/engine/verify.ts";
import { VerificationError } from "../../src/verification/errors.ts";
import { requestedCompiler } from "../../src/verification/inputs/read.ts";
import type { VerificationRequest } from "../../src/verification/request.ts";
import { type Case, readCases, requestOf } from "./case.ts";
import { type CaseChain, startCaseChain } from "./case-chain.ts";

let chain: CaseChain;

beforeAll(async () => {
  chain = await startCaseChain();
});

afterAll(() => chain.stop());

type Match = Exclude<Case["expected"], { failure: string }>;

async function outcomeOf(
  request: VerificationRequest,
  rest: Pick<VerifyTask, "runtimeCode" | "creationCode" | "diagnosisMs">,
): Promise<VerifiedSource | { code: string; reason: string }> {
  try {
    const compiler = requestedCompiler(request);
    if (!compiler) throw new VerificationError({ code: "no-metadata" });
    const build = await chain.catalogue.resolve(compiler.family, compiler.version);
    return await verify(
      { build, request: JSON.stringify(request), ...rest },
      { open: () => chain.open(compiler.version), onFailure: () => {} },
    );
  } catch (error) {
    if (error instanceof VerificationError) return { code: error.code, reason: error.message };
    throw error;
  }
}

/** As much of the outcome as the case speaks of. */
function summary(outcome: VerifiedSource, expected: Match) {
  const { runtimeMatch, creationMatch } = outcome;
  const all: Required<Match> = {
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

const cases = readCases();

test.each(cases)("%s", async (_name, it) => {
  const { address, metadata, ...codes } = await chain.deploy(it);
  const isDiagnosed =
    "failure" in it.expected
      ? it.expected.reason.startsWith("It matches with")
      : it.expected.evmVersion !== undefined;
  const diagnosisMs = isDiagnosed ? Number.POSITIVE_INFINITY : 0;
  const outcome = await outcomeOf(requestOf(it, address, metadata), { ...codes, diagnosisMs });
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
