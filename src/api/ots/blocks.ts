import type { z } from "zod";
import type { RpcErrorObject } from "../../chain/errors/codes.ts";
import { type ErrorCode, RequestError } from "../../core/errors.ts";
import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { quantity } from "../../core/evm/quantity.ts";
import { type BlockEntry, getBlock, getDepositGas } from "../../store/blocks/blocks.ts";
import { listUnclesOfBlock } from "../../store/blocks/uncles.ts";
import {
  listTransactionsAt,
  type TransactionWithReceipt,
} from "../../store/lists/rpc-transactions.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import type { IndexMethod, RpcContext } from "../eth-rpc/rpc.ts";
import { presentReceipt, presentTransaction } from "../eth-rpc/transactions.ts";
import type { Outcome } from "../explorer/envelope.ts";
import { address as addressAt, hash, tag } from "../explorer/modules/proxy/arguments.ts";
import { findNumber, indexMethods, ofBranch } from "../explorer/modules/proxy/index-methods.ts";
import { inclusionReward, uncleReward } from "../explorer/present/block.ts";

export const INVALID_PARAMETERS = -32_602;
/** EIP-1474. */
export const LIMIT_EXCEEDED = -32_005;
const SERVER_ERROR = -32_000;

/** An answer that is an error object. */
export class RpcError extends RequestError {
  readonly error: RpcErrorObject;

  constructor(error: RpcErrorObject, code: ErrorCode) {
    super(200, code, error.message);
    this.error = error;
  }
}

/** Returns the result of an outcome. Throws `RpcError`. */
export function resultOf<Result>(outcome: Outcome<Result>): Result {
  if (outcome.kind === "ok") return outcome.result;
  if (outcome.kind === "rpc-error") throw new RpcError(outcome.error, outcome.code);
  throw invalid(outcome.kind === "failed" ? outcome.text : "unexpected answer");
}

function invalid(message: string): RpcError {
  const isAbsent = message.startsWith("missing");
  const code = isAbsent ? "missing-parameter" : "invalid-parameter";
  return new RpcError({ code: INVALID_PARAMETERS, message }, code);
}

/** Returns the error for a request that cannot be answered now. */
export function unavailable(
  message: string,
  number = SERVER_ERROR,
  code: ErrorCode = number === LIMIT_EXCEEDED ? "too-large" : "unsupported",
): RpcError {
  return new RpcError({ code: number, message }, code);
}

/** Parses a value. Throws `RpcError`. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues[0]?.message ?? "invalid argument");
}

/** Returns a block's number in hex where it is a JSON number or decimal text, else the value itself. */
export function blockInHex(value: unknown): unknown {
  const isNumber = Number.isSafeInteger(value) && Number(value) >= 0;
  return isNumber || (typeof value === "string" && /^\d{1,78}$/.test(value))
    ? quantity(value as number | string)
    : value;
}

/** Returns a block's number at a served head. */
export async function numberOfBlock(
  context: RpcContext,
  value: unknown,
  place: number,
): Promise<(head: number) => number> {
  const block = parse(tag(place), blockInHex(value));
  return resultOf(await findNumber(context, block === "pending" ? "latest" : block));
}

/** Parses a number of at least `least` and at most `most`. */
export function wholeNumber(
  value: unknown,
  place: number,
  [least, most]: readonly [number, number] = [0, Number.MAX_SAFE_INTEGER],
): number {
  const text = typeof value === "string" && /^(?:0x[0-9a-fA-F]{1,14}|\d{1,16})$/.test(value);
  const number = text || typeof value === "number" ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
  throw invalid(`invalid argument ${place}: not a number from ${least} to ${most}`);
}

/** Declares a method by the number of its parameters; without an answer's frame. */
export function method(
  parameters: IndexMethod["parameters"],
  find: (context: RpcContext, parameters: readonly unknown[]) => Promise<unknown>,
): IndexMethod {
  return {
    parameters,
    answer: async (context, given) => ({ result: await find(context, given) }),
  };
}

const SELECTOR_CHARACTERS = 10;
const MAXIMUM_SIZE = 1000;

/** The methods about a block. */
export const blockMethods: Readonly<Record<string, IndexMethod>> = {
  erigon_getHeaderByNumber: method([1, 1], async (context, [block]) => {
    const { params, handle } = indexMethods.eth_getBlockByNumber;
    const found = resultOf(await handle(context, parse(params, { tag: blockInHex(block) })));
    return found && headerOf(found);
  }),
  ots_hasCode: method([2, 2], async (context, [account, block]) => {
    const address = parse(addressAt(0, "address"), account);
    const numberAt = await numberOfBlock(context, block, 1);
    const at = await context.read(async (sql, served) => {
      const head = await served;
      const number = numberAt(head.number);
      if (number === head.number) return head;
      return number > head.number ? null : ((await getBlock(sql, { number })) ?? null);
    });
    return at && hasCodeAt(context, address, at);
  }),
  ots_getBlockDetails: method([1, 1], async (context, [block]) => {
    const numberAt = await numberOfBlock(context, block, 0);
    return findDetails(context, (head) => ({ number: numberAt(head.number) }));
  }),
  ots_getBlockDetailsByHash: method([1, 1], async (context, [block]) => {
    const wanted = parse(hash(0), block);
    return findDetails(context, () => ({ hash: wanted }));
  }),
  /** Page 0 has the last transactions of the block. */
  ots_getBlockTransactions: method([3, 3], async (context, [block, page, size]) => {
    const numberAt = await numberOfBlock(context, block, 0);
    const skipped = wholeNumber(page, 1);
    const limit = wholeNumber(size, 2, [1, MAXIMUM_SIZE]);
    const found = await context.read(async (sql, served) => {
      const block = await getBlock(sql, { number: numberAt((await served).number) });
      if (!block) return undefined;
      const end = Math.max(block.transactionCount - skipped * limit, 0);
      const start = Math.max(end - limit, 0);
      const places = Array.from({ length: end - start }, (_, index) => ({
        blockNumber: block.number,
        transactionIndex: start + index,
      }));
      return { block, rows: await listTransactionsAt(sql, places) };
    });
    if (!found) return null;
    const { transactions, receipts } = presentPairs(context, found.rows);
    return {
      fullblock: {
        ...(await fetchHeader(context, found.block)),
        transactionCount: found.block.transactionCount,
        transactions: transactions.map((transaction) => ({
          ...transaction,
          input: transaction.input.slice(0, SELECTOR_CHARACTERS),
        })),
      },
      receipts,
    };
  }),
};

/** Presents transactions, and their receipts without logs. */
export function presentPairs({ chainId }: RpcContext, rows: readonly TransactionWithReceipt[]) {
  return {
    transactions: rows.map((row) => presentTransaction(row, chainId())),
    receipts: rows.map((row) => ({
      ...presentReceipt({ ...row, logs: [] }),
      logs: null,
      logsBloom: null,
      timestamp: quantity(row.timestampSeconds),
    })),
  };
}

async function findDetails(
  context: RpcContext,
  which: (head: ServedHead) => { number: number } | { hash: Hex },
) {
  const { staticReward } = context;
  const found = await context.read(async (sql, served) => {
    const block = await getBlock(sql, which(await served));
    if (!block) return undefined;
    const uncles = await listUnclesOfBlock(sql, block.number);
    return { block, uncles, depositGas: await getDepositGas(sql, block.number) };
  });
  if (!found) return null;
  const { block, uncles, depositGas } = found;
  const blockReward = staticReward + inclusionReward(uncles.length, staticReward);
  const uncleRewards = uncles.reduce((sum, uncle) => sum + uncleReward(uncle, staticReward), 0n);
  return {
    block: {
      ...(await fetchHeader(context, block)),
      logsBloom: null,
      transactionCount: block.transactionCount,
    },
    issuance: {
      blockReward: quantity(blockReward),
      uncleReward: quantity(uncleRewards),
      issuance: quantity(blockReward + uncleRewards),
    },
    totalFees: quantity(block.fees),
    ...(depositGas !== null && { gasUsedDepositTx: quantity(depositGas) }),
  };
}

async function fetchHeader(context: RpcContext, { hash }: Pick<BlockEntry, "hash">) {
  const block = resultOf(
    await ofBranch(context, { method: "eth_getBlockByHash", params: [hash, false] }),
  );
  return block && headerOf(block);
}

function headerOf({ transactions: _, ...header }: Record<string, unknown>) {
  return header;
}

/** Returns whether an address has code after a block. */
export async function hasCodeAt(
  { chain }: RpcContext,
  address: Address,
  block: { number: number; hash: Hex },
): Promise<boolean> {
  const [code] = await chain.fetchCodes([address], block);
  return code !== undefined && code !== "0x";
}
