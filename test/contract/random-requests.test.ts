import fc from "fast-check";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { z } from "zod";
import { type Action, paramsIn } from "../../src/api/explorer/action.ts";
import { type Dialect, forDialect } from "../../src/api/explorer/envelope.ts";
import { registry } from "../../src/api/explorer/registry.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { errorHeaderFault } from "../support/error-header.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";
import { publishSmallWorld, vocabulary } from "../support/small-world.ts";

/** Requests of one run; more by FUZZ_REQUESTS. */
const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 20_000);
const BATCH = 40;

let node: ScriptedNode;
let server: TestApp;
beforeAll(async () => {
  node = await startScriptedNode();
  server = await createTestApp({ nodeUrl: node.url, verifies: true });
  await publishSmallWorld(server.sql, node.chain);
});
afterAll(async () => {
  await server.close();
  await node.stop();
});

const HOSTILE = [
  "",
  " ",
  "\0",
  "0x\0",
  "'; DROP TABLE blocks; --",
  "%",
  "%00",
  "é\u{1f600}\u202e",
  "\ud800",
  "0x",
  "0X5fbdb2315678afecb367f032d93f642f64180aa3",
  "0x5fbdb2315678afecb367f032d93f642f64180aa",
  " 0x5fbdb2315678afecb367f032d93f642f64180aa3",
  "-1",
  "+1",
  "-0",
  "1.5",
  "1e3",
  "0x10",
  "1_000",
  "٣",
  "2147483648",
  "9007199254740993",
  "9223372036854775808",
  "1".repeat(78),
  "9".repeat(5000),
  "NaN",
  "Infinity",
  "null",
  "true",
  "TRUE",
  "__proto__",
  "a".repeat(10_000),
];

const address = fc.constantFrom(...vocabulary.accounts, ...vocabulary.contracts);
const count = fc.constantFrom(
  "0",
  "1",
  "2",
  "3",
  "10",
  "12",
  "13",
  "100",
  "1000",
  "10000",
  "10001",
);
const time = fc.constantFrom("1", "1751328030", "1751328180", "253402300799");

const COMPILER = "v0.8.37+commit.f401782d";

/** Values that mean something, by the names of the parameters that take them. */
const MEANINGS: readonly [name: RegExp, values: fc.Arbitrary<string>][] = [
  [/^contractaddresses$/, fc.array(address, { maxLength: 11 }).map((list) => list.join(","))],
  [/^address$/, fc.array(address, { minLength: 1, maxLength: 3 }).map((list) => list.join(","))],
  [/address/i, address],
  [/hash/, fc.constantFrom(...vocabulary.hashes)],
  [/^topic\d$/, fc.constantFrom(...vocabulary.topics)],
  [/^fromto_opr$/, fc.constantFrom("and", "or", "AND", "Or")],
  [/^(?:from|to)$/, address],
  [
    /^tag$/,
    fc.constantFrom(
      "latest",
      "earliest",
      "pending",
      "safe",
      "finalized",
      "0x1",
      "0x0c",
      "0xffff",
      "7",
      "0x",
    ),
  ],
  [/^boolean$/, fc.constantFrom("true", "false", "True")],
  [
    /^(?:index|position|value|nonce|type)$|^gas|^max.*Gas$/,
    fc.constantFrom("0x0", "0x01", "1", "12", "0x"),
  ],
  [/^(?:data|input|hex)$/, fc.constantFrom("0x", "0x18160ddd", "0xA9059CBB", "0x1")],
  [
    /^accessList$/,
    fc.constantFrom("[]", `[{address:"0x${"1".repeat(40)}",storageKeys:[]}]`, "[{}]"),
  ],
  [/_opr$/, fc.constantFrom("and", "or")],
  [/^code$|source/i, fc.constantFrom("contract Ledger {}", "contract Ledger { int a = b; }", "{}")],
  [/compiler/i, fc.constantFrom(COMPILER, "0.8.37", "v0.8.24+commit.e11b9ed9")],
  [
    /codeformat/i,
    fc.constantFrom("solidity-single-file", "solidity-standard-json-input", "vyper-json"),
  ],
  [
    /guid/,
    fc.constantFrom(...vocabulary.contracts.map((contract) => `${contract.slice(2)}66a0b1c2`)),
  ],
  [/date/, fc.constantFrom(...vocabulary.days)],
  [/timestamp/, time],
  [/block/i, fc.oneof(count, fc.constantFrom("latest", "earliest", "pending", "uncles"))],
  [/^closest$/, fc.constantFrom("before", "after")],
  [/^sort$/, fc.constantFrom("asc", "desc")],
  [/filter/, fc.constantFrom("from", "to", "verified", "unverified", "empty")],
  [/^cmc$|^(include_zero_value|newest_first|details|names)$/, fc.constant("true")],
];
const meaningful = fc.oneof(count, ...MEANINGS.map(([, values]) => values));
const hostile = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 80 }));
const misshapen = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 7, -1, 1.5, 1e21, 1e308, [], {}, [[]], ["7"], {
    toString: 0,
  }),
  fc.jsonValue({ maxDepth: 3 }),
);
const value = fc.oneof(meaningful, hostile, misshapen);

/** The usual value nine times of ten. */
function mostly<Value>(usual: Value, others: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });
}

function valueFor(parameter: string): fc.Arbitrary<unknown> {
  const meaning = MEANINGS.find(([name]) => name.test(parameter))?.[1] ?? count;
  return fc.oneof({ weight: 9, arbitrary: meaning }, { weight: 1, arbitrary: value });
}

/** By `module/action`: a failing draw is printed. */
const actions = new Map(
  Object.entries(registry).flatMap(([module, list]) =>
    list.map((action): [string, Action] => [`${module}/${action.name}`, action]),
  ),
);

function actionOf(name: string): Action {
  const action = actions.get(name);
  if (!action) throw new Error(`no action ${name}`);
  return action;
}

const request = fc.constantFrom(...actions.keys()).chain((name) => {
  const action = actionOf(name);
  const { example } = action;
  const names = Object.keys(paramsIn(action, "etherscan").shape);
  const parameters = fc.record(
    Object.fromEntries(names.map((parameter) => [parameter, valueFor(parameter)])),
    {
      requiredKeys: [],
    },
  );
  return fc.record({
    name: fc.constant(name),
    etherscan: action.dialect === "etherscan" ? fc.constant(true) : fc.boolean(),
    transport: fc.constantFrom("query", "query", "json", "form", "multipart", "split"),
    spelling: fc.constantFrom("as is", "as is", "as is", "upper", "lower", "doubled", "bracketed"),
    // The example makes sure that also requests with all that is needed are among them.
    parameters: fc.boolean().chain((complete) =>
      parameters.map(
        (drawn): Record<string, unknown> => ({
          ...(complete && example),
          ...drawn,
        }),
      ),
    ),
    unknown: fc.dictionary(fc.string({ maxLength: 10 }), hostile, { maxKeys: 2 }),
    tail: mostly(
      "",
      fc.constantFrom("&x=%ff", "&%", "&&==&", "&files[]=x&files[0]=y", "&apikey=k"),
    ),
    cut: mostly(1, fc.double({ min: 0, max: 1, noNaN: true })),
  });
});
type Request = typeof request extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function percent(text: string): string {
  return [...Buffer.from(text, "utf8")]
    .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
    .join("");
}

function textOf(drawn: unknown): string {
  return typeof drawn === "string" ? drawn : (JSON.stringify(drawn) ?? "");
}

function respell(name: string, spelling: Request["spelling"]): string[] {
  switch (spelling) {
    case "upper":
      return [name.toUpperCase()];
    case "lower":
      return [name.toLowerCase()];
    case "doubled":
      return [name, name];
    case "bracketed":
      return [name, `${name}[]`, `${name}[0]`];
    default:
      return [name];
  }
}

function toForm(fields: readonly [string, unknown][]): string {
  return fields.map(([name, drawn]) => `${percent(name)}=${percent(textOf(drawn))}`).join("&");
}

function toMultipart(fields: readonly [string, unknown][]): string {
  const parts = fields.map(
    ([name, drawn], index) =>
      `--b\r\ncontent-disposition: form-data; name="${name.replaceAll(/["\r\n]/g, "_")}"${
        index % 5 === 4 ? '; filename="a.sol"' : ""
      }\r\n\r\n${textOf(drawn)}\r\n`,
  );
  return `${parts.join("")}--b--\r\n`;
}

function toInjection(drawn: Request): InjectOptions {
  const { name, transport, spelling, tail, cut } = drawn;
  const [module = "", action = ""] = name.split("/");
  const path = drawn.etherscan ? "/v2/api" : "/api";
  const names: [string, unknown][] = [
    ["module", module],
    ["action", action],
  ];
  const fields = [...Object.entries(drawn.parameters), ...Object.entries(drawn.unknown)].flatMap(
    ([given, parameter]) =>
      respell(given, spelling).map((spelt): [string, unknown] => [spelt, parameter]),
  );
  const post = (type: string, payload: string, query = ""): InjectOptions => ({
    method: "POST",
    url: `${path}?${query}${tail}`,
    headers: { "content-type": type },
    payload: payload.slice(0, Math.ceil(payload.length * cut)),
  });
  switch (transport) {
    case "json":
      return post("application/json", JSON.stringify(Object.fromEntries([...names, ...fields])));
    case "form":
      return post("application/x-www-form-urlencoded", toForm([...names, ...fields]));
    case "multipart":
      return post("multipart/form-data; boundary=b", toMultipart([...names, ...fields]));
    case "split":
      return post("application/json", JSON.stringify(Object.fromEntries(fields)), toForm(names));
    default:
      return { method: "GET", url: `${path}?${toForm([...names, ...fields])}${tail}` };
  }
}

/** Returns the fault of an answer; undefined for a right one. */
function faultOf(
  drawn: Request,
  response: { statusCode: number; body: string; contentType: unknown; error: unknown },
) {
  const action = actionOf(drawn.name);
  const { statusCode, body, contentType } = response;
  if (statusCode >= 500) return "a server's failure";
  if (contentType === "text/plain; charset=utf-8") {
    return action.name === "tokensupply" && /^\d+\.\d{9}$/.test(body) ? undefined : "text";
  }
  if (contentType !== "application/json; charset=utf-8") return "another content type";
  const answer = JSON.parse(body);
  const wrong = errorHeaderFault(statusCode, response.error, answer);
  if (wrong !== undefined) return wrong;
  const dialect: Dialect = drawn.etherscan ? "etherscan" : "blockscout";
  const result: z.ZodType = forDialect(action.result, dialect);
  if (answer.jsonrpc === "2.0" && action.envelope === "proxy") {
    const { id, error } = answer;
    if (statusCode !== 200 || id !== 1) return "another status or id";
    if ("result" in answer) return result.safeParse(answer.result).error?.message;
    return Number.isInteger(error?.code) && error.message !== "" ? undefined : "its error";
  }
  if (answer.jsonrpc === "2.0") {
    if (action.envelope !== "json-rpc") return "another envelope";
    if (!("result" in answer)) return typeof answer.error === "string" ? undefined : "its error";
    return result.safeParse(answer.result).error?.message;
  }
  if (Object.keys(answer).join() !== "status,message,result") return "other keys";
  if (statusCode !== 200 && answer.status !== "0") return "a success that is none";
  if (answer.status !== "1") return answer.message === "" ? "no words" : undefined;
  return answer.message === "OK" ? result.safeParse(answer.result).error?.message : "its message";
}

test("any request to any action gets a right envelope, and never a server's failure", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: BATCH, size: "max" }),
      async (requests) => {
        const faults = await Promise.all(
          requests.map(async (drawn) => {
            const response = await server.app.inject(toInjection(drawn));
            const { statusCode, body, headers } = response;
            const fault = faultOf(drawn, {
              statusCode,
              body,
              contentType: headers["content-type"],
              error: headers["x-periscope-error"],
            });
            return fault && { fault, statusCode, body: body.slice(0, 500) };
          }),
        );
        expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
      },
    ),
    { numRuns: Math.ceil((REQUESTS * 2) / BATCH) },
  );
}, 600_000);

const rpcMethod = fc.constantFrom(
  "eth_blockNumber",
  "eth_chainId",
  "eth_getBalance",
  "eth_getLogs",
  "eth_gasPrice",
  "eth_getTransactionByHash",
  "eth_getTransactionReceipt",
  "eth_getCode",
  "eth_getBlockByNumber",
  "eth_call",
  "nothing",
);
const filter = fc.record(
  {
    address: fc.oneof(value, fc.array(address, { maxLength: 3 })),
    topics: fc.oneof(value, fc.array(fc.oneof(fc.constantFrom(...vocabulary.topics, null), value))),
    fromBlock: value,
    toBlock: value,
    blockHash: value,
    paging_options: fc.oneof(value, fc.record({ blockNumber: value, logIndex: value })),
  },
  { requiredKeys: [] },
);
const entry = fc.oneof(
  fc.record(
    {
      jsonrpc: fc.constantFrom<unknown>("2.0", "2.0", "2.0", "1.0", 2, null),
      id: fc.oneof(fc.nat(), value),
      method: fc.oneof({ weight: 9, arbitrary: rpcMethod }, { weight: 1, arbitrary: value }),
      params: fc.oneof(
        { weight: 9, arbitrary: fc.array(fc.oneof(value, filter), { maxLength: 3 }) },
        { weight: 1, arbitrary: value },
      ),
    },
    { requiredKeys: ["method"] },
  ),
  value,
);

test("any JSON gets JSON-RPC answers, one for each entry", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(entry, fc.array(entry, { maxLength: 5 })), async (body) => {
      const response = await server.app.inject({
        method: "POST",
        url: "/api/eth-rpc",
        headers: { "content-type": "application/json" },
        payload: JSON.stringify(body),
      });
      if (Array.isArray(body) && body.length > 5) {
        expect(response.statusCode).toBe(413);
        return;
      }
      expect(response.statusCode).toBe(200);
      const answers = Array.isArray(body) ? response.json() : [response.json()];
      expect(answers).toHaveLength(Array.isArray(body) ? body.length : 1);
      for (const answer of answers) {
        const outcome = "error" in answer ? "error" : "result";
        expect(Object.keys(answer)).toEqual(["jsonrpc", outcome, "id"]);
        expect(answer.error).not.toBe("Something went wrong.");
      }
    }),
    { numRuns: Math.ceil(REQUESTS / 10) },
  );
}, 300_000);
