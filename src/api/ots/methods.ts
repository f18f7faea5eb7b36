import { isHash, lowerHex } from "../../core/evm/hex.ts";
import { isQuantity, quantity } from "../../core/evm/quantity.ts";
import { isRecord } from "../../core/json/record.ts";
import { getBlock } from "../../store/blocks/blocks.ts";
import { findLogs, MAXIMUM_LOGS } from "../eth-rpc/logs.ts";
import { indexMethods } from "../eth-rpc/methods.ts";
import type { IndexMethod, RpcOutcome } from "../eth-rpc/rpc.ts";
import { address, hash, tag, tagOrLatest } from "../explorer/modules/proxy/arguments.ts";
import { outcomeOf, type ProxyAction } from "../explorer/modules/proxy/define.ts";
import { indexMethods as fromIndex, ofBranch } from "../explorer/modules/proxy/index-methods.ts";
import { nodeMethods as fromNode } from "../explorer/modules/proxy/node-methods.ts";
import { withHead } from "../reading/snapshot.ts";
import {
  blockInHex,
  blockMethods,
  LIMIT_EXCEEDED,
  method,
  numberOfBlock,
  parse,
  RpcError,
  resultOf,
  unavailable,
} from "./blocks.ts";
import { transactionMethods } from "./transactions.ts";

// A node's methods, as module proxy has them, by their positional parameters.

const ofProxy = { ...fromIndex, ...fromNode };
/** Methods whose parameters have the order of the action's. */
const SAME = [
  "eth_blockNumber",
  "eth_getBlockByNumber",
  "eth_getTransactionByHash",
  "eth_getTransactionReceipt",
  "eth_getCode",
  "eth_getTransactionCount",
  "eth_getStorageAt",
  "eth_gasPrice",
  "eth_maxPriorityFeePerGas",
  "eth_sendRawTransaction",
] as const;

/** A node's methods, which the app calls besides its own. */
const nodeMethods: Readonly<Record<string, IndexMethod>> = {
  net_version: method([0, 0], async ({ chainId }) => String(chainId())),
  eth_chainId: method([0, 0], async ({ chainId }) => quantity(chainId())),
  eth_syncing: method([0, 0], async () => false),
  eth_getBalance: method([1, 2], async (context, [account, block]) => {
    const wanted = [
      parse(address(0, "address"), account),
      parse(tagOrLatest(1), blockInHex(block)),
    ];
    return unwrap(await indexMethods["eth_getBalance"]?.answer(context, wanted));
  }),
  eth_getLogs: method([1, 1], async (context, [filter]) => {
    const fields = Object.entries(isRecord(filter) ? filter : {}).map(([name, value]) => [
      name,
      /^(?:from|to)block$/i.test(name) ? blockInHex(value) : value,
    ]);
    const logs = unwrap(await findLogs(context, Object.fromEntries(fields), MAXIMUM_LOGS + 1));
    if (Array.isArray(logs) && logs.length > MAXIMUM_LOGS) {
      throw unavailable(`more than ${MAXIMUM_LOGS} logs, narrow the range`, LIMIT_EXCEEDED);
    }
    return logs;
  }),
  eth_getBlockByHash: method([1, 2], async (context, [block, isWhole = false]) => {
    const wanted = parse(hash(0), block);
    const call = { method: "eth_getBlockByHash", params: [wanted, isWhole === true] };
    const { found, head } = await withHead(context.read, (sql) => getBlock(sql, { hash: wanted }));
    if (found) return resultOf(await ofBranch(context, call));
    const other = resultOf(outcomeOf<Record<string, unknown> | null>(await context.forward(call)));
    return isQuantity(other?.["number"]) && Number(other["number"]) < head.startBlock
      ? other
      : null;
  }),
  eth_getBlockReceipts: method([1, 1], async (context, [block]) => {
    const numberAt = isHash(block) ? Number : await numberOfBlock(context, block, 0);
    const found = await context.read(async (sql, served) =>
      getBlock(
        sql,
        isHash(block) ? { hash: lowerHex(block) } : { number: numberAt((await served).number) },
      ),
    );
    if (!found) return null;
    const call = { method: "eth_getBlockReceipts", params: [found.hash] };
    return resultOf(await ofBranch(context, call));
  }),
  eth_feeHistory: method([2, 3], async (context, [count, newest, percentiles]) => {
    const params = [blockInHex(count), parse(tag(1), blockInHex(newest)), percentiles ?? []];
    return resultOf(outcomeOf(await context.forward({ method: "eth_feeHistory", params })));
  }),
  eth_call: ofAction(ofProxy.eth_call, 2, ([call, block]) => ({ ...fieldsOf(call), tag: block })),
  eth_estimateGas: ofAction(ofProxy.eth_estimateGas, 2, ([call, block]) => ({
    ...fieldsOf(call),
    tag: block,
  })),
  ...Object.fromEntries(SAME.map((name) => [name, ofNamed(ofProxy[name])])),
};

/** Declares the method of an action; `name` returns its parameters by name. */
function ofAction(
  action: ProxyAction,
  most: number,
  name: (given: readonly unknown[]) => Record<string, unknown>,
): IndexMethod {
  return {
    ...method([0, most], async (context, given) => {
      const { tag: block, ...rest } = name(given.map((value) => value ?? undefined));
      const input = parse(action.params, { ...rest, tag: blockInHex(block) });
      return resultOf(await action.handle(context, input));
    }),
    servedWhileLoading: action.servedWhileLoading ?? false,
  };
}

function ofNamed(action: ProxyAction): IndexMethod {
  const names = Object.keys(action.params.shape);
  return ofAction(action, names.length, (given) =>
    Object.fromEntries(
      names.map((name, place) => {
        const value = given[place];
        return [name, typeof value === "boolean" ? String(value) : value];
      }),
    ),
  );
}

function fieldsOf(call: unknown): Record<string, unknown> {
  const fields = Object.entries(isRecord(call) ? call : {});
  return Object.fromEntries(fields.filter(([, value]) => value !== null));
}

function unwrap(outcome: RpcOutcome | undefined): unknown {
  if (!outcome || "result" in outcome) return outcome?.result;
  const { error, code } = outcome;
  if (typeof error !== "object") throw unavailable(String(error), undefined, code);
  throw new RpcError(error as RpcError["error"], code);
}

/** The level of Otterscan's API; the app refuses a lower one. */
const API_LEVEL = 8;

/** The methods of `/ots`, without the one that names the server's version. */
export const methods: Readonly<Record<string, IndexMethod>> = {
  ots_getApiLevel: method([0, 0], async () => API_LEVEL),
  ...blockMethods,
  ...transactionMethods,
  ...nodeMethods,
};

/** Declares the method that names the server's version. */
export function clientVersion(version: string): IndexMethod {
  return method([0, 0], async () => `Periscope/${version}`);
}
