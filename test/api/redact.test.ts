import { expect, test } from "vitest";
import { redactUrl } from "../../src/api/redact.ts";

test.each([
  ["/api", "/api"],
  ["/api?module=block&action=x", "/api?module=block&action=x"],
  ["/api?apikey=k&a=b", "/api?apikey=[redacted]&a=b"],
  ["/api?a=b&APIKey=k", "/api?a=b&apikey=[redacted]"],
  ["/api?%61pi%6Bey=k", "/api?apikey=[redacted]"],
  ["/api?apikey%20=k&+apikey=k", "/api?apikey=[redacted]&apikey=[redacted]"],
  ["/api?apikey", "/api?apikey=[redacted]"],
  ["/api?apikey%=k", "/api?apikey=[redacted]"],
  ["/api?x-api-key=k&api_key=k", "/api?apikey=[redacted]&apikey=[redacted]"],
  ["/api?key=k&monkey=k", "/api?apikey=[redacted]&monkey=k"],
  ["/api?notapikey=k", "/api?notapikey=k"],
])("%s is logged as %s", (url, logged) => {
  expect(redactUrl(url)).toBe(logged);
});

test("a long URL is cut", () => {
  expect(redactUrl(`/api?a=${"x".repeat(100_000)}`)).toHaveLength(2000);
});
