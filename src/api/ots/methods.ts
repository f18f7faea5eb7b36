import { RequestError } from "../../core/errors.ts";
import { isHash, lowerHex } from "../../core/evm/hex.ts";
import { isQuantity, quantity } from "../../core/evm/quantity.ts";
import { isRecord } from "../../core/json/record.ts";
import { getBlock } from "../../store/blocks/blocks.ts";
import {
  answerAll,
  type Plan,
  type RpcFrame,
  type RpcHandler,
  type RpcOptions,
} from "../eth-rpc/handle.ts";
import { findLogs, MAXIMUM_LOGS } from "../eth-rpc/logs.ts";
import { indexMethods } from "../eth-rpc/methods.ts";
import type { IndexMethod, RpcOutcome } from "../eth-rpc/rpc.ts";
import { address, hash, tag, tagOrLatest } from "../explorer/modules/proxy/arguments.ts";
import { outcomeOf, type ProxyAction } from "../explorer/modules/proxy/define.ts";
import { indexMethods as fromIndex, ofBranch } from "../explorer/modules/proxy/index-methods.ts";
import { nodeMethods as fromNode } from "../explorer/modules/proxy/node-methods.ts";
import { jsonAnswer, jsonText } from "../http/answer.ts";
import { rpcErrorOf } from "../http/failures.ts";
import { withHead } from "../reading/snapshot.ts";
import {
  blockInHex,
  blockMethods,
  INVALID_PARAMETERS,
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
function clientVersion(version: string): IndexMethod {
  return method([0, 0], async () => `Periscope/${version}`);
}

// JSON-RPC 2.0 for Otterscan, whose errors are objects. Source: docs/wire.md, "Otterscan".

const MAXIMUM_BATCH = 100;
const INVALID_REQUEST = -32_600;
const UNKNOWN_METHOD = -32_601;
const INTERNAL = { code: -32_603, message: "Something went wrong." };
const SHOWN_NAME = 64;

/** Creates the handler of `/ots`. */
export function createOtsHandler({
  requestTimeoutMs,
  version,
}: Pick<RpcOptions, "requestTimeoutMs"> & { version: string }): RpcHandler {
  const offered = { ...methods, web3_clientVersion: clientVersion(version) };
  const frame: RpcFrame = { plan: (entry) => plan(entry, offered), failureOf };
  return async (body, chain, asker) => {
    const isBatch = Array.isArray(body);
    const entries: unknown[] = isBatch ? body : [body];
    if (entries.length === 0) return refuse("empty batch");
    if (entries.length > MAXIMUM_BATCH) return refuse(`batch of more than ${MAXIMUM_BATCH}`);
    const asked = entries.map((entry) =>
      isRecord(entry) && entry["id"] === undefined && !isCall(entry)
        ? { ...entry, id: null }
        : entry,
    );
    const { answers, block } = await answerAll(asked, chain, asker, requestTimeoutMs, frame);
    const wanted = answers.filter(
      (_, index) => !(isRecord(asked[index]) && asked[index]["id"] === undefined),
    );
    const [first] = wanted;
    if (!first) return { httpStatus: 204, contentType: "", body: "", block };
    return isBatch
      ? { ...jsonText(`[${wanted.map(({ text }) => text).join(",")}]`), block }
      : { ...jsonText(first.text), block, fault: first.fault };
  };
}

function failureOf(thrown: unknown): RpcOutcome {
  if (thrown instanceof RpcError) return { error: thrown.error, code: thrown.code };
  if (thrown instanceof RequestError && thrown.httpStatus === 400) {
    const { message, code } = thrown;
    return { error: { code: INVALID_PARAMETERS, message }, code };
  }
  return rpcErrorOf(thrown) ?? { error: INTERNAL, code: "internal" };
}

function refuse(message: string) {
  return jsonAnswer({ jsonrpc: "2.0", error: { code: INVALID_REQUEST, message }, id: null }, 200, {
    code: "bad-request",
  });
}

function isCall(entry: Record<string, unknown>): boolean {
  return entry["jsonrpc"] === "2.0" && typeof entry["method"] === "string";
}

function plan(entry: unknown, offered: Readonly<Record<string, IndexMethod>>): Plan {
  if (!isRecord(entry) || !isCall(entry)) return failed(INVALID_REQUEST, "invalid request");
  const { method: name, params = [] } = entry;
  const method = Object.hasOwn(offered, String(name)) ? offered[String(name)] : undefined;
  if (!method) {
    const shown = String(name).slice(0, SHOWN_NAME);
    return failed(UNKNOWN_METHOD, `the method ${shown} does not exist/is not available`);
  }
  if (!Array.isArray(params)) return failed(INVALID_PARAMETERS, "params are not a list");
  const [fewest, most] = method.parameters;
  const given = params.length;
  if (given < fewest)
    return failed(INVALID_PARAMETERS, `missing value for required argument ${given}`);
  return given > most
    ? failed(INVALID_PARAMETERS, `too many arguments, want at most ${most}`)
    : { kind: "index", method, parameters: params };
}

function failed(number: number, message: string): Plan {
  const code = number === INVALID_REQUEST ? "bad-request" : "unknown-action";
  const fault = number === INVALID_PARAMETERS ? "invalid-parameter" : code;
  return { kind: "answered", outcome: { error: { code: number, message }, code: fault } };
}
