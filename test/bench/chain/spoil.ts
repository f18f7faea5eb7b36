import { createRandom } from "../../support/world/random.ts";
import type { RpcRequest } from "./node.ts";

/** Faults of a flaky node's answers; `clean` has none. */
export const SPOILAGES = ["clean", "wrong", "late", "limited", "cut"] as const;
export type Spoilage = (typeof SPOILAGES)[number];

/** Share of spoilt answers: of calls where they are wrong, else of HTTP requests. */
const SPOILT_SHARE = 0.1;
/** Some ten times as long as an answer takes. */
export const LATE_MS = 150;

/** Draws what is spoilt. */
export interface Spoiler {
  kind: Spoilage;
  /** Whether the next answer is spoilt. */
  strikes(): boolean;
}

/** A spoiler that spoils nothing yet. */
export function createSpoiler(): Spoiler {
  const random = createRandom(1);
  const spoiler: Spoiler = {
    kind: "clean",
    strikes: () => spoiler.kind !== "clean" && random.chance(SPOILT_SHARE),
  };
  return spoiler;
}

/** The end of the wrong answer to a call: no receipts or traces of a block that has some, an error for all others. */
export function wrongAnswer({ method }: RpcRequest): Buffer {
  const isList = method === "eth_getBlockReceipts" || method.startsWith("debug_");
  return Buffer.from(isList ? '"result":[]' : '"error":{"code":-32603,"message":"Internal error"}');
}
