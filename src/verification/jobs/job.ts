import type { Logger } from "pino";
import { sha256 } from "viem/utils";
import type { Chain } from "../../chain/chain.ts";
import { ChainError } from "../../core/errors.ts";
import type { Sql } from "../../db/client.ts";
import { saveUnreadProxy } from "../../store/contracts/proxies.ts";
import { type ClaimedJob, finishJob, noteOnPass } from "../../store/contracts/verification-jobs.ts";
import type { DeploymentProof } from "../../store/contracts/verified/deployment-proofs.ts";
import {
  saveVerifiedContract,
  type VerifiedContractRow,
} from "../../store/contracts/verified/verified-contract.ts";
import type { CompilerCatalogue } from "../compilers/catalogue.ts";
import type { VerifiedSource } from "../engine/verified-source.ts";
import { reasonOf, VerificationError, type VerificationFailure } from "../errors.ts";
import { isStillFullyVerified } from "../present-codes.ts";
import type { WorkerPool } from "../process/pool.ts";
import { refreshProxy } from "../proxies/proxies.ts";
import { fetchOnChainFacts, type OnChainFacts } from "./on-chain-facts.ts";
import { proveDeployment } from "./prove.ts";

/** Dependencies of a job. */
export interface JobContext {
  sql: Sql;
  chain: Chain;
  catalogue: CompilerCatalogue;
  workers: WorkerPool;
  log: Pick<Logger, "info" | "warn">;
  /** Runs a wait for nodes and servers, during which another job may run. */
  whileAsking<Result>(ask: () => Promise<Result>): Promise<Result>;
}

/** The note of a passed job if an earlier submission with other texts is served. */
const OTHER_TEXT =
  "The code matches, but an earlier verification that proves as much stays: its names, files or comments differ from these.";
const UNPROVEN = "The code matches, its constructor and immutables are unproven. ";

/** After a failure clients send a second form, so the first must not take long. */
const DIAGNOSIS_MS = 5000;

/** Runs a job, stores its outcome and returns whether it passed. Throws without an outcome: database lost, worker broken, aborted. */
export async function runJob(context: JobContext, job: ClaimedJob, signal: AbortSignal) {
  const { sql, log } = context;
  const startedAt = performance.now();
  const outcome = await outcomeOf(context, job, signal);
  const failure = "failure" in outcome ? outcome.failure : null;
  if (failure === null) await context.whileAsking(() => detectBeforePass(context, job));
  await sql.begin(async (transaction) => {
    const finished = await finishJob(
      transaction,
      job,
      failure && { code: failure.code, reason: reasonOf(failure) },
    );
    if (finished && "row" in outcome) {
      const saved = await saveVerifiedContract(transaction, outcome.row, outcome.sources);
      const { run } = outcome.row.proof;
      if (saved === "other") await noteOnPass(transaction, job, OTHER_TEXT);
      else if (run?.outcome === "not-run")
        await noteOnPass(transaction, job, UNPROVEN + run.reason);
    }
  });
  const ms = Math.round(performance.now() - startedAt);
  log.info({ address: job.address, outcome: failure?.code ?? "passed", ms }, "verification ended");
  return failure === null;
}

type Outcome =
  | { failure: VerificationFailure }
  | { row: VerifiedContractRow; sources: VerifiedSource["sources"] }
  | { alreadyVerified: true };

async function outcomeOf(
  context: JobContext,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    // An earlier job of the address may have passed while this one waited.
    const { catalogue, whileAsking } = context;
    const isVerified = await whileAsking(() => isStillFullyVerified(context, job.address));
    if (isVerified) return { alreadyVerified: true };
    const [build, facts] = await whileAsking(async () => [
      await catalogue.resolve(job.compiler === "vyper" ? "vyper" : "solc", job.compilerVersion),
      await fetchOnChainFacts(context, job.address, signal),
    ]);
    const answer = await context.workers.run(
      build,
      {
        type: "verify",
        request: job.request,
        runtimeCode: facts.runtimeCode,
        creationCode: facts.creation?.creationCode ?? null,
        diagnosisMs: DIAGNOSIS_MS,
      },
      signal,
    );
    if (answer.type !== "verified") throw new TypeError(`the worker answered with ${answer.type}`);
    const { source } = answer;
    const proof = await whileAsking(() =>
      proveDeployment(context.chain, job.address, facts, source, signal),
    );
    return { row: toRow(job, facts, source, proof), sources: source.sources };
  } catch (error) {
    if (error instanceof VerificationError && !signal.aborted) return { failure: error.failure };
    throw error;
  }
}

/** Detects a proxy before the job passes, so that clients see both at once; schedules it if the node does not answer. */
async function detectBeforePass(context: JobContext, job: ClaimedJob): Promise<void> {
  try {
    await refreshProxy(context, job.address);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    context.log.warn({ address: job.address, error: error.message }, "proxy not detected");
    await saveUnreadProxy(context.sql, job.address);
  }
}

function toRow(
  job: ClaimedJob,
  facts: OnChainFacts,
  source: VerifiedSource,
  proof: DeploymentProof,
): VerifiedContractRow {
  const {
    runtimeMatch,
    creationMatch,
    compiledRuntime,
    compiledCreation,
    settings,
    sources,
    trial: _,
    ...kept
  } = source;
  return {
    ...kept,
    proof,
    address: job.address,
    codeHash: facts.codeHash,
    creationTransaction: facts.creation?.transactionHash ?? null,
    creationCodeHash: facts.creation?.creationCode ? sha256(facts.creation.creationCode) : null,
    blockNumber: facts.block.number,
    blockHash: facts.block.hash,
    runtimeMatch: runtimeMatch?.quality ?? null,
    creationMatch: creationMatch?.quality ?? null,
    settings: JSON.stringify(settings),
    compilation: JSON.stringify({ runtimeMatch, creationMatch, compiledRuntime, compiledCreation }),
  };
}
