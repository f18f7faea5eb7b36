import { expect, test } from "vitest";
import { parameterNames } from "../../../src/api/explorer/registry.ts";
import { redactUrl } from "../../../src/api/http/http.ts";

test.each([
  ["/api", "/api"],
  ["/api?module=block&action=x", "/api?module=block&action=x"],
  ["/api?Address=0x1&&ContractAddress=0x2", "/api?Address=0x1&&ContractAddress=0x2"],
  ["/api?apikey=k&page=2", "/api?[redacted]&page=2"],
  ["/api?token=k", "/api?[redacted]"],
  ["/api?%61pi%6Bey=k", "/api?[redacted]"],
  ["/api?module%=k", "/api?[redacted]"],
  ["/api?0123456789abcdef", "/api?[redacted]"],
])("%s is logged as %s", (url, logged) => {
  expect(redactUrl(url, true, parameterNames)).toBe(logged);
});

test("of a path that is none of ours long words are left out", () => {
  const url = "/v3/0123456789abcdef0123456789abcdef/api";
  expect(redactUrl(url, false, parameterNames)).toBe("/v3/[redacted]/api");
  expect(redactUrl(url, true, parameterNames)).toBe(url);
});

test("a long URL is cut", () => {
  expect(redactUrl(`/api?page=${"x".repeat(100_000)}`, true, parameterNames)).toHaveLength(2000);
});
