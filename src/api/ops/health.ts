import type { FastifyInstance } from "fastify";
import { getIndexHealth, type IndexHealth } from "../../store/health.ts";
import { countOpenJobs } from "../../store/verification-jobs.ts";
import type { Services } from "../action.ts";
import { inTime } from "../deadline.ts";
import { jsonAnswer } from "../envelope.ts";
import { send } from "../http.ts";

export interface HealthOptions extends Pick<Services, "sql" | "chain" | "log"> {
  /** Of the program. */
  version: string;
  /** Time that an answer may take, see `inTime`. */
  requestTimeoutMs: number;
}

/** Blocks behind the node that still count as being at the head. */
const MAXIMUM_LAG = 100;
/** An indexer that has said nothing for so long is not at work. */
const MAXIMUM_SILENCE_SECONDS = 60;

/**
 * Adds `/health/live` (the process answers), `/health/ready` (its answers are worth asking for) and `/health`, whole or
 * as much of it as is for everybody: what the page at `/` shows.
 */
export function addHealth(
  app: FastifyInstance,
  services: HealthOptions,
  extent: "whole" | "public",
): void {
  app.get("/health/live", (_request, reply) => send(reply, jsonAnswer({ status: "live" })));
  app.get("/health/ready", async (_request, reply) => {
    const problems = problemsOf(await readHealth(services));
    return send(
      reply,
      problems.length === 0
        ? jsonAnswer({ status: "ready" })
        : jsonAnswer({ status: "not ready", problems }, 503),
    );
  });
  app.get("/health", async (_request, reply) => {
    const health = await readHealth(services);
    const answer =
      extent === "public"
        ? publicReport(services, health)
        : {
            ...report(services, health),
            verification: (health && (await countOpenJobs(services.sql))) ?? null,
          };
    return send(reply, jsonAnswer(answer, health ? 200 : 503));
  });
}

/** Undefined when the database does not answer. */
export async function readHealth(options: HealthOptions): Promise<IndexHealth | undefined> {
  const { sql, log, requestTimeoutMs } = options;
  try {
    return await inTime(getIndexHealth(sql), requestTimeoutMs);
  } catch (error) {
    log.warn({ err: error }, "the database does not answer");
    return undefined;
  }
}

/** Blocks of the node that are not served yet; null while either head is unknown. */
export function lagOf({ headNumber, indexer }: IndexHealth): number | null {
  const nodeHead = indexer?.nodeHead ?? null;
  return headNumber === null || nodeHead === null ? null : Math.max(0, nodeHead - headNumber);
}

/** Why this process is not ready; empty when it is. */
export function problemsOf(health: IndexHealth | undefined): string[] {
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
    [health.gaps !== null && health.gaps !== 0, `${health.gaps} blocks are missing`],
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

function report(services: HealthOptions, health?: IndexHealth) {
  return {
    ...publicReport(services, health),
    database: { reachable: health !== undefined },
    indexer: health?.indexer ?? null,
    indexerAgeSeconds: health?.indexerAgeSeconds ?? null,
    nodes: services.chain.status(),
  };
}

function publicReport({ version }: HealthOptions, health?: IndexHealth) {
  const problems = problemsOf(health);
  const indexer = health?.indexer;
  return {
    status: problems.length === 0 ? "ready" : "not ready",
    problems,
    version,
    chainId: health?.chainId ?? null,
    head: health && {
      number: health.headNumber,
      hash: health.headHash,
      timestamp: health.headTimestamp,
    },
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
