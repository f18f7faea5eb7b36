import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Address } from "../../../src/core/evm/address.ts";
import {
  abandonJob,
  type ClaimedJob,
  claimJob,
  findTurn,
  finishJob,
  listLeases,
  reclaimAbandonedJobs,
} from "../../../src/store/contracts/verification-jobs.ts";
import { DEFAULT_JOB_LIMITS, submitVerification } from "../../../src/verification/jobs/submit.ts";
import { endlessLoops } from "../hostile-sources.ts";
import { deployProgram, note, requestFor, startWorld, type World } from "../world.ts";

const BOMBS = 92;
const BUDGET_MS = 120_000;
const ATTACKER = "203.0.113.66";
const OWNER = "192.0.2.1";

let world: World;
/** A contract of the owner's, whom the attacker would like to keep out. */
let owned: Address;
let others: Address[];

beforeAll(async () => {
  world = await startWorld();
  owned = await deployProgram(world.node, note("owned"));
  others = await Promise.all(
    [1, 2, 3].map((mark) => deployProgram(world.node, note("other", mark))),
  );
});
beforeEach(() => world.sql`DELETE FROM verification_jobs`);
afterAll(() => world.stop());

async function submit(address: Address, client: string, source?: string) {
  const program = source === undefined ? note("owned") : { source, name: "Bomb" };
  const request = requestFor(address, program);
  const { outcome } = await submitVerification(world, request, client, DEFAULT_JOB_LIMITS);
  return outcome;
}

const nextTurn = () => findTurn(world.sql, [{ schema: "public" }], [true], BUDGET_MS);

async function claim(): Promise<ClaimedJob & { client: string }> {
  const turn = await nextTurn();
  const job = turn && (await claimJob(world.sql, turn));
  if (job === undefined) throw new Error("no job");
  const isBomb = job.request.includes("Bomb");
  return { ...job, client: isBomb ? ATTACKER : OWNER };
}

/** Ends a job as if it had taken that long. */
async function end(job: ClaimedJob, seconds: number, failure = "compiler-limit") {
  await world.sql`
    UPDATE verification_jobs SET started_at = started_at - ${`${seconds} seconds`}::interval WHERE guid = ${job.guid}`;
  await finishJob(world.sql, job, { code: failure, reason: "" });
  await world.sql`
    UPDATE verification_jobs SET started_at = started_at + ${`${seconds} seconds`}::interval WHERE guid = ${job.guid}`;
}

test(`of ${BOMBS} bombs of one client only its share waits, and the next client's job is begun next`, async () => {
  const outcomes: string[] = [];
  for (let count = 0; count < BOMBS; count++) {
    const address = others[count % others.length] ?? owned;
    outcomes.push(await submit(address, ATTACKER, endlessLoops("Bomb")));
  }
  expect(outcomes.filter((outcome) => outcome === "accepted")).toHaveLength(25);
  expect(new Set(outcomes.slice(25))).toEqual(new Set(["client-full"]));
  const first = await claim();
  expect(first.client).toBe(ATTACKER);
  expect(await submit(owned, OWNER)).toBe("accepted");
  expect((await claim()).client).toBe(OWNER);
});

test("who has used up the hour's budget waits for everybody else, and for nobody when alone", async () => {
  for (const address of others) await submit(address, ATTACKER, endlessLoops("Bomb"));
  await end(await claim(), 110);
  await submit(owned, OWNER);
  const turns: string[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const job = await claim();
    turns.push(job.client);
    await end(job, 30);
    if (turn < 2) await submit(owned, OWNER);
  }
  // The attacker's last turn is longer ago before the second of them, and its budget used up before the third.
  expect(turns).toEqual([OWNER, ATTACKER, OWNER]);
  await end(await claim(), 1);
  expect((await claim()).client).toBe(ATTACKER);
});

test("a bomb that runs counts while it runs", async () => {
  for (const address of others) await submit(address, ATTACKER, endlessLoops("Bomb"));
  const running = await claim();
  await world.sql`
    UPDATE verification_jobs SET started_at = now() - interval '3 minutes' WHERE guid = ${running.guid}`;
  await submit(owned, OWNER);
  await end(await claim(), 1);
  await submit(owned, OWNER);
  expect((await claim()).client).toBe(OWNER);
});

test("junk for somebody's address does not keep its owner out", async () => {
  for (let count = 0; count < 30; count++) await submit(owned, ATTACKER, `Bomb ${count}`);
  expect(await submit(owned, ATTACKER, "Bomb")).toBe("too-many");
  expect(await submit(owned, OWNER)).toBe("accepted");
  expect((await claim()).client).toBe(ATTACKER);
  // One job of an address at a time.
  expect(await nextTurn()).toBeUndefined();
});

test("what fails before a compile begins does not count, and what a compiler was asked does", async () => {
  for (let count = 0; count < 15; count++) {
    expect(await submit(owned, OWNER)).toBe("accepted");
    await end(await claim(), 0, "missing-sources");
  }
  for (let count = 0; count < 10; count++) {
    expect(await submit(owned, OWNER)).toBe("accepted");
    await end(await claim(), 0, "bytecode");
  }
  expect(await submit(owned, OWNER)).toBe("too-many");
});

test("a full queue makes room for a client of whom fewer jobs wait, one at a time", async () => {
  for (let client = 0; client < 4; client++) {
    for (let count = 0; count < 25; count++) {
      const address = others[count % others.length] ?? owned;
      expect(await submit(address, `203.0.113.${client}`, "Bomb")).toBe("accepted");
    }
  }
  for (let count = 0; count < 10; count++) expect(await submit(owned, OWNER)).toBe("accepted");
  const [counts] = await world.sql`
    SELECT count(*) FILTER (WHERE state = 'pending') AS waiting, count(*) FILTER (WHERE failure = 'queue-full') AS displaced
    FROM verification_jobs`;
  expect(counts).toEqual({ waiting: 100, displaced: 10 });
});

/** So many clients of whom one job waits each. */
async function flood(clients: number): Promise<void> {
  for (let client = 0; client < clients; client++) {
    const address = others[client % others.length] ?? owned;
    expect(await submit(address, `203.0.113.${client}`, "Bomb")).toBe("accepted");
  }
}

async function displacedAddresses(): Promise<Address[]> {
  const rows = await world.sql<{ address: Address }[]>`
    SELECT address FROM verification_jobs WHERE failure = 'queue-full'`;
  return rows.map(({ address }) => address);
}

test("a client that had no turn gets into a queue that a hundred networks filled with one job each", async () => {
  await flood(100);
  expect(await submit(owned, OWNER)).toBe("accepted");
  expect(await displacedAddresses()).toHaveLength(1);
  const [counts] = await world.sql`
    SELECT count(*) AS waiting, count(*) FILTER (WHERE address = ${owned}) AS "ofOwner"
    FROM verification_jobs WHERE state = 'pending'`;
  expect(counts).toEqual({ waiting: 100, ofOwner: 1 });
  // One job of each client waits: a second one does not take the place of another's.
  expect(await submit(owned, OWNER)).toBe("queue-full");
});

test("room is made by who was served most, and not for who had a turn within the hour", async () => {
  const greedy = "198.51.100.7";
  await submit(others[0] as Address, greedy, "Bomb");
  await end(await claim(), 50);
  await submit(owned, greedy, "Bomb");
  await flood(99);
  expect(await submit(others[1] as Address, OWNER)).toBe("accepted");
  expect(await displacedAddresses()).toEqual([owned]);
  // Neither who was served, nor who was displaced and comes back.
  expect(await submit(owned, greedy, "Bomb")).toBe("queue-full");
  await world.sql`DELETE FROM verification_jobs WHERE started_at IS NOT NULL`;
  expect(await submit(owned, greedy, "Bomb")).toBe("queue-full");
});

test("an attempt that broke off counts as well", async () => {
  await submit(owned, ATTACKER, "Bomb");
  const job = await claim();
  await world.sql`UPDATE verification_jobs SET started_at = now() - interval '2 minutes'`;
  await abandonJob(world.sql, job);
  await reclaimAbandonedJobs(world.sql, [], { code: "crashed", reason: "" });
  const [row] = await world.sql`SELECT state, busy_ms AS "busyMs" FROM verification_jobs`;
  expect(row?.["state"]).toBe("pending");
  expect(row?.["busyMs"]).toBeGreaterThanOrEqual(120_000);
});

test("no limit lasts because the database's clock was set back", async () => {
  await submit(owned, ATTACKER, "Bomb");
  await end(await claim(), 50);
  await world.sql`
    INSERT INTO verification_jobs (guid, address, client, compiler, compiler_version, state, created_at, started_at, finished_at, lease_until, attempts)
    SELECT 'later ' || number, address, client, compiler, compiler_version, state, created_at + interval '1 day',
      started_at + interval '1 day', finished_at + interval '1 day', lease_until, attempts
    FROM verification_jobs, generate_series(1, 100) AS number`;
  expect(await submit(owned, ATTACKER, "Bomb")).toBe("accepted");
});

test("a job whose process died is begun anew, whatever the database's clock was set to", async () => {
  await submit(owned, ATTACKER, "Bomb");
  await claim();
  await world.sql`UPDATE verification_jobs SET lease_until = lease_until + interval '1 day'`;
  await reclaimAbandonedJobs(world.sql, await listLeases(world.sql), {
    code: "crashed",
    reason: "",
  });
  expect(await world.sql`SELECT state FROM verification_jobs`).toEqual([{ state: "pending" }]);
});
