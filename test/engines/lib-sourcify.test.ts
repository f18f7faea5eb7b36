import { afterAll, beforeAll, expect, test } from "vitest";
import { type Case, readCases } from "../verification/case.ts";
import { type CaseChain, startCaseChain } from "../verification/case-chain.ts";
import { type EngineOutcome, libSourcifyOutcome } from "./lib-sourcify.ts";

let chain: CaseChain;

beforeAll(async () => {
  chain = await startCaseChain();
});

afterAll(() => chain.stop());

const comparable = readCases().filter(
  ([, { request, deployed }]) =>
    request.format === "standard-json" && (request.name ?? deployed.contract).includes(":"),
);

/** As the case expects it, in that engine's words. */
function expectedOutcome({ expected }: Case): EngineOutcome | "refused" {
  if ("failure" in expected) return "refused";
  return { runtime: expected.runtime, creation: expected.creation };
}

test.each(comparable)("%s", async (_name, it) => {
  const outcome = await libSourcifyOutcome(chain, it, await chain.deploy(it));
  if (it.sourcify?.startsWith("differs")) expect(outcome).not.toEqual(expectedOutcome(it));
  else expect(outcome).toEqual(expectedOutcome(it));
});
