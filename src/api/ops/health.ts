import type { FastifyInstance } from "fastify";
import { Retry } from "../../chain/retry.ts";
import { keepResult } from "../../core/async.ts";
import { messageOf } from "../../core/errors.ts";
import type { SoftwareVersion } from "../../core/software-version.ts";
import type { Sql } from "../../db/client.ts";
import { publicReasonOf } from "../../db/failures.ts";
import { countOpenJobs, type OpenJobs } from "../../store/contracts/verification-jobs.ts";
import { getIndexHealth, type IndexHealth } from "../../store/health.ts";
import { jsonAnswer, send } from "../http/answer.ts";
import { inTime } from "../reading/bounds.ts";
import { chainTitle, perChain, type ServedChain } from "../serving/served-chain.ts";

export interface HealthOptions extends SoftwareVersion {
  /** Time limit of an answer, see `inTime`. */
  requestTimeoutMs: number;
}

/** Blocks behind the node that still count as the head. */
const MAXIMUM_LAG = 100;
const DATABASE_PATIENCE_MS = 10_000;
const JOBS_PATIENCE_MS = 2000;
/** Seconds without a report after which an indexer counts as stopped, and those without a writer: another one may take over. */
const MAXIMUM_SILENCE_SECONDS = 15;
const TAKE_OVER_SECONDS = 5;
/** Seconds that an indexer may wait: a failure that the next attempt mends is shorter. */
const MAXIMUM_WAIT_SECONDS = 3;
/** Time limit of a check of the nodes, and lifetime of its result. */
const NODE_PATIENCE_MS = 2000;
const NODE_ATTEMPTS = 5;
const NODE_LOOK_MS = 2000;

/** The state of a chain, as /health, /metrics and the list of chains report it. */
export type ChainState = Awaited<ReturnType<typeof readState>>;

/**
 * Adds `/health/live` (the process answers), `/health/ready` (its answers are complete and current)
 * and `/health`, whole or only its public part for the page at `/`. Each chain has a report. The
 * process is ready while one chain is, since a broken chain is broken in every process.
 */
export function addHealth(
  app: FastifyInstance,
  options: HealthOptions,
  extent: "whole" | "public",
): void {
  const describeChain = async (served: ServedChain) => {
    const state = await readState(served, options);
    const report = { name: chainTitle(served), ...publicReport(state) };
    if (extent === "public") return report;
    const verification = state.health && (await readOpenJobs(served));
    const { health } = state;
    return {
      ...report,
      database: { reachable: health !== undefined },
      indexer: health?.indexer ?? null,
      indexerAgeSeconds: health?.indexerAgeSeconds ?? null,
      nodes: served.chain.status(),
      verification: verification ?? null,
    };
  };
  app.get("/health/live", (_request, reply) => send(reply, jsonAnswer({ status: "live" })));
  app.get("/health/ready", async ({ chains }, reply) => {
    const states = chains.map(async (served) => ({
      name: chainTitle(served),
      ...(await readState(served, options)),
    }));
    const { status, problems } = judge(await Promise.all(states));
    return send(
      reply,
      status === "ready" ? jsonAnswer({ status }) : jsonAnswer({ status, problems }, 503),
    );
  });
  app.get("/health", async (request, reply) => {
    const reports = await Promise.all(request.chains.map(describeChain));
    const { version, commit } = options;
    const { status, problems } = judge(reports);
    const [{ name: _, ...only } = {}, ...others] = reports;
    const { chainId, ...state } = { chainId: null, ...only };
    const whole =
      others.length === 0
        ? { status, problems, version, commit, chainId, ...state }
        : { status, problems, version, commit, chains: reports };
    const isAnswered = reports.some(({ head }) => head !== null);
    return send(reply, jsonAnswer(whole, isAnswered ? 200 : 503));
  });
}

function judge(chains: readonly { name: string; problems: readonly string[] }[]) {
  const [only, ...others] = chains;
  const named = chains.flatMap(({ name, problems }) => problems.map((one) => `${name}: ${one}`));
  return {
    status: chains.some(({ problems }) => problems.length === 0) ? "ready" : "not ready",
    problems: only && others.length === 0 ? only.problems : named,
  };
}

const underWay = new WeakMap<Sql, Promise<IndexHealth>>();

/** Shares one read between concurrent requests, since the rate limit does not cover health. */
function lookOnce(sql: Sql, requestTimeoutMs: number): Promise<IndexHealth> {
  const shared = underWay.get(sql);
  if (shared !== undefined) return shared;
  const looking = inTime(
    getIndexHealth(sql),
    Math.min(requestTimeoutMs, DATABASE_PATIENCE_MS),
  ).finally(() => underWay.delete(sql));
  underWay.set(sql, looking);
  return looking;
}

/**
 * Reads the health of a chain's index (undefined while the database does not answer), why its answers are not complete and
 * current (each with its remedy), and whether it is down: stopped, or without a node or database that answers.
 */
export async function readState(served: ServedChain, { requestTimeoutMs }: HealthOptions) {
  const stopped = served.stopped();
  const silentNodes = stopped === null ? lookAtNodes(served)() : null;
  try {
    const health = { ...(await lookOnce(served.sql, requestTimeoutMs)), ...served.ownIndexer() };
    if (stopped !== null) return { health, problems: [`stopped: ${stopped}`], isDown: true };
    const { indexer } = health;
    const halted =
      indexer?.phase === "halted" ? [indexer.reason ?? "the node has another chain"] : [];
    const down = [...halted, (await silentNodes) ?? []].flat();
    return { health, problems: [...down, ...listProblems(health)], isDown: down.length > 0 };
  } catch (error) {
    served.log.warn({ err: error }, "the database does not answer");
    const reason = publicReasonOf(error) ?? "the database does not answer; see its log";
    const problem = stopped === null ? reason : `stopped: ${stopped}`;
    return { health: undefined, problems: [problem], isDown: true };
  }
}

/** Returns why no node answers; null where one does, or where one asked for a pause. */
const lookAtNodes = perChain(({ chain }) =>
  keepResult(async (): Promise<string | null> => {
    const signal = AbortSignal.timeout(NODE_PATIENCE_MS);
    const retry = new Retry(signal, { attempts: NODE_ATTEMPTS });
    try {
      await chain.request("eth_chainId", [], { signal, retry });
      return null;
    } catch (error) {
      if (chain.status().some(({ limited }) => limited)) return null;
      const why = signal.aborted ? `silent for ${NODE_PATIENCE_MS / 1000} s` : messageOf(error);
      return `no node answers (${why}); see whether it runs, and where RPC_URL leads`;
    }
  }, NODE_LOOK_MS),
);

/** Returns undefined when the table of jobs does not answer in time: it delays no other part of the report. */
export function readOpenJobs({ sql }: Pick<ServedChain, "sql">): Promise<OpenJobs | undefined> {
  return inTime(countOpenJobs(sql), JOBS_PATIENCE_MS).catch(() => undefined);
}

/** Returns the node's blocks that are not served yet; null while either head is unknown. */
export function getLag({ headNumber, indexer }: IndexHealth): number | null {
  const nodeHead = indexer?.nodeHead ?? null;
  return headNumber === null || nodeHead === null ? null : Math.max(0, nodeHead - headNumber);
}

/** Returns why the answers of an index are incomplete or outdated; empty when they are not. */
export function listProblems(health: IndexHealth): string[] {
  const { indexer } = health;
  const lag = getLag(health);
  const silence = health.indexerAgeSeconds;
  const lacksWriter = health.written === false && (silence ?? 0) > TAKE_OVER_SECONDS;
  const problems: [boolean, string][] = [
    [
      health.headNumber === null || health.synchronised === false,
      "the first synchronisation is running",
    ],
    [
      indexer?.phase === "waiting" && (indexer.waitSeconds ?? 0) >= MAXIMUM_WAIT_SECONDS,
      `the indexer waits: ${indexer?.reason}`,
    ],
    [lag !== null && lag > MAXIMUM_LAG, `${lag} blocks behind the node`],
    [silence === null, "no indexer has reported yet"],
    [
      lacksWriter,
      `no indexer writes to the database, the last one reported ${silence} s ago; start one (ROLE=all or ROLE=indexer)`,
    ],
    [
      !lacksWriter && silence !== null && silence > MAXIMUM_SILENCE_SECONDS,
      `the indexer has said nothing for ${silence} s; see its log, and restart it`,
    ],
    [health.lostRows !== null, "a database server has lost rows of published blocks"],
    [health.gaps !== null && health.gaps !== 0, `${health.gaps} blocks are missing`],
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

function publicReport({ health, problems }: ChainState) {
  const indexer = health?.indexer;
  return {
    status: problems.length === 0 ? "ready" : "not ready",
    problems,
    chainId: health?.chainId ?? null,
    head: health
      ? { number: health.headNumber, hash: health.headHash, timestamp: health.headTimestamp }
      : null,
    nodeHead: indexer?.nodeHead ?? null,
    lag: health ? getLag(health) : null,
    gaps: health?.gaps ?? null,
    generation: health?.generation ?? null,
    traced: health?.traced ?? null,
    indexer: indexer
      ? { phase: indexer.phase, backfill: indexer.backfill, indexes: indexer["indexes"] }
      : null,
  };
}
