import { type Address, ZERO_ADDRESS } from "../../core/evm/address.ts";
import {
  endPasses,
  getUnnamedToken,
  listNamedByLogs,
  listNextTokens,
  repeatPasses,
  writeNamed,
} from "../../store/state/tokens/marks.ts";
import { writeAs } from "../../store/writer/writer.ts";
import { readState, type Sync } from "../context.ts";
import { listSampledKeys, writeState } from "../state/reading.ts";

/** Logs of a token per step. */
const LOGS_AT_ONCE = 5_000;
/** Tokens per step. */
const TOKENS_AT_ONCE = 50;
/** Shortest time between two steps, and between two rounds of all tokens. */
const STEP_MS = 1_000;
const ROUND_MS = 60_000;

/** Creates the sweep that finds changes no block shows: one step a call, tokens in turn; a differing one is marked (`readPending`). */
export function createTokenSweep(): (sync: Sync) => Promise<"read" | "none"> {
  let after: Address = ZERO_ADDRESS;
  let stepAt = performance.now() + STEP_MS;
  let roundAt = 0;
  let sweptHead: string | undefined;
  return async (sync) => {
    const { writer, head } = sync;
    if (!head) return "none";
    const unnamed = await getUnnamedToken(writer.sql);
    if (unnamed) {
      const { owners, next } = await listNamedByLogs(writer.sql, unnamed, LOGS_AT_ONCE);
      await writeAs(writer, (transaction) => writeNamed(transaction, unnamed, owners, next));
      return "read";
    }
    let isEnded = false;
    await writeAs(writer, async (transaction) => {
      isEnded = await endPasses(transaction);
      await repeatPasses(transaction, head.number);
    });
    if (isEnded) return "read";
    const now = performance.now();
    if (now < stepAt) return "none";
    stepAt = now + STEP_MS;
    if (after === ZERO_ADDRESS) {
      // Without a new block nothing has changed since the last read.
      if (now < roundAt || sweptHead === head.hash) return "none";
      roundAt = now + ROUND_MS;
      sweptHead = head.hash;
    }
    const tokens = await listNextTokens(writer.sql, after, TOKENS_AT_ONCE);
    after = tokens.length < TOKENS_AT_ONCE ? ZERO_ADDRESS : (tokens.at(-1) ?? ZERO_ADDRESS);
    const keys = await listSampledKeys(writer, tokens);
    const values = await readState(sync, keys, head);
    if (!values) return "none";
    await writeAs(writer, async (transaction) => {
      await Promise.all(
        values.rows.map(({ reading, rows }) => reading.addSampled?.(transaction, rows)),
      );
      await writeState(transaction, values);
    });
    return "none";
  };
}
