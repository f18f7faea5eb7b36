import { expect, test } from "vitest";
import { insertJob } from "../../../src/store/contracts/verification-jobs.ts";
import { createGuid, DEFAULT_JOB_LIMITS } from "../../../src/verification/jobs/submit.ts";
import { createVerifier } from "../../../src/verification/verifier.ts";
import { createTestApp, type TestApp, type TestAppOptions } from "../../support/app.ts";
import { publish, setSyncState } from "../../support/build.ts";
import { save } from "../../support/verified-contract.ts";

const ADDRESS = "0x1111111111111111111111111111111111111111";

/** An app whose jobs other processes run. */
async function createChain(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await createTestApp(options);
  await publish(app.sql, { blocks: [{ number: 0 }, { number: 1 }] });
  const { sql, served } = app;
  served.verifier = createVerifier({ ...served, sql, works: null });
  return app;
}

test("a chain whose table of jobs is missing keeps nobody from the state of a job on another one", async () => {
  const broken = await createChain({ chainId: () => 1 });
  const app = await createChain({ chains: (own) => [broken.served, own] });
  await broken.sql`ALTER TABLE verification_jobs RENAME TO away`;
  const guid = createGuid(ADDRESS);
  const job = { guid, address: ADDRESS, compiler: "solc", compilerVersion: "v0.8.37" } as const;
  const client = `0x${"00".repeat(32)}` as const;
  await insertJob(app.sql, { ...job, client, request: "{}" }, DEFAULT_JOB_LIMITS, []);
  const known = await app.app.inject(`/sourcify/v2/verify/${guid}`);
  expect(known.json()).toMatchObject({ verificationId: guid, contract: { chainId: "31337" } });
  const unknown = await app.app.inject(`/sourcify/v2/verify/${createGuid(ADDRESS)}`);
  expect(unknown.statusCode).toBe(503);
  await app.close();
  await broken.close();
});

const NOTHING = { headNumber: null, headHash: null, headTimestamp: null };

test.each<[string, (first: TestApp) => Promise<unknown>]>([
  ["loads", ({ sql }) => setSyncState(sql, { indexed: false, synchronised: false })],
  ["serves no block yet", ({ sql }) => setSyncState(sql, NOTHING)],
  ["lacks a view", ({ sql }) => sql`DROP VIEW valid_verified_contracts CASCADE`],
])("the other chains are looked up while the first one %s", async (_what, harm) => {
  const first = await createChain({ chainId: () => 1 });
  await harm(first);
  const app = await createChain({ chains: (own) => [first.served, own] });
  await save(app.sql, { address: ADDRESS });
  const answer = await app.app.inject(`/sourcify/v2/contract/all-chains/${ADDRESS}`);
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({ results: [{ chainId: "31337" }] });
  await app.close();
  await first.close();
});

test.each([
  ["/sourcify/chains", 200],
  ["/sourcify/verify-ui/jobs/abc", 302],
  [`/sourcify/v2/contract/999/${ADDRESS}`, 400],
  [`/sourcify/v2/contract/1/${ADDRESS}`, 503],
])("%s is answered with %i while the first chain is stopped", async (url, status) => {
  const first = await createChain({
    chainId: () => 1,
    stopped: () => "its node has another chain",
  });
  const app = await createChain({ chains: (own) => [first.served, own] });
  expect((await app.app.inject(url)).statusCode).toBe(status);
  await app.close();
  await first.close();
});

test("a chain whose database is busy is left out of a lookup over all chains", async () => {
  const busy = await createChain({ chainId: () => 1 });
  const app = await createChain({ chains: (own) => [busy.served, own] });
  await busy.sql.begin(async (blocker) => {
    await blocker`LOCK TABLE sync_state IN ACCESS EXCLUSIVE MODE`;
    const answer = await app.app.inject(`/sourcify/v2/contract/all-chains/${ADDRESS}`);
    expect([answer.statusCode, answer.json()]).toEqual([404, { results: [] }]);
  });
  await app.close();
  await busy.close();
});
