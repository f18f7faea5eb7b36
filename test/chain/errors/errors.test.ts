import { describe, expect, test } from "vitest";
import {
  errorOfAnswer,
  errorOfBatch,
  errorOfStatus,
  errorOfTransport,
  parseRetryAfter,
} from "../../../src/chain/errors/errors.ts";

describe("error of a JSON-RPC error object", () => {
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
    const error = errorOfBatch("node batch", { code: -32600, message: "Invalid Request" });
    expect(error.code).toBe("batch-too-large");
  });

  test.each([
    ["rate-limited", "Too Many Requests"],
    ["timeout", "request timed out"],
    ["unavailable", "no backends available"],
    ["unauthorized", "invalid api key"],
    ["response-too-large", "The batch response was too large"],
  ])("asks for no smaller one when the node is %s", (code, message) => {
    expect(errorOfBatch("node batch", { code: -32_000, message }).code).toBe(code);
  });
});

describe("error of an HTTP status", () => {
  test("is that the node is unavailable where nothing else is known of it", () => {
    expect(errorOfStatus("node", { status: 404 }).code).toBe("unavailable");
    expect(errorOfStatus("node", { status: 521 }).code).toBe("unavailable");
  });

  test("carries the Retry-After of a 429, with a JSON-RPC error and without", () => {
    const http = { status: 429, retryAfter: "2" };
    const answer = { code: -32_005, message: "slow down" };
    expect(errorOfStatus("node", http).retryAfterMs).toBe(2000);
    expect(errorOfAnswer("node", answer, http).retryAfterMs).toBe(2000);
    expect(errorOfBatch("node", answer, http).retryAfterMs).toBe(2000);
  });
});

describe("error of the connection", () => {
  test.each([
    ["UND_ERR_CONNECT_TIMEOUT", "unreachable"],
    ["ECONNREFUSED", "unreachable"],
    ["ENOTFOUND", "unreachable"],
    ["EAI_AGAIN", "unreachable"],
    ["EHOSTUNREACH", "unreachable"],
    ["ENETUNREACH", "unreachable"],
    ["Z_BUF_ERROR", "bad-answer"],
    ["Z_DATA_ERROR", "bad-answer"],
    ["ECONNRESET", "unavailable"],
  ])("%s is %s", (code, expected) => {
    expect(errorOfTransport("node", Object.assign(new Error("x"), { code })).code).toBe(expected);
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
