import { expect, test } from "vitest";
import {
  ChainError,
  ConfigError,
  messageOf,
  PeriscopeError,
  PublicConfigError,
  publicMessageOf,
  RequestError,
} from "../../src/core/errors.ts";

test("carries what the program and people need", () => {
  const cause = new Error("inner");
  const chain = new ChainError("timeout", "too late", { retryable: true, cause });
  expect(chain).toMatchObject({ code: "timeout", message: "too late", retryable: true, cause });
  expect(chain.name).toBe("ChainError");
  expect(new ConfigError("no port").code).toBe("config");
  expect(new RequestError(413, "too-long", "Too large")).toMatchObject({
    httpStatus: 413,
    code: "too-long",
  });
  for (const error of [chain, new ConfigError(""), new RequestError(400, "bad-request", "")]) {
    expect(error).toBeInstanceOf(PeriscopeError);
  }
});

test("tells the message of whatever was thrown", () => {
  expect(messageOf(new Error("why"))).toBe("why");
  expect(messageOf("text")).toBe("text");
  expect(messageOf(undefined)).toBe("undefined");
});

test("tells anybody only what was written for anybody", () => {
  const inner = new ConfigError("the database 10.0.0.5 is away");
  const told = new ConfigError("10.0.0.5 is away", { publicMessage: "the database is away" });
  expect(publicMessageOf(told)).toBe("the database is away");
  expect(publicMessageOf(new PublicConfigError("chain 1 is expected"))).toBe("chain 1 is expected");
  for (const thrown of [inner, new Error("at 10.0.0.5"), "10.0.0.5"]) {
    expect(publicMessageOf(thrown)).toContain("the log says why");
    expect(publicMessageOf(thrown)).not.toContain("10.0.0.5");
  }
});
