import type { Logger } from "pino";
import { Admission, type Release } from "../../core/admission.ts";
import { sleep, within } from "../../core/async.ts";
import { messageOf } from "../../core/errors.ts";
import { isDatabaseGone } from "../../db/failures.ts";
import {
  abandonJob,
  type ClaimedJob,
  claimJob,
  findTurn,
  listLeases,
  reclaimAbandonedJobs,
  releaseJob,
  renewLease,
  type Turn,
} from "../../store/contracts/verification-jobs.ts";
import { reasonOf } from "../errors.ts";
import { type JobContext, runJob } from "./job.ts";

const EXPIRY_MS = 15_000;

/** Creates a watch that returns leases not renewed for long, by its own clock: the database's may change. */
export function createLeaseWatch(): (leases: readonly string[]) => string[] {
  let seen = new Map<string, number>();
  return (leases) => {
    const now = performance.now();
    seen = new Map(leases.map((lease) => [lease, seen.get(lease) ?? now]));
    return leases.filter((lease) => now - (seen.get(lease) ?? now) >= EXPIRY_MS);
  };
}

/** A chain whose contracts are verified. */
export interface JobSource extends Pick<JobContext, "sql" | "chain" | "log"> {
  schema: string;
  onJob?: ((outcome: "passed" | "failed", ms: number) => void) | undefined;
}

/** A chain in the queue. */
export type JobChain = ReturnType<ReturnType<typeof startQueue>["add"]>;

interface QueueOptions extends Pick<JobContext, "catalogue" | "workers"> {
  /** Concurrent compiles in this process. As many jobs of each chain may wait for its node besides. */
  concurrency: number;
  /** Runner time of a client per hour. Above it, its jobs come after all others. */
  budgetMs?: number;
  log: Pick<Logger, "warn">;
}

interface Member extends JobSource {
  /** Ends after `stopping`. */
  reclaiming?: Promise<void>;
  readonly stopping: AbortController;
  /** True if its table is excluded, since it does not answer. */
  isLeftOut: boolean;
  /** Jobs that wait for a node, or for a compiler download. */
  asking: number;
  readonly running: Set<Promise<void>>;
}

const IDLE_MS = 1000;
/** Two jobs that reach their time limit, or some fifty ordinary verifications. */
const BUDGET_MS = 120_000;
/** Well below the 15 s after which a job counts as abandoned. */
const LEASE_MS = 4000;
const RECLAIM_MS = 10_000;
const FAILURE_PAUSE_MS = 1000;
const RETRY_MS = 100;
/** Time limit of a query of the queue. */
const LOOK_MS = 2000;

const CRASHED = { code: "crashed", reason: reasonOf({ code: "crashed" }) } as const;

/** Starts running the jobs of several chains, whose tables are in one database. A job releases its slot while it waits for its node; a table without answer is excluded. */
export function startQueue(options: QueueOptions) {
  const { concurrency, log, budgetMs = BUDGET_MS } = options;
  const stopping = new AbortController();
  const members = new Set<Member>();
  const slots = new Admission({
    capacity: () => concurrency,
    refuse: () => new Error("the queue has stopped"),
  });
  const held: Release[] = [];
  let woken = new AbortController();

  function wake(): void {
    woken.abort();
    woken = new AbortController();
  }

  /** Acquires a slot; resumed jobs come before new ones. */
  async function enter(isNew: boolean): Promise<void> {
    held.push(await slots.enter({ isLast: isNew, ...(isNew && { signal: stopping.signal }) }));
  }

  function leave(): void {
    held.pop()?.();
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      await enter(true);
      const seen = woken.signal;
      let pauseMs = 0;
      try {
        pauseMs = (await beginNext()) ? 0 : IDLE_MS;
      } catch (error) {
        log.warn({ error: messageOf(error) }, "cannot read the verification queue");
        pauseMs = FAILURE_PAUSE_MS;
      }
      if (pauseMs === 0) continue;
      leave();
      await sleep(pauseMs, AbortSignal.any([seen, stopping.signal]));
    }
  }

  /** Starts the next job in the acquired slot; false when none waits. */
  async function beginNext(): Promise<boolean> {
    const all = answering();
    const [first] = all;
    if (!first || stopping.signal.aborted) return false;
    const open = all.map(({ asking }) => asking < concurrency);
    const turn = await soon(findTurn(first.sql, all, open, budgetMs)).catch((error: unknown) =>
      leaveOut(all, error),
    );
    const member = turn && all[turn.source];
    if (!member || member.stopping.signal.aborted) return false;
    const job = await claim(member, turn);
    // Another process has claimed it meanwhile.
    if (!job) return beginNext();
    const running = run(member, job).finally(() => {
      leave();
      member.running.delete(running);
      // A job of the same address had to wait for this one.
      wake();
    });
    member.running.add(running);
    return true;
  }

  function answering(): Member[] {
    return [...members].filter((member) => !member.isLeftOut && !member.stopping.signal.aborted);
  }

  function look(member: Member): Promise<unknown> {
    return findTurn(member.sql, [member], [false], budgetMs);
  }

  /** Asks each chain alone and excludes those that do not answer; throws the error if all answer. */
  async function leaveOut(all: readonly Member[], error: unknown): Promise<undefined> {
    const looks = await Promise.allSettled(all.map((member) => soon(look(member))));
    const failing = all.filter((_, index) => looks[index]?.status === "rejected");
    if (failing.length === 0) throw error;
    for (const member of failing) void waitFor(member, error);
  }

  /** Excludes a chain until its table answers. */
  async function waitFor(member: Member, error: unknown): Promise<void> {
    const { signal } = member.stopping;
    if (member.isLeftOut || signal.aborted) return;
    member.isLeftOut = true;
    member.log.warn(
      { error: messageOf(error) },
      "verifications paused: their table does not answer",
    );
    while (member.isLeftOut && !signal.aborted) {
      await sleep(FAILURE_PAUSE_MS, signal);
      // The next check repeats a failed one.
      member.isLeftOut = await look(member).then(
        () => false,
        () => true,
      );
    }
    wake();
  }

  /** Claims the next job. When that takes too long, its chain is excluded, and a job claimed later is returned. */
  async function claim(member: Member, turn: Turn): Promise<ClaimedJob | undefined> {
    const claiming = claimJob(member.sql, turn);
    try {
      return await soon(claiming);
    } catch (error) {
      void waitFor(member, error);
      claiming
        .then((job) => job && releaseJob(member.sql, job))
        .catch((failure: unknown) =>
          member.log.warn(
            { error: messageOf(failure) },
            "cannot return a verification to the queue",
          ),
        );
      return undefined;
    }
  }

  async function run(member: Member, job: ClaimedJob): Promise<void> {
    const { sql } = member;
    const lost = new AbortController();
    const startedAt = performance.now();
    const lease = setInterval(() => {
      void renewLease(sql, job).then(
        (isOurs) => isOurs || lost.abort(),
        (error) =>
          member.log.warn({ error: messageOf(error) }, "cannot renew a verification's lease"),
      );
    }, LEASE_MS);
    try {
      const context = {
        ...options,
        ...member,
        whileAsking: <Result>(ask: () => Promise<Result>) => askOutside(member, ask),
      };
      const signal = AbortSignal.any([lost.signal, member.stopping.signal]);
      const passed = await runJob(context, job, signal);
      member.onJob?.(passed ? "passed" : "failed", performance.now() - startedAt);
    } catch (error) {
      await putBack(member, job, error).catch((failure) =>
        log.warn({ error: messageOf(failure) }, "cannot return a verification to the queue"),
      );
    } finally {
      clearInterval(lease);
    }
  }

  /** Releases the job's slot during `ask`. */
  async function askOutside<Result>(member: Member, ask: () => Promise<Result>): Promise<Result> {
    member.asking++;
    leave();
    try {
      return await ask();
    } finally {
      member.asking--;
      wake();
      await enter(false);
    }
  }

  async function putBack(member: Member, job: ClaimedJob, error: unknown): Promise<void> {
    const { sql } = member;
    if (member.stopping.signal.aborted) return await releaseJob(sql, job);
    // A lost database is not the job's fault, however often it happens.
    if (isDatabaseGone(error)) return await giveBack(member, job);
    member.log.warn(
      { address: job.address, error: messageOf(error) },
      "verification interrupted; returning it to the queue",
    );
    await abandonJob(sql, job);
    await reclaimAbandonedJobs(sql, [], CRASHED);
  }

  /** Returns a job to the queue once the database answers; tries for a few seconds. */
  async function giveBack({ sql, stopping: { signal } }: Member, job: ClaimedJob): Promise<void> {
    for (const end = performance.now() + LEASE_MS; ; await sleep(RETRY_MS, signal)) {
      try {
        return await releaseJob(sql, job);
      } catch (error) {
        if (signal.aborted || performance.now() > end) throw error;
      }
    }
  }

  async function reclaim({ sql, stopping: { signal }, log: memberLog }: Member): Promise<void> {
    const findExpired = createLeaseWatch();
    while (!signal.aborted) {
      try {
        const leases = await listLeases(sql);
        const expired = findExpired(leases);
        if (leases.length > 0) await reclaimAbandonedJobs(sql, expired, CRASHED);
      } catch (error) {
        memberLog.warn({ error: messageOf(error) }, "abandoned verifications cannot be reclaimed");
      }
      await sleep(RECLAIM_MS, signal);
    }
  }

  async function remove(member: Member): Promise<void> {
    member.stopping.abort();
    await Promise.all([member.reclaiming, ...member.running]);
    members.delete(member);
  }

  // If no slot is free at a stop, the refused wait for one rejects.
  const working = work().catch(() => {});
  return {
    /** Returns schemas of its chains, without those whose tables do not answer. */
    schemas: () => answering().map(({ schema }) => schema),
    /** Adds a chain. `wake` checks for a new job at once; `stop` removes the chain and returns its running jobs to the queue. */
    add: (source: JobSource) => {
      const member: Member = {
        ...source,
        stopping: new AbortController(),
        asking: 0,
        running: new Set<Promise<void>>(),
        isLeftOut: false,
      };
      members.add(member);
      member.reclaiming = reclaim(member);
      wake();
      return { wake, stop: () => remove(member) };
    },
    /** Stops the running jobs and returns them to the queue. */
    stop: async () => {
      stopping.abort();
      await Promise.all([...members].map(remove));
      await working;
    },
  };
}

function soon<Answer>(asked: Promise<Answer>): Promise<Answer> {
  return within(LOOK_MS, asked, () => new Error(`no answer within ${LOOK_MS} ms`));
}
