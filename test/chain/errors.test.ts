import { describe, expect, test } from "vitest";
import {
  errorOfAnswer,
  errorOfRefusedBatch,
  errorOfStatus,
  parseRetryAfter,
} from "../../src/chain/errors.ts";

// Words of real nodes: geth, reth, erigon, Nethermind, Besu, anvil, Hardhat and hosted ones.
const ANSWERS: readonly [code: number, message: string, expected: string][] = [
  [3, "execution reverted: state is not available", "reverted"],
  [-32000, "execution reverted", "reverted"],
  [-32015, "VM execution error.", "reverted"],
  [-32603, "EVM error InvalidFEOpcode", "reverted"],
  [
    -32603,
    "Error: VM Exception while processing transaction: reverted with reason string 'a'",
    "reverted",
  ],
  [-32603, "Error: Transaction reverted without a reason string", "reverted"],
  [-32000, "out of gas", "reverted"],
  [-32000, "execution aborted (timeout = 5s)", "reverted"],
  [-32000, "stack underflow (0 <=> 1)", "reverted"],
  [-32000, "missing trie node 1a2b (path ) state 0x1 is not available", "state-unavailable"],
  [-32000, "required historical state unavailable (reexec=128)", "state-unavailable"],
  [-32002, "No state available for block 0x1", "state-unavailable"],
  [-32000, "World state unavailable", "state-unavailable"],
  [-32000, "state at block #5 is pruned", "state-unavailable"],
  [4444, "pruned history unavailable", "state-unavailable"],
  [-32000, "header not found", "block-unknown"],
  [-32000, "unknown block", "block-unknown"],
  [-32001, "Resource not found", "block-unknown"],
  [-32602, "BlockOutOfRangeError: block height is 2 but requested was 153", "block-unknown"],
  [-32602, "BlockOutOfRangeError: block height is 156 but requested was 83", "state-unavailable"],
  [-32000, "Received invalid block tag 153. Latest block number is 5", "block-unknown"],
  [-32000, "hash 0xab is not currently canonical", "block-replaced"],
  [-32601, "the method trace_block does not exist/is not available", "method-missing"],
  [-32000, "unsupported method: debug_traceBlockByHash", "method-missing"],
  [-32004, "Method trace_block is not supported", "method-missing"],
  [-32602, "invalid argument 0: hex string without 0x prefix", "invalid-request"],
  [-32003, "response too large", "response-too-large"],
  [-32008, "Response is too big", "response-too-large"],
  [-32600, "batch too large", "batch-too-large"],
  [-32010, "The batch request was too large", "batch-too-large"],
  [-32005, "Batches are not supported by this server", "batch-too-large"],
  [-32005, "daily request count exceeded, request rate limited", "rate-limited"],
  [429, "Your app has exceeded its compute units per second capacity.", "rate-limited"],
  [-32016, "over rate limit", "rate-limited"],
  [-32002, "request timed out", "timeout"],
  [-32603, "Internal error", "node-error"],
  [-32000, "something new", "node-error"],
];

describe("error of a JSON-RPC error object", () => {
  test.each(ANSWERS)("%i %s is %s", (code, message, expected) => {
    expect(errorOfAnswer("node method", { code, message }).code).toBe(expected);
  });

  test("keeps what the node answered and quotes no more than the beginning of its words", () => {
    const answer = { code: -32000, message: "x".repeat(5000), data: "0x" };
    const error = errorOfAnswer("node eth_call", answer);
    expect(error.answer).toEqual(answer);
    expect(error.message.length).toBeLessThan(300);
    expect(error.message).toMatch(/^node eth_call: x+ \(-32000\)$/);
  });

  test("may be tried again only where the same call can succeed later", () => {
    const retryable = (message: string) => errorOfAnswer("", { code: -32000, message }).retryable;
    expect(retryable("header not found")).toBe(true);
    expect(retryable("too many requests")).toBe(true);
    expect(retryable("execution reverted")).toBe(false);
    expect(retryable("missing trie node")).toBe(false);
  });
});

describe("error of a batch that was refused as a whole", () => {
  test("asks for smaller batches whatever the node has against it", () => {
    const error = errorOfRefusedBatch("node batch", { code: -32600, message: "Invalid Request" });
    expect(error.code).toBe("batch-too-large");
  });

  test("asks for patience when the node only wants to be left alone", () => {
    const error = errorOfRefusedBatch("node batch", { code: 429, message: "Too Many Requests" });
    expect(error.code).toBe("rate-limited");
  });
});

describe("error of an HTTP status", () => {
  test.each([
    [401, "unauthorized"],
    [403, "unauthorized"],
    [408, "timeout"],
    [413, "batch-too-large"],
    [429, "rate-limited"],
    [502, "unavailable"],
    [503, "unavailable"],
    [504, "timeout"],
  ])("%i is %s", (status, expected) => {
    expect(errorOfStatus("node", status, undefined)?.code).toBe(expected);
  });

  test.each([200, 400, 404, 500])("%i leaves it to the body", (status) => {
    expect(errorOfStatus("node", status, undefined)).toBeUndefined();
  });

  test("carries the Retry-After of a 429", () => {
    expect(errorOfStatus("node", 429, "2")?.retryAfterMs).toBe(2000);
  });
});

describe("Retry-After", () => {
  test("is seconds or a date, never longer than half a minute, and 0 when it is neither", () => {
    expect(parseRetryAfter("3")).toBe(3000);
    expect(parseRetryAfter("86400")).toBe(30_000);
    expect(parseRetryAfter(new Date(Date.now() + 3_600_000).toUTCString())).toBe(30_000);
    expect(parseRetryAfter("Thu, 01 Jan 1970 00:00:00 GMT")).toBe(0);
    expect(parseRetryAfter("soon")).toBe(0);
    expect(parseRetryAfter(undefined)).toBe(0);
  });
});
