import type { ChainErrorCode } from "../errors/codes.ts";
import type { NodeError } from "../errors/errors.ts";
import type { ChainOptions, NodeName } from "../options.ts";

// A fatal error puts a node out of use at once. A suspicious one may be the fault of one call, so it takes several in a row.
const FATAL: ReadonlySet<ChainErrorCode> = new Set(["unreachable", "unauthorized"]);
const SUSPICIOUS: ReadonlySet<ChainErrorCode> = new Set(["timeout", "unavailable", "bad-answer"]);
const SUSPICIONS_TO_LOSE = 3;

const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 30_000;

/** Whether an error speaks against its node. */
export function isSuspicious({ code }: NodeError): boolean {
  return FATAL.has(code) || SUSPICIOUS.has(code);
}

export interface HealthOptions extends Pick<ChainOptions, "log"> {
  /** A node that was lost has answered. It may be taken into use, if it still is what it was. */
  onReturn(): void;
}

/** Whether a node is in use. Each change is logged, and nothing else. */
export class NodeHealth {
  /** Why the node is out of use, from a failure until `accept`; null when it is not. */
  failure: ChainErrorCode | null = null;
  /** Out of every question, even when no other node is left. */
  excluded = false;
  /** When a node that failed is tried again, in ms of `performance.now()`. */
  restsUntil = 0;
  /** How often the node has come back; each time it may be another program. */
  returns = 0;
  readonly #name: NodeName;
  readonly #options: HealthOptions;
  #failures = 0;

  constructor(name: NodeName, options: HealthOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** Takes the node into use. */
  accept(): void {
    if (this.failure === null) return;
    this.#options.log.info({ node: this.#name }, "node is back");
    this.failure = null;
    this.excluded = false;
    this.returns++;
  }

  /** Takes the node out of use until `accept`, whatever it answers. */
  exclude(error: NodeError): void {
    this.excluded = true;
    this.#lose(error);
  }

  noteAnswer(): void {
    this.#failures = 0;
    if (this.failure !== null && !this.excluded) this.#options.onReturn();
  }

  noteFailure(error: NodeError): void {
    if (!isSuspicious(error)) return;
    this.#failures = Math.min(this.#failures + 1, 10);
    if (FATAL.has(error.code) || this.#failures >= SUSPICIONS_TO_LOSE) this.#lose(error);
  }

  #lose(error: NodeError): void {
    if (this.failure === null) {
      this.#options.log.warn({ node: this.#name, code: error.code }, `node lost: ${error.message}`);
    }
    this.failure = error.code;
    const restMs = FIRST_REST_MS * 2 ** this.#failures;
    this.restsUntil = performance.now() + Math.min(LONGEST_REST_MS, restMs);
  }
}
