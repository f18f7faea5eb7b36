import { expect, test } from "vitest";
import { insertJob } from "../../../src/store/verification-jobs.ts";
import { createGuid } from "../../../src/verification/jobs/guid.ts";
import { DEFAULT_JOB_LIMITS } from "../../../src/verification/jobs/submit.ts";
import { createVerifier } from "../../../src/verification/verifier.ts";
import { createTestApp, type TestApp, type TestAppOptions } from "../../support/app.ts";
import { publish } from "../../support/build.ts";

const ADDRESS = "0x1111111111111111111111111111111111111111";

/** An app whose jobs other processes run. */
async function createChain(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await createTestApp(options);
  await publish(app.sql, { blocks: [{ number: 0 }] });
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
  expect(unknown.statusCode).toBe(500);
  await app.close();
  await broken.close();
});

test("a chain whose database is busy is left out of a lookup over all chains", async () => {
  const busy = await createChain({ chainId: () => 1 });
  const app = await createChain({ chains: (own) => [own, busy.served] });
  await busy.sql.begin(async (blocker) => {
    await blocker`LOCK TABLE sync_state IN ACCESS EXCLUSIVE MODE`;
    const answer = await app.app.inject(`/sourcify/v2/contract/all-chains/${ADDRESS}`);
    expect([answer.statusCode, answer.json()]).toEqual([404, { results: [] }]);
  });
  await app.close();
  await busy.close();
});
