import { z } from "zod";
import type { JobStatus } from "../../../store/contracts/verification-jobs.ts";
import { jsonAnswer } from "../../http/answer.ts";
import type { ServedChain } from "../../serving/served-chain.ts";
import { type Endpoint, errorIdOf, type SourcifyContext, SourcifyError } from "../endpoint.ts";
import { minimalContract, presentMatch, presentTime } from "../present.ts";

/** forge asks six times, 5 s apart, and then stops. */
const PATIENCE_MS = 10_000;

/** Sourcify's codes for our failures; any other failure is an internal error. */
const CODES: Readonly<Record<string, string>> = {
  "compiler-error": "compiler_error",
  "compiler-limit": "compiler_error",
  "invalid-json": "compiler_error",
  "empty-source": "compiler_error",
  "compiler-unavailable": "invalid_compiler_version",
  bytecode: "no_match",
  "compiler-version": "no_match",
  "constructor-arguments": "no_match",
  "constructor-arguments-unknown": "no_match",
  "deployed-code": "no_match",
  "contract-name": "contract_not_found_in_compiler_output",
  "abstract-contract": "compiled_bytecode_is_zero",
  "missing-sources": "missing_or_invalid_source",
  "no-metadata": "missing_or_invalid_source",
  "no-code": "contract_not_deployed",
  node: "cannot_fetch_bytecode",
  "not-indexed": "cannot_fetch_bytecode",
};
const REPLACED = "The code at the address is no longer the one that was verified.";

const errorObject = z.object({
  customCode: z.string(),
  message: z.string(),
  errorId: z.string(),
});

/** The state of a verification. */
export const jobEndpoints: Readonly<Record<string, Endpoint>> = {
  job: {
    path: "/v2/verify/{verificationId}",
    summary: "State of a verification; waits up to 10 s for its end",
    answers: {
      200: {
        description: "The state, also of one that failed",
        schema: z.object({
          isJobCompleted: z.boolean(),
          verificationId: z.string(),
          jobStartTime: z.string(),
          jobFinishTime: z.string().optional(),
          contract: minimalContract,
          error: errorObject.optional(),
        }),
      },
    },
    chainOf: ({ parameters: { verificationId = "" } }, chains) =>
      chainOfJob(
        chains.filter((chain) => chain.stopped() === null),
        verificationId,
      ),
    async handle(context, { parameters: { verificationId = "" } }) {
      const { verifier, signal } = context;
      const status = await verifier.wait(verificationId, PATIENCE_MS, signal);
      if (status === undefined) {
        throw new SourcifyError(404, "job_not_found", `No job found for id ${verificationId}`);
      }
      const shown = await present(context, verificationId.toLowerCase(), status);
      const fault = shown.error
        ? ({ code: "verification-failed" } as const)
        : shown.isJobCompleted
          ? undefined
          : ({ code: "verification-pending" } as const);
      return jsonAnswer(shown, 200, fault);
    },
  },
};

/** Links for people from Foundry and Hardhat. The targets are relative, so that the prefix of a proxy stays. */
export const linkEndpoints: Readonly<Record<string, Endpoint>> = {
  "job-link": {
    path: "/verify-ui/jobs/{verificationId}",
    summary: "Sends people who follow a client's link to the state of a job",
    answers: { 302: { description: "Where the state is" } },
    handle: async (_context, { path, parameters: { verificationId = "" } }) =>
      seeOther(path, `v2/verify/${encodeURIComponent(verificationId)}`),
  },
  "contract-link": {
    path: "/repo-ui/{chainId}/{address}",
    summary: "Sends people who follow a client's link to the page of the contract",
    answers: { 302: { description: "Where the contract is" } },
    handle: async (_context, { path, parameters: { chainId = "", address = "" } }) => {
      const page = `${encodeURIComponent(chainId)}/address/${encodeURIComponent(address)}#code`;
      // From the root: the path may have a chain before the base already.
      return redirect(path.split("/").length - 2, page);
    },
  },
};

/** Finds the chain of a job. An unreachable one matters only when no other one has it. */
async function chainOfJob(chains: readonly ServedChain[], verificationId: string) {
  const failures: unknown[] = [];
  const asked = chains.map(async (chain) => {
    const status = await chain.verifier.status(verificationId).catch((error: unknown) => {
      failures.push(error);
    });
    return status ? chain : Promise.reject();
  });
  const found = await Promise.any(asked).catch(() => undefined);
  if (!found && failures.length > 0) throw failures[0];
  return found;
}

async function present(
  { verifier, chainId }: SourcifyContext,
  verificationId: string,
  { address, state, failure, reason, createdAtSeconds, finishedAtSeconds }: JobStatus,
) {
  // A replica may not have the match yet.
  const match = state === "passed" ? await verifier.match(address) : undefined;
  const failed = (customCode: string, message: string) => ({
    customCode,
    message,
    errorId: errorIdOf(verificationId),
  });
  const error =
    state === "failed"
      ? failed(CODES[failure ?? ""] ?? "internal_error", reason ?? "")
      : state === "passed" && match === undefined
        ? failed("no_match", REPLACED)
        : undefined;
  return {
    isJobCompleted: finishedAtSeconds !== null,
    verificationId,
    jobStartTime: presentTime(createdAtSeconds),
    ...(finishedAtSeconds !== null && { jobFinishTime: presentTime(finishedAtSeconds) }),
    contract: presentMatch(chainId(), address, match),
    ...(error && { error }),
  };
}

function seeOther(path: string, target: string) {
  const below = path.replace(/^.*?(?:verify-ui|repo-ui)/, "");
  const base = /\/sourcifyverify-ui/.test(path) ? "sourcify/" : "";
  return redirect(below.split("/").length - 1, base + target);
}

function redirect(levels: number, target: string) {
  return { ...jsonAnswer({}, 302), location: "../".repeat(levels) + target };
}
