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
import { createLeaseWatch } from "./leases.ts";

/** Runs the jobs of several chains, whose tables are in one database. */
export interface JobQueue {
  /** Adds a chain. */
  add(source: JobSource): JobChain;
  /** Schemas of its chains, without those whose tables do not answer. */
  schemas(): string[];
  /** Stops the running jobs and gives them back to the queue. */
  stop(): Promise<void>;
}

/** A chain whose contracts are verified. */
export interface JobSource extends Pick<JobContext, "sql" | "chain" | "log"> {
  /** Schema of its tables. */
  schema: string;
  /** Called when a job has ended. */
  onJob?: ((outcome: "passed" | "failed", ms: number) => void) | undefined;
}

/** A chain in the queue. */
export interface JobChain {
  /** Looks for a job at once: one was added. */
  wake(): void;
  /** Removes the chain, stops its running jobs and gives them back to the queue. */
  stop(): Promise<void>;
}

export interface QueueOptions extends Pick<JobContext, "catalogue" | "workers"> {
  /** Jobs that compile at once in this process. As many of each chain may wait for its node besides. */
  concurrency: number;
  /** Time that a client may keep the runners busy within an hour. Beyond it, its jobs wait for all others'. */
  budgetMs?: number;
  log: Pick<Logger, "warn">;
}

interface Member extends JobSource {
  readonly stopping: AbortController;
  /** Whether its table is left out, since it does not answer. */
  isLeftOut: boolean;
  /** Jobs that wait for a node, or for a compiler to be fetched. */
  asking: number;
  readonly running: Set<Promise<void>>;
}

/** Other processes add jobs too. */
const IDLE_MS = 1000;
/** Two jobs that reach their time limit, or some fifty ordinary verifications. */
const BUDGET_MS = 120_000;
/** Well below the 15 s after which a job counts as abandoned. */
const LEASE_MS = 4000;
const RECLAIM_MS = 10_000;
const FAILURE_PAUSE_MS = 1000;
const RETRY_MS = 100;
/** Time that the database has for a look at the queue. */
const LOOK_MS = 2000;

const CRASHED = { code: "crashed", reason: reasonOf({ code: "crashed" }) } as const;

/** Starts work on the queue, shared by processes. A job frees its place while it waits for its node; a silent table is left out. */
export function startQueue(options: QueueOptions): JobQueue {
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

  /** Takes a slot; the one of a job that comes back is due before those of new jobs. */
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
        log.warn({ error: messageOf(error) }, "the verification queue cannot be read");
        pauseMs = FAILURE_PAUSE_MS;
      }
      if (pauseMs === 0) continue;
      leave();
      await sleep(pauseMs, AbortSignal.any([seen, stopping.signal]));
    }
  }

  /** Begins the next job in the place just entered; false when none waits. */
  async function beginNext(): Promise<boolean> {
    const all = answering();
    const [first] = all;
    if (!first || stopping.signal.aborted) return false;
    const open = all.map(({ asking }) => asking < concurrency);
    const turn = await soon(findTurn(first.sql, all, open, budgetMs)).catch((error: unknown) =>
      leaveOut(all, error),
    );
    const member = turn && all[turn.source];
    if (!member || !members.has(member)) return false;
    const job = await claim(member, turn);
    // Another process has begun it meanwhile.
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
    return [...members].filter(({ isLeftOut }) => !isLeftOut);
  }

  function look(member: Member): Promise<unknown> {
    return findTurn(member.sql, [member], [false], budgetMs);
  }

  /** Leaves out the chains that do not answer by themselves; throws the error when all of them do. */
  async function leaveOut(all: readonly Member[], error: unknown): Promise<undefined> {
    const looks = await Promise.allSettled(all.map((member) => soon(look(member))));
    const failing = all.filter((_, index) => looks[index]?.status === "rejected");
    if (failing.length === 0) throw error;
    for (const member of failing) void waitFor(member, error);
  }

  /** Leaves a chain out until its table answers. */
  async function waitFor(member: Member, error: unknown): Promise<void> {
    const { signal } = member.stopping;
    if (member.isLeftOut || signal.aborted) return;
    member.isLeftOut = true;
    member.log.warn({ error: messageOf(error) }, "verifications wait: their table does not answer");
    while (member.isLeftOut && !signal.aborted) {
      await sleep(FAILURE_PAUSE_MS, signal);
      await look(member).then(
        () => {
          member.isLeftOut = false;
        },
        () => {
          // It is looked at again.
        },
      );
    }
    wake();
  }

  /** Claims the job of a turn. When that takes too long, its chain is left out, and a job claimed later is given back. */
  async function claim(member: Member, turn: Turn): Promise<ClaimedJob | undefined> {
    const claiming = claimJob(member.sql, turn);
    try {
      return await soon(claiming);
    } catch (error) {
      void waitFor(member, error);
      claiming
        .then((job) => job && releaseJob(member.sql, job))
        .catch((failure: unknown) =>
          member.log.warn({ error: messageOf(failure) }, "a verification cannot be given back"),
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
        (error) => member.log.warn({ error: messageOf(error) }, "a lease was not renewed"),
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
        log.warn({ error: messageOf(failure) }, "a verification cannot be given back"),
      );
    } finally {
      clearInterval(lease);
    }
  }

  /** Frees the job's place while `ask` waits for others. */
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
    member.log.warn({ address: job.address, error: messageOf(error) }, "a verification broke off");
    await abandonJob(sql, job);
    await reclaimAbandonedJobs(sql, [], CRASHED);
  }

  /** Gives a job back once the database answers again; tries for a few seconds. */
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

  async function remove(member: Member, reclaiming: Promise<void>): Promise<void> {
    members.delete(member);
    member.stopping.abort();
    await Promise.all([reclaiming, ...member.running]);
  }

  // It ends by the refusal of a slot when it is stopped while none is free.
  const working = work().catch(() => {});
  const chains = new Set<JobChain>();
  return {
    schemas: () => answering().map(({ schema }) => schema),
    add: (source) => {
      const member = {
        ...source,
        stopping: new AbortController(),
        asking: 0,
        running: new Set<Promise<void>>(),
        isLeftOut: false,
      };
      members.add(member);
      const reclaiming = reclaim(member);
      wake();
      const chain: JobChain = {
        wake,
        stop: () => remove(member, reclaiming).finally(() => chains.delete(chain)),
      };
      chains.add(chain);
      return chain;
    },
    stop: async () => {
      stopping.abort();
      await Promise.all([...chains].map((chain) => chain.stop()));
      await working;
    },
  };
}

/** What the database answers; rejects when it takes long. */
function soon<Answer>(asked: Promise<Answer>): Promise<Answer> {
  return within(LOOK_MS, asked, () => new Error(`no answer within ${LOOK_MS} ms`));
}
