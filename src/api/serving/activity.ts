import type { BlockReference } from "../../chain/questions.ts";
import type { Address } from "../../core/evm/address.ts";
import { type Hex, isHash, lowerHex } from "../../core/evm/hex.ts";
import {
  ACTIVITY_KINDS,
  type Activity,
  type BlockLink,
  listActivity,
  listBlockLinks,
} from "../../store/lists/activity.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import type { Dispatch } from "../explorer/dispatch.ts";
import { findAction } from "../explorer/registry.ts";
import { resultOnOneState } from "../reading/snapshot.ts";
import { perChain, type ServedChain } from "./served-chain.ts";

// Events of addresses: rows that new blocks add to their lists, and roll-backs. Source: docs/wire.md, "Events of addresses".

/** Blocks read at once. */
const BLOCKS = 100;
/** Most blocks between the head and a listener's last event, or between a roll-back and the common block. */
const FARTHEST = 1000;
/** Most rows of a list in one block that are sent; more are one event without rows. */
const MOST_ROWS = 500;
/** Rows read at once. */
const ROWS = 50;
/** Batches and characters of rows that are kept for other followers. */
const KEPT = { batches: 8, characters: 4_000_000 };
/** Blocks whose parents are remembered. */
const REMEMBERED = 4 * FARTHEST;

/** A listener to addresses. */
export interface Follower {
  chain: ServedChain;
  client: string;
  addresses: readonly Address[];
  /** The last block that was sent whole. Undefined before the first head; null for an id that cannot be read. */
  last: BlockReference | null | undefined;
  isBusy: boolean;
  /** True if a part of the block after `last` was sent. */
  isPartial: boolean;
  /** Sends an event; rejects when the listener has left. */
  send(event: string, data: object, id?: string): Promise<void>;
  sendHead(head: ServedHead): void;
}

/** The blocks after a follower's last one, and the rows that they add to the lists of all followers. */
interface Batch {
  head: ServedHead;
  links: BlockLink[];
  activities: Activity[];
}

type Row = Readonly<Record<string, unknown>>;
type Page = { rows: Row[]; next: string | undefined };

/** Reads the block of an event's id; null when it has another form. */
export function readId(id: string): BlockReference | null {
  const [number = "", hash = "", generation = "", ...others] = id.split(";");
  const isId = /^\d{1,15}$/.test(number) && isHash(hash) && /^\d{1,15}$/.test(generation);
  return isId && others.length === 0 ? { number: Number(number), hash: lowerHex(hash) } : null;
}

/** Creates the function that sends a follower the events up to a head. `followers` returns all followers. */
export function createActivity(dispatch: Dispatch, followers: () => Iterable<Follower>) {
  const partsOf = perChain((chain) => createParts(chain, dispatch, followers));

  /** Sends a follower all missing events up to a head. After a failure the next head tries again. */
  return async function follow(follower: Follower, head: ServedHead): Promise<void> {
    if (follower.isBusy) return;
    follower.isBusy = true;
    const parts = partsOf(follower.chain);
    try {
      let reached: ServedHead | undefined = head;
      if (parts.parents.size === 0) {
        remember(parts.parents, await readLinks(follower.chain, head.number - FARTHEST));
      }
      do reached = await step(follower, reached, parts);
      while (reached);
    } catch (error) {
      follower.chain.log.debug({ err: error }, "events of addresses wait for the next head");
    } finally {
      follower.isBusy = false;
    }
  };
}

type Parts = ReturnType<typeof createParts>;

function createParts(chain: ServedChain, dispatch: Dispatch, followers: () => Iterable<Follower>) {
  return {
    parents: new Map<Hex, Hex>(),
    batchOf: shareBatches(chain, followers),
    pageOf: sharePages(chain, dispatch),
  };
}

/** Sends a follower the next blocks. Returns the head while there are more. */
async function step(
  follower: Follower,
  seen: ServedHead,
  { parents, batchOf, pageOf }: Parts,
): Promise<ServedHead | undefined> {
  const { last } = follower;
  if (last && follower.isPartial) {
    const { number, hash } = last;
    await follower.send("rollback", { number, hash, generation: seen.generation });
    follower.isPartial = false;
  }
  if (last?.hash === seen.hash || last === undefined) {
    follower.last = seen;
    follower.sendHead(seen);
    return undefined;
  }
  const batch = last && (await batchOf(last.number, seen, follower));
  const { head, links, activities } = batch ?? { head: seen, links: [], activities: [] };
  const [first, ...others] = links;
  const { generation } = head;
  if (!last || last.number < head.number - FARTHEST || first?.hash !== last.hash) {
    const common =
      last && first?.hash !== last.hash
        ? await findCommon(follower.chain, parents, last.hash, last.number)
        : undefined;
    const { number, hash } = common ?? head;
    await follower.send(common ? "rollback" : "reset", { number, hash, generation });
    follower.last = { number, hash };
    return head;
  }
  remember(parents, others);
  for (const block of others) {
    const own = activities
      .filter((each) => each.blockNumber === block.number)
      .filter(({ address }) => follower.addresses.includes(address))
      .sort((one, other) => placeOf(one, follower) - placeOf(other, follower));
    follower.isPartial = own.length > 0;
    await sendBlock(follower, block, own, generation, pageOf);
    follower.last = block;
    follower.isPartial = false;
  }
  return head;
}

const placeOf = ({ kind, address }: Activity, { addresses }: Follower) =>
  ACTIVITY_KINDS.indexOf(kind) * addresses.length + addresses.indexOf(address);

/** Sends the rows of a block. Only the last one names it in its id, so that a broken block is sent again. */
async function sendBlock(
  follower: Follower,
  { number, hash, parentHash }: BlockLink,
  activities: readonly Activity[],
  generation: number,
  pageOf: Parts["pageOf"],
): Promise<void> {
  let left = activities.reduce((sum, { rows }) => sum + (rows > MOST_ROWS ? 1 : rows), 0);
  const idOfNext = () =>
    --left > 0 ? `${number - 1};${parentHash};${generation}` : `${number};${hash};${generation}`;
  for (const { kind, address, rows } of activities) {
    const data = { kind, address, number, hash };
    if (rows > MOST_ROWS) {
      await follower.send("more", data, idOfNext());
      continue;
    }
    let cursor: string | undefined = "start";
    while (cursor) {
      const page: Page = await pageOf({ ...data, cursor }, follower.client);
      for (const row of page.rows) await follower.send("activity", { ...data, row }, idOfNext());
      cursor = page.next;
    }
  }
}

/** Reads the newest of a block's known ancestors that is served; undefined where none is known. */
async function findCommon(
  chain: ServedChain,
  parents: ReadonlyMap<Hex, Hex>,
  from: Hex,
  above: number,
): Promise<BlockReference | undefined> {
  const links = await readLinks(chain, above - FARTHEST);
  const served = new Map(links.map((link) => [link.hash, link]));
  let hash: Hex | undefined = from;
  for (let depth = 0; hash && depth <= FARTHEST; depth++) {
    const found = served.get(hash);
    if (found) return found;
    hash = parents.get(hash);
  }
  return undefined;
}

async function readLinks({ sql }: ServedChain, from: number): Promise<BlockLink[]> {
  const { result } = await resultOnOneState(sql, (read) =>
    read((client) => listBlockLinks(client, { from, to: from + FARTHEST })),
  );
  return result;
}

function remember(parents: Map<Hex, Hex>, links: readonly BlockLink[]): void {
  for (const { hash, parentHash } of links) parents.set(hash, parentHash);
  for (const hash of parents.keys()) {
    if (parents.size <= REMEMBERED) break;
    parents.delete(hash);
  }
}

/** Reads batches once for all followers. */
function shareBatches(chain: ServedChain, followers: () => Iterable<Follower>) {
  const kept = new Map<string, { addresses: ReadonlySet<Address>; batch: Promise<Batch> }>();

  async function read(from: number, addresses: Iterable<Address>): Promise<Batch> {
    const { result } = await resultOnOneState(chain.sql, (reading) =>
      reading(async (sql, served) => {
        const head = await served;
        const to = Math.min(from + BLOCKS, head.number);
        const links = await listBlockLinks(sql, { from, to });
        const blocks = { from: from + 1, to };
        const isFar = from < head.number - FARTHEST || to <= from;
        const activities = isFar ? [] : await listActivity(sql, [...addresses], blocks);
        return { head, links, activities };
      }),
    );
    return result;
  }

  return async (from: number, { hash, generation }: ServedHead, follower: Follower) => {
    const key = `${from};${hash};${generation}`;
    const known = kept.get(key);
    if (known && follower.addresses.every((each) => known.addresses.has(each))) return known.batch;
    const all = [...followers()].filter((each) => each.chain === chain);
    const addresses = new Set([follower, ...all].flatMap((each) => each.addresses));
    const batch = read(from, addresses);
    kept.delete(key);
    kept.set(key, { addresses, batch });
    batch.catch(() => kept.delete(key));
    for (const oldest of kept.keys()) if (kept.size > KEPT.batches) kept.delete(oldest);
    return batch;
  };
}

type PageRequest = Pick<Activity, "kind" | "address"> & BlockReference & { cursor: string };

/** Reads rows by the list's own action, once for all followers of an address. */
function sharePages(chain: ServedChain, dispatch: Dispatch) {
  const kept = new Map<string, { page: Promise<Page>; characters: number }>();
  let characters = 0;

  async function read({ kind, address, number, hash, cursor }: PageRequest, client: string) {
    const input = new Map(
      Object.entries({
        ...{ address, startblock: String(number), endblock: String(number) },
        ...{ sort: "asc", offset: String(ROWS), cursor },
      }),
    );
    const request = { input, query: input, body: new Map(), id: undefined };
    const { signal } = new AbortController();
    const caller = { client, signal, known: [] };
    const names = new Map(Object.entries({ module: "account", action: kind }));
    const { action } = findAction(names, "etherscan");
    const answer = await dispatch(action, request, "etherscan", chain, caller);
    const { body, fault, block, next } = answer;
    const isEmpty = fault?.code === "empty";
    if ((fault && !isEmpty) || block?.hash !== hash)
      throw new Error(`${kind} is not there at block ${number}: ${fault?.code ?? "replaced"}`);
    return { body, page: { rows: isEmpty ? [] : (JSON.parse(body).result as Row[]), next } };
  }

  return (request: PageRequest, client: string): Promise<Page> => {
    const { kind, address, hash, cursor } = request;
    const key = `${kind};${address};${hash};${cursor}`;
    const known = kept.get(key);
    if (known) return known.page;
    const entry = { characters: 0, page: Promise.resolve<Page>({ rows: [], next: undefined }) };
    const drop = (name: string) => {
      characters -= kept.get(name)?.characters ?? 0;
      kept.delete(name);
    };
    entry.page = read(request, client).then(({ body, page }) => {
      if (kept.get(key) === entry) characters += entry.characters = body.length;
      for (const oldest of kept.keys()) if (characters > KEPT.characters) drop(oldest);
      return page;
    });
    entry.page.catch(() => drop(key));
    kept.set(key, entry);
    return entry.page;
  };
}
