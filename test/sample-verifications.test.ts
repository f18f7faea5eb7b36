import { pino } from "pino";
import { expect, test } from "vitest";
import { verifySampleWorld } from "../src/sample-verifications.ts";
import type { Verifier } from "../src/verification/verifier.ts";

// The verifier is scripted, to test an unreachable database.

const log = pino({ level: "silent" });
const OPEN = new AbortController().signal;
const devnet = {} as NonNullable<Parameters<typeof verifySampleWorld>[0]["devnet"]>;

/** A verifier that loses its database on these questions, counted from 1, and passes everything else. */
function verifierThatFails(isLost: (question: number) => boolean) {
  const submitted: string[] = [];
  let questions = 0;
  let isProxyVerified = false;
  const verifier: Partial<Verifier> = {
    status: async () => {
      if (isLost(++questions)) {
        throw new Error("terminating connection due to administrator command");
      }
      return undefined;
    },
    submit: async ({ address }) => {
      if (submitted.includes(address)) return { outcome: "already-verified" };
      submitted.push(address);
      return { outcome: "accepted", guid: address };
    },
    wait: async () => undefined,
    proxyStatus: async () => undefined,
    verifyProxy: async () => {
      isProxyVerified = true;
      return { outcome: "started", guid: "" } as unknown as ReturnType<Verifier["verifyProxy"]>;
    },
  };
  return {
    verifier: verifier as Verifier,
    submitted,
    questions: () => questions,
    isProxyVerified: () => isProxyVerified,
  };
}

test("a database that is away once does not leave the sample contracts unverified", async () => {
  const world = verifierThatFails((question) => question === 2);
  await verifySampleWorld({ devnet, verifier: world.verifier }, log, OPEN, 1);
  expect(world.submitted).toHaveLength(3);
  expect(world.isProxyVerified()).toBe(true);
});

test("a database that stays away is asked a few times only", async () => {
  const world = verifierThatFails(() => true);
  await verifySampleWorld({ devnet, verifier: world.verifier }, log, OPEN, 1);
  expect(world.questions()).toBe(5);
  expect(world.submitted).toHaveLength(0);
});
