import type { FastifyInstance } from "fastify";
import type { SoftwareVersion } from "../../core/software-version.ts";
import type { Sql } from "../../db/client.ts";
import { countOpenJobs, type OpenJobs } from "../../store/contracts/verification-jobs.ts";
import { getIndexHealth, type IndexHealth } from "../../store/health.ts";
import { jsonAnswer } from "../explorer/envelope.ts";
import { send } from "../http/http.ts";
import { inTime } from "../reading/deadline.ts";
import { chainTitle, type ServedChain } from "../serving/served-chain.ts";

export interface HealthOptions extends SoftwareVersion {
  /** Time limit of an answer, see `inTime`. */
  requestTimeoutMs: number;
}

/** Blocks behind the node that still count as the head. */
const MAXIMUM_LAG = 100;
const JOBS_PATIENCE_MS = 2000;
/** Seconds without a report after which an indexer counts as stopped. */
const MAXIMUM_SILENCE_SECONDS = 60;

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
  const reportOf = async (served: ServedChain) => {
    const health = await readHealth(served, options);
    if (extent === "public") return publicReport(served, options, health);
    const verification = health && (await readOpenJobs(served));
    return { ...report(served, options, health), verification: verification ?? null };
  };
  app.get("/health/live", (_request, reply) => send(reply, jsonAnswer({ status: "live" })));
  app.get("/health/ready", async ({ chains }, reply) => {
    const { isReady, problems } = judge(
      await Promise.all(
        chains.map(async (served) => ({
          name: chainTitle(served),
          problems: problemsOf(await readHealth(served, options), served.stopped()),
        })),
      ),
    );
    return send(
      reply,
      isReady
        ? jsonAnswer({ status: "ready" })
        : jsonAnswer({ status: "not ready", problems }, 503),
    );
  });
  app.get("/health", async (request, reply) => {
    const reports = await Promise.all(request.chains.map(reportOf));
    const [only, ...others] = reports;
    const isAnswered = reports.some(({ head }) => head !== null);
    const httpStatus = isAnswered ? 200 : 503;
    if (others.length === 0) return send(reply, jsonAnswer(only, httpStatus));
    const chains = reports.map(({ version, commit, ...chain }, index) => ({
      name: chainTitle(request.chains[index] ?? request.chains[0]),
      ...chain,
    }));
    const { isReady, problems } = judge(chains);
    const status = isReady ? "ready" : "not ready";
    return send(
      reply,
      jsonAnswer(
        { status, problems, version: options.version, commit: options.commit, chains },
        httpStatus,
      ),
    );
  });
}

/** Combines the problems of the chains into the process's. */
function judge(chains: readonly { name: string; problems: readonly string[] }[]) {
  const isReady = chains.some(({ problems }) => problems.length === 0);
  const problems =
    chains.length === 1
      ? (chains[0]?.problems ?? [])
      : chains.flatMap((chain) => chain.problems.map((problem) => `${chain.name}: ${problem}`));
  return { isReady, problems };
}

const underWay = new WeakMap<Sql, Promise<IndexHealth>>();

/** Shares one read between concurrent requests, since the rate limit does not cover health. */
function lookOnce(sql: Sql, requestTimeoutMs: number): Promise<IndexHealth> {
  const shared = underWay.get(sql);
  if (shared !== undefined) return shared;
  const looking = inTime(getIndexHealth(sql), requestTimeoutMs).finally(() => underWay.delete(sql));
  underWay.set(sql, looking);
  return looking;
}

/** Returns undefined when the database does not answer. */
export async function readHealth(
  { sql, log }: Pick<ServedChain, "sql" | "log">,
  { requestTimeoutMs }: HealthOptions,
): Promise<IndexHealth | undefined> {
  try {
    return await lookOnce(sql, requestTimeoutMs);
  } catch (error) {
    log.warn({ err: error }, "the database does not answer");
    return undefined;
  }
}

/** Returns undefined when the table of jobs does not answer in time: it delays no other part of the report. */
export function readOpenJobs({ sql }: Pick<ServedChain, "sql">): Promise<OpenJobs | undefined> {
  return inTime(countOpenJobs(sql), JOBS_PATIENCE_MS).catch(() => undefined);
}

/** Returns the node's blocks that are not served yet; null while either head is unknown. */
export function lagOf({ headNumber, indexer }: IndexHealth): number | null {
  const nodeHead = indexer?.nodeHead ?? null;
  return headNumber === null || nodeHead === null ? null : Math.max(0, nodeHead - headNumber);
}

/** Returns why the answers of a chain are incomplete or outdated; empty when they are not. `stopped`: see `ServedChain`. */
export function problemsOf(
  health: IndexHealth | undefined,
  stopped: string | null = null,
): string[] {
  if (stopped !== null) return [`stopped: ${stopped}`];
  if (!health) return ["the database does not answer"];
  const lag = lagOf(health);
  const silence = health.indexerAgeSeconds;
  const problems: [boolean, string][] = [
    [
      health.headNumber === null || health.synchronised === false,
      "the first synchronisation is running",
    ],
    [health.indexer?.phase === "halted", "the node has another chain"],
    [lag !== null && lag > MAXIMUM_LAG, `${lag} blocks behind the node`],
    [silence === null, "no indexer has reported yet"],
    [
      silence !== null && silence > MAXIMUM_SILENCE_SECONDS,
      `the indexer has said nothing for ${silence} s`,
    ],
    [health.lostRows !== null, "a database server has lost rows of published blocks"],
    [health.gaps !== null && health.gaps !== 0, `${health.gaps} blocks are missing`],
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

function report(served: ServedChain, options: HealthOptions, health?: IndexHealth) {
  return {
    ...publicReport(served, options, health),
    database: { reachable: health !== undefined },
    indexer: health?.indexer ?? null,
    indexerAgeSeconds: health?.indexerAgeSeconds ?? null,
    nodes: served.chain.status(),
  };
}

function publicReport(
  served: ServedChain,
  { version, commit }: HealthOptions,
  health?: IndexHealth,
) {
  const problems = problemsOf(health, served.stopped());
  const indexer = health?.indexer;
  return {
    status: problems.length === 0 ? "ready" : "not ready",
    problems,
    version,
    commit,
    chainId: health?.chainId ?? null,
    head: health
      ? {
          number: health.headNumber,
          hash: health.headHash,
          timestamp: health.headTimestamp,
        }
      : null,
    nodeHead: health?.indexer?.nodeHead ?? null,
    lag: health ? lagOf(health) : null,
    gaps: health?.gaps ?? null,
    generation: health?.generation ?? null,
    traced: health?.traced ?? null,
    indexer: indexer
      ? { phase: indexer.phase, backfill: indexer.backfill, indexes: indexer["indexes"] }
      : null,
  };
}
