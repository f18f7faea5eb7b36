import { hash } from "node:crypto";
import type { BlockReference } from "../../chain/questions.ts";
import { RequestError } from "../../core/errors.ts";
import type { Address } from "../../core/evm/address.ts";
import type { Queryable } from "../../db/client.ts";
import { getBlockReference } from "../../store/blocks/blocks.ts";
import { asOfBlock } from "../../store/cluster/distributed-reads.ts";
import type { PageKey, PageRange } from "../../store/lists/large-pages.ts";
import { getLastTransferBlock } from "../../store/lists/token-transfers.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import { INVALID_CURSOR } from "../http/failures.ts";
import type { Read } from "../reading/snapshot.ts";
import type { Action } from "./action.ts";
import { type Dialect, failed } from "./envelope.ts";

// Reads whole lists by cursors, which keep no state here. Source: docs/wire.md, "Whole lists".

const START = "start";
const MAXIMUM_LENGTH = 256;
const OTHER_REQUEST = "The cursor belongs to another request";
const WITH_PAGE = "page and cursor cannot be combined";
const REORGANISED = "The chain was reorganised below this cursor, please begin again";
const CHANGED = "The list has changed since this cursor, please begin again, or take it as a file";

/** Begins or continues the walk of a request, in pages of `limit` rows; returns its page. Undefined if it has no cursor and asks for no file. */
export function readWalk(
  action: Action,
  dialect: Dialect,
  input: Readonly<Record<string, unknown>>,
  limit: number,
) {
  const { cursor, page, offset: _offset, format, ...others } = input;
  // With `blockno` a list of holdings does not change with the head.
  const kind = others["blockno"] === undefined ? action.cursor : "history";
  const isFile = format !== undefined && format !== "json";
  if (action.cursor === undefined || !kind || (cursor === undefined && !isFile)) return undefined;
  const request = short(JSON.stringify([action.name, dialect, others]), 8);
  const isFirst = cursor === undefined || cursor === START;
  const known = isFirst ? undefined : parse(String(cursor));
  if (!isFirst && !known) return failed("invalid-cursor", INVALID_CURSOR);
  if (page !== undefined && page !== 1)
    return failed("invalid-parameter", WITH_PAGE, { parameter: "page" });
  if (known && known.request !== request) return failed("invalid-cursor", OTHER_REQUEST);
  const isOfBlocks = kind === "history" || kind === "members";
  const last = others["endblock"] ?? others["toBlock"] ?? others["blockno"];
  let pinned: { head: ServedHead; block: BlockReference | undefined } | undefined;

  async function pin(sql: Queryable, head: ServedHead): Promise<BlockReference | undefined> {
    const end = known
      ? Number(/^\d{1,15}(?=-)/.exec(known.pin)?.[0] ?? -1)
      : typeof last === "number"
        ? last
        : head.number;
    const block = isOfBlocks
      ? await getBlockReference(sql, Math.min(end, head.number))
      : await findLastChange(sql, kind, others);
    const isSameIndex = !known || known.index === indexOf(head);
    if (!isSameIndex || (isOfBlocks && known && known.pin !== toPin(block))) {
      throw new RequestError(409, "stale-cursor", REORGANISED);
    }
    if (known && known.pin !== toPin(block)) throw new RequestError(409, "stale-cursor", CHANGED);
    pinned = { head, block };
    return block;
  }

  return {
    page: { limit: limit + 1, skip: 0, after: known?.key ?? [] } satisfies PageRange,
    /** Reads at the pinned block. Throws `RequestError` when it was rolled back. */
    pin:
      (read: Read): Read =>
      (query, extent) =>
        read(async (sql, served) => {
          const head = await served;
          const block = await pin(sql, head);
          if (!isOfBlocks) return query(sql, served);
          const shown = kind === "history" && block ? { ...head, ...block } : head;
          return query(asOfBlock(sql, block?.number ?? -1), Promise.resolve(shown));
        }, extent && "statements of one head"),
    /** Returns the cursor of the page after a key. */
    next: (key: PageKey) => {
      if (!pinned) throw new TypeError("a page without a read has no next one");
      const parts = [request, indexOf(pinned.head), toPin(pinned.block), ...key];
      return Buffer.from(parts.join(".")).toString("base64url");
    },
    /** Returns the answer's block, unless it is the served head. */
    block: () => (kind === "history" ? pinned?.block : undefined),
  };
}

/** Returns the newest block with a change of a list's holdings. */
async function findLastChange(
  sql: Queryable,
  of: Action["cursor"],
  { contractaddress, address }: Readonly<Record<string, unknown>>,
) {
  const isOfToken = of === "token";
  const whose = isOfToken ? { token: contractaddress as Address } : { owner: address as Address };
  const number = await getLastTransferBlock(sql, whose);
  return number === undefined ? undefined : getBlockReference(sql, number);
}

/** Returns a block's number and the beginning of its hash. */
function toPin(block: BlockReference | undefined): string {
  return block ? `${block.number}-${short(block.hash, 22)}` : "";
}

function indexOf({ indexId }: ServedHead): string {
  return short(indexId, 6);
}

/** Returns the hashes of its request and its index, the block that its walk is pinned to (see `toPin`), and its key. */
function parse(text: string) {
  const bytes = Buffer.from(text, "base64url");
  if (text.length > MAXIMUM_LENGTH || bytes.toString("base64url") !== text) return undefined;
  const [request = "", index = "", pin = "", ...key] = bytes.toString().split(".");
  return key.length > 0 ? { request, index, pin, key } : undefined;
}

function short(text: string, length: number): string {
  return hash("sha256", text, "base64url").slice(0, length);
}
