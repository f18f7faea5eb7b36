import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ERROR_TABLE, type ErrorRule, lookUpError } from "../../../src/chain/errors/error-table.ts";
import { NodeError } from "../../../src/chain/errors/errors.ts";
import { createHttpExchange } from "../../../src/chain/rpc/http-exchange.ts";

/** A public error text of a node or a provider, and its meaning. */
interface Said {
  provider: string;
  /** Null: the body is not JSON-RPC; `message` is all of it. */
  code: number | null;
  message: string;
  data?: unknown;
  status: number;
  /** To one call, as one entry of the answer to a batch, instead of the answer to a batch, or as a body of its own. */
  form: "alone" | "entry" | "refused batch" | "plain";
  expected: string;
  /** Where it stands. */
  source: string;
}

const corpus = JSON.parse(
  readFileSync(new URL("../../fixtures/node-errors.json", import.meta.url), "utf8"),
) as Said[];

/** The body of the answer that carries the error, to the ids `1` and, in a batch, `2`. */
function bodyOf({ code, message, data, form }: Said): string {
  if (form === "plain") return message;
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  const refused = { jsonrpc: "2.0", id: form === "refused batch" ? null : 1, error };
  return JSON.stringify(
    form === "entry" ? [refused, { jsonrpc: "2.0", id: 2, result: "0x1" }] : refused,
  );
}

async function codeOf(said: Said): Promise<string> {
  const server = createServer((_, response) =>
    response.writeHead(said.status).end(bodyOf(said)),
  ).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const transport = createHttpExchange({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    name: "node",
    requestTimeoutMs: 10_000,
    maxResponseBytes: 100_000,
    cleanError: (error) => error,
  });
  onTestFinished(() => transport.close());
  const call = { method: "eth_call", params: [] };
  const calls = said.form === "alone" || said.form === "plain" ? [call] : [call, call];
  try {
    const [answer] = await transport.exchange(calls, new AbortController().signal);
    if (!answer || !("error" in answer)) throw new Error("no error came");
    return answer.error.code;
  } catch (thrown) {
    if (thrown instanceof NodeError) return thrown.code;
    throw thrown;
  }
}

describe("the corpus of what nodes say", () => {
  test.each(corpus)("$provider, $form: $code $message is $expected", async (said) => {
    expect(await codeOf(said)).toBe(said.expected);
  });

  test("is large, says where it is from, and holds every class that a node's words decide", () => {
    expect(corpus.length).toBeGreaterThanOrEqual(120);
    expect(corpus.filter(({ source }) => source === "")).toEqual([]);
    const classes = new Set(corpus.map(({ expected }) => expected));
    expect([...ERROR_TABLE].filter(({ means }) => !classes.has(means))).toEqual([]);
  });
});

describe("the table", () => {
  const meaning = ({ code, message, data, status, form }: Said, table?: readonly ErrorRule[]) =>
    lookUpError(
      { ...(code !== null && { code }), message: form === "plain" ? "" : message, data, status },
      table,
    );

  const parts = ERROR_TABLE.flatMap((rule, row) =>
    (["texts", "codes", "statuses"] as const).flatMap((kind) =>
      (rule[kind] ?? []).map((part, place) => {
        const rest = (rule[kind] as readonly unknown[]).toSpliced(place, 1);
        const without = ERROR_TABLE.toSpliced(row, 1, { ...rule, [kind]: rest } as ErrorRule);
        return { row, means: rule.means, part: String(part), without };
      }),
    ),
  );

  test.each(parts)("needs $part for $means (row $row)", ({ without }) => {
    expect(corpus.some((said) => meaning(said) !== meaning(said, without))).toBe(true);
  });

  test("takes what a contract chose to say for the contract's words, whatever it says", () => {
    const words = corpus.filter(({ form }) => form !== "plain").map(({ message }) => message);
    const codes = words.map((message) => [
      lookUpError({ code: 3, message: `execution reverted: ${message}`, status: 200 }),
      lookUpError({ code: 3, message, data: "0x08c379a0", status: 200 }),
      lookUpError({
        code: -32_603,
        message: `Error: VM Exception while processing transaction: reverted with reason string '${message}'`,
        status: 200,
      }),
    ]);
    expect(new Set(codes.flat())).toEqual(new Set(["reverted"]));
  });
});
