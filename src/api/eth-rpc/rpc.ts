import type { ErrorCode, Fault } from "../../core/errors.ts";
import { isAddress } from "../../core/evm/address.ts";
import { isHash, isHexData } from "../../core/evm/hex.ts";
import type { Reading } from "../explorer/action.ts";
import type { Forward } from "../explorer/forwarding.ts";

/** Answer of one JSON-RPC entry, without its envelope. Our own errors are bare texts, as in the reference. */
export type RpcOutcome = { result: unknown } | ({ error: unknown } & Fault);

/** Dependencies of a method. */
export interface RpcContext extends Reading {
  forward: Forward;
}

/** Tags that only the node can resolve. */
export type NodeTag = "safe" | "finalized";

/** A method answered by the index. */
export interface IndexMethod {
  /** Fewest and most parameters. */
  parameters: readonly [number, number];
  /** Answered also during the first synchronisation. */
  servedWhileLoading?: boolean;
  answer(context: RpcContext, parameters: readonly unknown[]): Promise<RpcOutcome>;
}

/** Returns `error` with the wire's text. */
export function rpcFailure(code: ErrorCode, text: string, parameter?: string): RpcOutcome {
  return { error: text, code, parameter };
}

/** A method answered by the node, after checks of its parameters. */
export interface ForwardedMethod {
  /** Fewest and most parameters. */
  parameters: readonly [number, number];
  /** One check per parameter, in order; each returns the fault, or undefined. The last one may be absent: a block. */
  checks: readonly Check[];
}

type Check = (parameter: unknown) => string | undefined;

/** JSON-RPC's block names. */
export const BLOCK_NAMES = ["latest", "earliest", "pending", "safe", "finalized"] as const;
const BLOCK_TAGS = new Set<unknown>(BLOCK_NAMES);
const QUANTITIES = ["gas", "gasPrice", "value"];
const DATA = ["input", "data"];

function createCheck(passes: (parameter: unknown) => boolean, text: string): Check {
  return (parameter) => (passes(parameter) ? undefined : text);
}

const address = createCheck(isAddress, "Invalid address");
const hash = createCheck(isHash, "Invalid hash");
const integer = createCheck(isInteger, "Invalid integer");
const boolean = createCheck((parameter) => typeof parameter === "boolean", "Invalid bool");
const data = createCheck(isHexData, "Invalid hex data");
const block = createCheck(isBlock, "Invalid block number");

/** The forwarded methods, with their checks. Source: docs/wire.md, "Methods". */
export const forwardedMethods: Readonly<Record<string, ForwardedMethod>> = {
  eth_getTransactionCount: { parameters: [1, 2], checks: [address, block] },
  eth_getCode: { parameters: [1, 2], checks: [address, block] },
  eth_getStorageAt: { parameters: [2, 3], checks: [address, integer, block] },
  // The node checks the third parameter, state overrides.
  eth_estimateGas: { parameters: [1, 3], checks: [call, block] },
  eth_call: { parameters: [1, 3], checks: [call, block] },
  eth_getBlockByNumber: { parameters: [2, 2], checks: [block, boolean] },
  eth_getBlockByHash: { parameters: [2, 2], checks: [hash, boolean] },
  eth_sendRawTransaction: { parameters: [1, 1], checks: [data] },
};

/** Returns the fault of the first invalid parameter; undefined when all pass. */
export function checkForwarded(
  { checks }: ForwardedMethod,
  parameters: readonly unknown[],
): string | undefined {
  for (const [index, check] of checks.entries()) {
    const complaint = index < parameters.length ? check(parameters[index]) : undefined;
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

/** Adds `latest` where the last parameter, a block, is absent. */
export function withDefaultBlock({ checks }: ForwardedMethod, parameters: readonly unknown[]) {
  return parameters.length < checks.length ? [...parameters, "latest"] : parameters;
}

function isInteger(parameter: unknown): boolean {
  return typeof parameter === "string" && /^0x[0-9a-fA-F]*$/.test(parameter);
}

function isBlock(parameter: unknown): boolean {
  if (BLOCK_TAGS.has(parameter) || isInteger(parameter)) return true;
  if (typeof parameter !== "object" || parameter === null) return false;
  // EIP-1898
  if ("blockHash" in parameter) return isHash(parameter.blockHash);
  return "blockNumber" in parameter && isInteger(parameter.blockNumber);
}

function call(parameter: unknown): string | undefined {
  if (typeof parameter !== "object" || parameter === null) return "Missed `to` address";
  const fields = parameter as Record<string, unknown>;
  const isCreation = DATA.some((name) => fields[name] !== undefined);
  if (isAbsent(fields["to"])) {
    if (!isCreation) return "Missed `to` address";
  } else if (!isAddress(fields["to"])) {
    return "Invalid `to` address";
  }
  if (!isAbsent(fields["from"]) && !isAddress(fields["from"])) return "Invalid `from` address";
  const quantity = QUANTITIES.find((name) => !isAbsent(fields[name]) && !isInteger(fields[name]));
  if (quantity) return `Invalid \`${quantity}\` quantity`;
  const bytes = DATA.find((name) => !isAbsent(fields[name]) && !isHexData(fields[name]));
  return bytes && `Invalid \`${bytes}\` data`;
}

function isAbsent(field: unknown): boolean {
  return field === undefined || field === null;
}
