import type { Address, Hex } from "viem";
import type { JsonRpc } from "../support/oracle/json-rpc.ts";

// Which addresses and ids the chain names to a token: in its logs, and in calls of it.

interface Log {
  address: Address;
  topics: Hex[];
  data: Hex;
}

interface Frame {
  from: Address;
  to?: Address;
  input?: Hex;
  error?: string;
  calls?: Frame[];
}

interface Block {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
  transactions: { hash: Hex; from: Address; to: Address | null; input: Hex }[];
}

/** Addresses in one block. */
interface Entry {
  number: number;
  hash: string;
  holders: [token: Address, holder: Address][];
  ids: [token: Address, id: bigint][];
  ranges: [token: Address, id: bigint][];
}

/** Addresses in the chain, up to its head. */
export interface Named {
  head: { number: number; hash: string };
  holders(token: Address): Address[];
  ids(token: Address): bigint[];
  /** True if only a range has named the id (ERC-2309) up to the block of this hash, by default the head. */
  inRanges(token: Address, id: bigint, hash?: string): boolean;
}

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const CONSECUTIVE = "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d";
const SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
const ZERO: Address = "0x0000000000000000000000000000000000000000";
/** Shorter numbers are amounts, not addresses. */
const ADDRESS_WORD = /^0{24}(?=[0-9a-f]{40}$)(?!0{16})/;

/** Returns a reader that goes through each block once. With `frames` it looks at inner calls, too. */
export function createNamed(rpc: JsonRpc, frames: boolean): () => Promise<Named> {
  let entries: Entry[] = [];

  async function read(block: Block): Promise<Entry> {
    const entry: Entry = {
      number: Number(block.number),
      hash: block.hash,
      holders: [],
      ids: [],
      ranges: [],
    };
    const name = (token: Address, ...words: string[]) => {
      for (const word of words) {
        if (ADDRESS_WORD.test(word)) entry.holders.push([token, `0x${word.slice(24)}`]);
      }
    };
    const logs = await rpc.request<Log[]>("eth_getLogs", { blockHash: block.hash });
    for (const { address, topics, data } of logs) {
      name(address, ...topics.slice(1).map((topic) => topic.slice(2)), ...wordsOf(data));
      const list = topics[0] === CONSECUTIVE ? entry.ranges : entry.ids;
      list.push(...idsOf(topics, data).map((id): [Address, bigint] => [address, id]));
    }
    const called = (from: Address, to: Address | null | undefined, input: Hex = "0x") => {
      if (!to) return;
      entry.holders.push([to, from]);
      name(to, ...wordsOf(`0x${input.slice(10)}`));
    };
    for (const { hash, from, to, input } of block.transactions) {
      called(from, to, input);
      if (!frames) continue;
      const trace = await rpc.request<Frame>("debug_traceTransaction", hash, {
        tracer: "callTracer",
      });
      const visit = (frame: Frame): void => {
        if (frame.error) return;
        called(frame.from, frame.to, frame.input);
        for (const inner of frame.calls ?? []) visit(inner);
      };
      visit(trace);
    }
    return entry;
  }

  return async () => {
    const missing: Block[] = [];
    let next = await rpc.request<Block>("eth_getBlockByNumber", "latest", true);
    for (;;) {
      const number = Number(next.number);
      if (entries[number]?.hash === next.hash) break;
      missing.push(next);
      if (number === 0) break;
      next = await rpc.request<Block>("eth_getBlockByHash", next.parentHash, true);
    }
    const lowest = missing.at(-1);
    if (lowest) entries = entries.slice(0, Number(lowest.number));
    else entries = entries.slice(0, Number(next.number) + 1);
    for (const block of missing.reverse()) entries.push(await read(block));
    const all = entries;
    const { number, hash } = all.at(-1) as Entry;
    return {
      head: { number, hash },
      holders: (token) => [
        ...new Set(
          all.flatMap((one) =>
            one.holders.flatMap(([of, holder]) => (of === token && holder !== ZERO ? holder : [])),
          ),
        ),
      ],
      ids: (token) => [
        ...new Set(
          all.flatMap(({ ids, ranges }) =>
            [...ids, ...ranges].flatMap(([of, id]) => (of === token ? id : [])),
          ),
        ),
      ],
      inRanges: (token, id, until = hash) =>
        !all
          .slice(0, all.findIndex((one) => one.hash === until) + 1)
          .some(({ ids }) => ids.some(([of, other]) => of === token && other === id)),
    };
  };
}

function wordsOf(data: Hex): string[] {
  return data.slice(2).match(/[0-9a-f]{64}/g) ?? [];
}

/** Ids that a standard's event names. */
function idsOf([event, ...topics]: Hex[], data: Hex): bigint[] {
  const words = wordsOf(data).map((word) => BigInt(`0x${word}`));
  if (event === TRANSFER && topics.length === 3) return [BigInt(topics[2] as Hex)];
  if (event === TRANSFER && topics.length === 0 && words.length === 3) return [words[2] as bigint];
  if (event === SINGLE && words.length === 2) return [words[0] as bigint];
  if (event === BATCH) {
    const start = Number((words[0] ?? 0n) / 32n);
    return words.slice(start + 1, start + 1 + Number(words[start] ?? 0n));
  }
  if (event === CONSECUTIVE && topics.length === 3) {
    const [first, last] = [BigInt(topics[0] as Hex), words[0] ?? 0n];
    return Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index));
  }
  return [];
}
