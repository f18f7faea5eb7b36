import http from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { Verifier } from "../../../src/verification/verifier.ts";
import { createTestApp, TEST_CHAIN_ID } from "../../support/app.ts";
import { addressAt, publish } from "../../support/build.ts";

const ADDRESS = addressAt(1);
const GUID = `${ADDRESS.slice(2)}${"0".repeat(16)}`;
const OPEN = {
  address: ADDRESS,
  state: "pending",
  failure: null,
  reason: null,
  createdAtSeconds: 1,
  finishedAtSeconds: null,
} as const;
const vyper = JSON.stringify({
  addressHash: ADDRESS,
  name: "Vault",
  compilerVersion: "v0.3.10+commit.91361694",
  contractSourceCode: "total: public(uint256)",
});

test.each([
  ["GET", `/api?module=contract&action=checkverifystatus&guid=${GUID}`],
  ["GET", `/sourcify/v2/verify/${GUID}`],
  ["POST", "/api?module=contract&action=verify_vyper_contract"],
])("the wait for a verification ends with the client that asked: %s %s", async (method, path) => {
  const waited = Promise.withResolvers<AbortSignal | undefined>();
  const verifier = {
    submit: async () => ({ outcome: "accepted", guid: GUID }),
    status: async () => OPEN,
    wait: (_guid, _timeoutMs, signal) => {
      waited.resolve(signal);
      return new Promise(() => undefined);
    },
  } satisfies Partial<Verifier>;
  const server = await createTestApp({
    verifier: verifier as unknown as Verifier,
    chainId: () => TEST_CHAIN_ID,
  });
  onTestFinished(() => server.close());
  await publish(server.sql, { blocks: [{ number: 1 }] });
  const origin = await server.app.listen({ host: "127.0.0.1", port: 0 });
  const request = http.request(`${origin}${path}`, {
    method,
    headers: { "content-type": "application/json" },
  });
  request.on("error", () => undefined);
  request.end(method === "POST" ? vyper : undefined);
  const signal = await waited.promise;
  expect(signal?.aborted).toBe(false);
  request.destroy();
  await expect.poll(() => signal?.aborted).toBe(true);
});
