import { createHash, randomBytes } from "node:crypto";
import { sleep } from "../../core/async.ts";
import { RequestError } from "../../core/errors.ts";
import { type Address, isAddress, lowerAddress } from "../../core/evm/address.ts";
import { hexFromBytes } from "../../core/evm/hex.ts";
import type { Sql } from "../../db/client.ts";
import { getCreationFacts } from "../../store/contracts/creations.ts";
import {
  getJobStatus,
  insertJob,
  type JobLimits,
  type JobStatus,
} from "../../store/contracts/verification-jobs.ts";
import { reasonOf, type VerificationFailureCode } from "../errors.ts";
import { isTooLarge, requestedCompiler } from "../inputs/read.ts";
import { isStillFullyVerified } from "../present-codes.ts";
import type { VerificationRequest } from "../request.ts";
import { type FactsSource, fetchContractCode } from "./on-chain-facts.ts";

const GUID = /^[0-9a-f]{56}$/i;

/** Returns the identifier of a job or check: the address, then the given 16 hex digits. */
export function guidOf(address: Address, end: string): string {
  return address.slice(2) + end;
}

/** Creates an identifier of a job or check: the address, then 16 random hex digits. */
export function createGuid(address: Address): string {
  return guidOf(address, randomBytes(8).toString("hex"));
}

/** Returns the address in an identifier; undefined for an invalid one. */
export function addressOfGuid(guid: string): Address | undefined {
  const address = `0x${guid.slice(0, 40)}`;
  return GUID.test(guid) && isAddress(address) ? lowerAddress(address) : undefined;
}

/** Outcome of a submission. */
export type Submission =
  | { outcome: "accepted"; guid: string }
  /** The present code at the address is fully matched. */
  | { outcome: "already-verified" }
  | { outcome: "no-code" }
  /** A `metadata-files` request without the compiler's metadata. */
  | { outcome: "no-metadata" }
  /** The sources are larger than 5 MB, or the files of a `metadata-files` request than 10 MB. */
  | { outcome: "too-large" }
  /** Too many waiting jobs, of all clients or of this one. */
  | { outcome: "queue-full" | "client-full" }
  /** This client submitted too many for this address within an hour. */
  | { outcome: "too-many" };

/** Failures before any compile, which do not count against the client. */
const BEFORE_COMPILE = [
  "compiler-unavailable",
  "compiler-version",
  "invalid-json",
  "no-metadata",
  "missing-sources",
  "empty-source",
  "no-code",
  "not-indexed",
  "node",
  "queue-full",
] as const satisfies readonly VerificationFailureCode[];

export const DEFAULT_JOB_LIMITS: JobLimits = {
  perHour: 10,
  waitingOfClient: 25,
  waiting: 100,
  uncounted: BEFORE_COMPILE,
  displaced: { code: "queue-full", reason: reasonOf({ code: "queue-full" }) },
};

export interface SubmissionOptions {
  /** Accepts addresses without code too; their jobs fail. */
  withoutCode?: boolean;
  /** Identifier of the job; default: a new one. */
  guid?: string;
  /** Schemas of the chains that share a queue with this chain; default: none. */
  schemas?: readonly string[];
}

/** Longest stored request in characters. Escapes can make it several times as long as sent. */
const MAX_REQUEST = 12_000_000;
const MAX_VERSION = 100;

/** Accepts a request; the job is committed on return. Throws `VerificationError` of code `node`, and `RequestError` for a long one. */
export async function submitVerification(
  source: FactsSource,
  request: VerificationRequest,
  client: string,
  limits: JobLimits,
  { withoutCode = false, guid = createGuid(request.address), schemas = [] }: SubmissionOptions = {},
): Promise<Submission> {
  const { sql, chain } = source;
  const { address } = request;
  if (await isStillFullyVerified(source, address)) return { outcome: "already-verified" };
  if (isTooLarge(request)) return { outcome: "too-large" };
  const compiler = requestedCompiler(request);
  if (compiler === undefined) return { outcome: "no-metadata" };
  if (!withoutCode && !(await getCreationFacts(sql, address))) {
    const { runtimeCode } = await fetchContractCode(chain, address);
    if (runtimeCode === null) return { outcome: "no-code" };
  }
  const text = JSON.stringify(request);
  if (text.length > MAX_REQUEST) throw new RequestError(413, "too-long", "Payload Too Large");
  const job = {
    guid,
    address,
    client: hexFromBytes(createHash("sha256").update(client).digest()),
    compiler: compiler.family,
    compilerVersion: compiler.version
      .toWellFormed()
      .replace(/\p{Cc}/gu, "")
      .slice(0, MAX_VERSION),
    request: text,
  };
  const outcome = await insertJob(sql, job, limits, schemas);
  return outcome === "added" || outcome === "displaced"
    ? { outcome: "accepted", guid }
    : { outcome };
}

/** Returns the state of a job; undefined for an unknown guid. */
export async function getVerificationStatus(sql: Sql, guid: string) {
  const address = addressOfGuid(guid);
  return address && (await getJobStatus(sql, address, guid.toLowerCase()));
}

/** For jobs in other processes. */
const POLL_MS = 500;

/** As `getVerificationStatus`, after up to `timeoutMs` for the end. `nextEnd` returns a signal of this process's next end. */
export async function waitForVerification(
  sql: Sql,
  guid: string,
  timeoutMs: number,
  nextEnd: () => AbortSignal,
  signal?: AbortSignal,
): Promise<JobStatus | undefined> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    // Taken before the status is read, so that no end is missed.
    const ended = nextEnd();
    const status = await getVerificationStatus(sql, guid);
    const left = end - performance.now();
    const isOpen = status?.state === "pending" || status?.state === "running";
    if (!isOpen || left <= 0 || signal?.aborted) return status;
    await sleep(Math.min(POLL_MS, left), AbortSignal.any(signal ? [ended, signal] : [ended]));
  }
}
