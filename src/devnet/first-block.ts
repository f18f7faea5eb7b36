import { quantityToNumber } from "../core/evm/quantity.ts";

/** The prefix of a block without a parent in anvil's state. */
const BEGINNING = `{"header":{"parentHash":"0x${"0".repeat(64)}"`;
/** The text after such a block's header; no further object follows. */
const TRANSACTIONS = '"transactions":[]';

/** Replaces each first block in anvil's state with the original one: anvil adds another one at each start. */
export function withOwnFirstBlock(state: Buffer): Buffer {
  const firsts: { start: number; end: number; text: Buffer; timestamp: number }[] = [];
  let start = state.indexOf(BEGINNING);
  while (start >= 0) {
    const end = state.indexOf("}", state.indexOf(TRANSACTIONS, start)) + 1;
    const text = state.subarray(start, end);
    const { header } = JSON.parse(text.toString()) as { header: { timestamp: string } };
    firsts.push({ start, end, text, timestamp: quantityToNumber(header.timestamp) });
    start = state.indexOf(BEGINNING, end);
  }
  const [own] = firsts.toSorted((one, other) => one.timestamp - other.timestamp);
  if (!own) return state;
  const parts: Buffer[] = [];
  let rest = 0;
  for (const first of firsts) {
    parts.push(state.subarray(rest, first.start), own.text);
    rest = first.end;
  }
  return Buffer.concat([...parts, state.subarray(rest)]);
}
