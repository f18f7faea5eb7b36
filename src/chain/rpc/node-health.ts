import type { ChainErrorCode } from "../errors/codes.ts";
import type { NodeError } from "../errors/errors.ts";
import type { ChainOptions, NodeName } from "../options.ts";

// A fatal error takes a node out of use at once. A suspicious one may be one call's fault, so
// several in a row are needed, for some time: a flaky node gives three by chance.
const FATAL: ReadonlySet<ChainErrorCode> = new Set(["unreachable", "unauthorized"]);
const SUSPICIOUS: ReadonlySet<ChainErrorCode> = new Set(["timeout", "unavailable", "bad-answer"]);
const SUSPICIONS_TO_LOSE = 3;
const SUSPICIONS_MS = 1_000;

const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 30_000;

/** Returns whether an error counts against its node. */
export function isSuspicious({ code }: NodeError): boolean {
  return FATAL.has(code) || SUSPICIOUS.has(code);
}

export interface HealthOptions extends Pick<ChainOptions, "log"> {
  /** Called when a lost node answers again: it may be used after its identity is checked. */
  onReturn(): void;
}

/** Tracks whether a node is in use, and logs each change. */
export class NodeHealth {
  /** Why the node is out of use, from a failure until `accept`; null when it is not. */
  failure: ChainErrorCode | null = null;
  /** Out of all use, even when no other node is left. */
  excluded = false;
  /** When a failed node is tried again, in ms of `performance.now()`. */
  restsUntil = 0;
  /** How often the node has returned; it may be another program each time. */
  returns = 0;
  readonly #name: NodeName;
  readonly #options: HealthOptions;
  #failures = 0;
  #failingSince = 0;

  constructor(name: NodeName, options: HealthOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** Puts the node back into use. */
  accept(): void {
    if (this.failure === null) return;
    this.#options.log.info({ node: this.#name }, "node is back");
    this.failure = null;
    this.excluded = false;
    this.returns++;
  }

  /** Takes the node out of use until `accept`, despite any answers. */
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
    const now = performance.now();
    if (this.#failures === 0) this.#failingSince = now;
    this.#failures = Math.min(this.#failures + 1, 10);
    const isLasting = now - this.#failingSince >= SUSPICIONS_MS;
    const isLost = isLasting && this.#failures >= SUSPICIONS_TO_LOSE;
    if (isLost || FATAL.has(error.code)) this.#lose(error);
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
