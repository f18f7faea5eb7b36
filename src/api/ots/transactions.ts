import { frameOfCallTracer } from "../../chain/traces/frames.ts";
import type { CallFrame } from "../../chain/types.ts";
import type { Address } from "../../core/evm/address.ts";
import { quantity } from "../../core/evm/quantity.ts";
import type { Queryable } from "../../db/client.ts";
import { getCreationFacts } from "../../store/contracts/creations.ts";
import {
  findSentTransaction,
  listPlacesOfAddress,
  type TransactionPlace,
} from "../../store/lists/address-places.ts";
import { listInternalTransactionsOfTransaction } from "../../store/lists/internal-transactions.ts";
import type { BlockBounds, Order } from "../../store/lists/page.ts";
import { listTransactionsAt } from "../../store/lists/rpc-transactions.ts";
import { getTransaction } from "../../store/lists/transactions.ts";
import type { IndexMethod } from "../eth-rpc/rpc.ts";
import { askOnce } from "../explorer/forwarding.ts";
import { fetchRevertData } from "../explorer/from-node/transactions/reverts.ts";
import { address as addressAt, hash as hashAt } from "../explorer/modules/proxy/arguments.ts";
import { withHead } from "../reading/snapshot.ts";
import {
  hasCodeAt,
  LIMIT_EXCEEDED,
  method,
  numberOfBlock,
  parse,
  presentPairs,
  RpcError,
  unavailable,
  wholeNumber,
} from "./blocks.ts";

/** The app's number for each kind of operation. */
const OPERATIONS: Readonly<Record<string, number>> = {
  call: 0,
  selfdestruct: 1,
  suicide: 1,
  create: 2,
  create2: 3,
};
const MAXIMUM_OPERATIONS = 10_000;
const WITHOUT_VALUE = new Set(["staticcall", "delegatecall"]);
/** The receiver of a creation that left no contract: the app needs an address. */
const NO_CONTRACT: Address = "0x0000000000000000000000000000000000000000";
const METHOD_MISSING = -32_601;

/** The methods about transactions. */
export const transactionMethods: Readonly<Record<string, IndexMethod>> = {
  ots_searchTransactionsBefore: search("desc"),
  ots_searchTransactionsAfter: search("asc"),
  ots_getTransactionBySenderAndNonce: method([2, 2], async ({ read }, [sender, nonce]) => {
    const from = parse(addressAt(0, "address"), sender);
    const wanted = wholeNumber(nonce, 1);
    const sent = await read(async (sql, served) =>
      findSentTransaction(sql, from, wanted, (await served).number),
    );
    return sent?.hash ?? null;
  }),
  /** Null where no code stands now. */
  ots_getContractCreator: method([1, 1], async (context, [contract]) => {
    const address = parse(addressAt(0, "address"), contract);
    const { found: facts, head } = await withHead(context.read, (sql) =>
      getCreationFacts(sql, address),
    );
    if (!facts || !(await hasCodeAt(context, address, head))) return null;
    return { hash: facts.transactionHash, creator: facts.creator };
  }),
  /** Frames below the transaction's own that last, and move value, create or destroy. */
  ots_getInternalOperations: method([1, 1], async ({ read }, [transaction]) => {
    const hash = parse(hashAt(0), transaction);
    const page = { limit: MAXIMUM_OPERATIONS + 1, skip: 0 };
    const filter = { includeZeroValue: false };
    const { found, entries } = await read(async (sql) => ({
      found: await getTransaction(sql, hash),
      entries: await listInternalTransactionsOfTransaction(sql, hash, filter, "asc", page),
    }));
    if (found && !found.traced) throw unavailable("traces are not available");
    if (entries.length > MAXIMUM_OPERATIONS) {
      throw unavailable(`more than ${MAXIMUM_OPERATIONS} operations`, LIMIT_EXCEEDED);
    }
    return entries
      .filter(({ effective, position }) => effective && position > 0)
      .map(({ type, from, to, createdContract, value }) => ({
        type: OPERATIONS[type],
        from,
        to: createdContract ?? to,
        value: quantity(value),
      }));
  }),
  /** The data of a revert. */
  ots_getTransactionError: method([1, 1], async (context, [transaction]) => {
    const hash = parse(hashAt(0), transaction);
    const found = await context.read((sql) => getTransaction(sql, hash));
    if (found?.succeeded !== false) return "0x";
    if (found.revertData !== null || found.traced) return found.revertData ?? "0x";
    return (await fetchRevertData(context, found)) ?? "0x";
  }),
  /** The frames, depth first. */
  ots_traceTransaction: method([1, 1], async (context, [transaction]) => {
    const hash = parse(hashAt(0), transaction);
    if (!(await context.read((sql) => getTransaction(sql, hash)))) return null;
    const options = { tracer: "callTracer" };
    const trace = await askOnce(context.chain, "debug_traceTransaction", hash, options);
    if (trace === undefined) throw unavailable("traces are not available");
    return entriesOf(frameOfCallTracer(trace), 0);
  }),
  trace_replayTransaction: method([2, 2], async (context, params) => {
    const name = "trace_replayTransaction";
    const answer = await context.forward({ method: name, params });
    if ("result" in answer) return answer.result;
    if (answer.error.code !== METHOD_MISSING) throw new RpcError(answer.error, answer.code);
    throw unavailable(`the method ${name} does not exist/is not available`, METHOD_MISSING);
  }),
};

function entriesOf(
  { type, from, to, value, input, output, calls }: CallFrame,
  depth: number,
): object[] {
  const entry = {
    type: type === "suicide" ? "SELFDESTRUCT" : type.toUpperCase(),
    depth,
    from,
    to: to ?? NO_CONTRACT,
    value: WITHOUT_VALUE.has(type) ? null : (value ?? "0x0"),
    input,
    output: output ?? "0x",
  };
  return [entry, ...calls.flatMap((call) => entriesOf(call, depth + 1))];
}

const MAXIMUM_SIZE = 1000;
const MAXIMUM_OF_BLOCK = 10_000;

/** Declares a search that goes from the block in the order of blocks; block 0 means from the end of the chain. */
function search(order: Order) {
  return method([3, 3], async (context, [subject, from, size]) => {
    const address = parse(addressAt(0, "address"), subject);
    const blockAt = await numberOfBlock(context, from, 1);
    const count = wholeNumber(size, 2, [1, MAXIMUM_SIZE]);
    const { rows, ...ends } = await context.read(async (sql, served) => {
      const edge = blockAt((await served).number);
      const bounds = edge === 0 ? {} : order === "asc" ? { from: edge + 1 } : { to: edge - 1 };
      const places = await listPlacesOfAddress(sql, address, bounds, order, count);
      const last = places.at(-1)?.blockNumber;
      const matches = places.filter(({ blockNumber }) => blockNumber === last).length;
      if (matches > MAXIMUM_OF_BLOCK) {
        const message = `more than ${MAXIMUM_OF_BLOCK} matches in block ${last}`;
        throw unavailable(message, LIMIT_EXCEEDED);
      }
      if (order === "asc") places.reverse();
      const rows = await listTransactionsAt(sql, places);
      return { rows, ...(await findEnds(sql, address, places, bounds)) };
    });
    const { transactions, receipts } = presentPairs(context, rows);
    return { txs: transactions, receipts, ...ends };
  });
}

/** Returns whether no match is newer than the places (newest first), and whether none is older; without places, than the bounds. */
async function findEnds(
  sql: Queryable,
  address: Address,
  places: readonly TransactionPlace[],
  { from = 0, to = Number.MAX_SAFE_INTEGER - 1 }: BlockBounds,
): Promise<{ firstPage: boolean; lastPage: boolean }> {
  const isNone = async (blocks: BlockBounds) =>
    (await listPlacesOfAddress(sql, address, blocks, "asc", 1)).length === 0;
  const [newest, oldest] = [places[0]?.blockNumber ?? to, places.at(-1)?.blockNumber ?? from];
  return {
    firstPage: await isNone({ from: newest + 1 }),
    lastPage: await isNone({ to: oldest - 1 }),
  };
}
