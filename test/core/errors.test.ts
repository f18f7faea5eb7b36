import { expect, test } from "vitest";
import {
  ChainError,
  ConfigError,
  messageOf,
  PeriscopeError,
  RequestError,
} from "../../src/core/errors.ts";

test("carries what the program and people need", () => {
  const cause = new Error("inner");
  const chain = new ChainError("timeout", "too late", { retryable: true, cause });
  expect(chain).toMatchObject({ code: "timeout", message: "too late", retryable: true, cause });
  expect(chain.name).toBe("ChainError");
  expect(new ConfigError("no port").code).toBe("config");
  expect(new RequestError(413, "Too large")).toMatchObject({ httpStatus: 413, code: "request" });
  for (const error of [chain, new ConfigError(""), new RequestError(400, "")]) {
    expect(error).toBeInstanceOf(PeriscopeError);
  }
});

test("tells the message of whatever was thrown", () => {
  expect(messageOf(new Error("why"))).toBe("why");
  expect(messageOf("text")).toBe("text");
  expect(messageOf(undefined)).toBe("undefined");
});
