import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { type Action, isServedIn } from "../../src/api/explorer/action.ts";
import { type Dialect, forDialect } from "../../src/api/explorer/envelope.ts";
import { registry } from "../../src/api/explorer/registry.ts";
import { describeParameters } from "../../src/api/openapi/schemas.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";
import { publishSmallWorld } from "../support/small-world.ts";

/** The wire's words for each parameter that must be there, when it alone is absent. */
const MISSING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "account/eth_get_balance": { address: "Query parameter 'address' is required" },
  "account/balance": { address: "Query parameter 'address' is required" },
  "account/balancemulti": { address: "Query parameter 'address' is required" },
  "account/pendingtxlist": { address: "Query parameter 'address' is required" },
  "account/txlist": { address: "Query parameter 'address' is required" },
  "account/tokenbalance": {
    address: "Required query parameters missing: address",
    contractaddress: "Required query parameters missing: contractaddress",
  },
  "account/tokenlist": { address: "Query parameter address is required" },
  "account/getminedblocks": { address: "Query parameter 'address' is required" },
  "account/addresstokenbalance": { address: "Query parameter 'address' is required" },
  "account/addresstokennftbalance": { address: "Query parameter 'address' is required" },
  "account/addresstokennftinventory": {
    address: "Required query parameters missing: address",
    contractaddress: "Required query parameters missing: contractaddress",
  },
  "account/tokenbalancehistory": {
    address: "Required query parameters missing: address",
    blockno: "Required query parameters missing: blockno",
    contractaddress: "Required query parameters missing: contractaddress",
  },
  "account/balancehistory": {
    address: "Required query parameters missing: address",
    blockno: "Required query parameters missing: blockno",
  },
  "account/fundedby": { address: "Query parameter 'address' is required" },
  "account/approvals": { address: "Query parameter 'address' is required" },
  "account/userops": { address: "Query parameter 'address' is required" },
  "account/txsBeaconWithdrawal": { address: "Query parameter 'address' is required" },
  "logs/getLogs": {
    fromBlock: "Required query parameters missing: fromBlock",
    toBlock: "Required query parameters missing: toBlock",
  },
  "token/getToken": { contractaddress: "Query parameter contract address is required" },
  "token/getTokenHolders": { contractaddress: "Query parameter contract address is required" },
  "token/tokeninfo": { contractaddress: "Query parameter contract address is required" },
  "token/tokenholderlist": { contractaddress: "Query parameter contract address is required" },
  "token/tokenholdercount": { contractaddress: "Query parameter contract address is required" },
  "token/topholders": { contractaddress: "Query parameter contract address is required" },
  "stats/tokensupply": { contractaddress: "Query parameter contract address is required" },
  "stats/tokensupplyhistory": {
    blockno: "Required query parameters missing: blockno",
    contractaddress: "Required query parameters missing: contractaddress",
  },
  "stats/totalfees": { date: "Required date input is missing." },
  "block/getblock": { block: "Query parameter 'block' is required" },
  "block/getblockreward": { blockno: "Query parameter 'blockno' is required" },
  "block/getblockcountdown": { blockno: "Query parameter 'blockno' is required" },
  "block/getblocknobytime": {
    timestamp: "Query parameter 'timestamp' is required",
    closest: "Query parameter 'closest' is required",
  },
  "block/getblocktxnscount": { blockno: "Query parameter 'blockno' is required" },
  "contract/getabi": { address: "Query parameter address is required" },
  "contract/getsourcecode": { address: "Query parameter address is required" },
  "contract/readcontract": {
    address: "Query parameter address is required",
    function: "Query parameter function is required",
  },
  "contract/getcontractcreation": {
    contractaddresses: "Query parameter contractaddresses is required",
  },
  "transaction/gettxinfo": { txhash: "Query parameter txhash is required" },
  "transaction/listtransfers": { txhash: "Query parameter txhash is required" },
  "transaction/gettxreceiptstatus": { txhash: "Query parameter txhash is required" },
  "transaction/getstatus": { txhash: "Query parameter txhash is required" },
};
/** As a node words it: the place among the call's own parameters. */
const missingArgument = (place: number) => `missing value for required argument ${place}`;
const MISSING_ARGUMENTS: typeof MISSING = {
  "proxy/eth_getBlockTransactionCountByNumber": { tag: missingArgument(0) },
  "proxy/eth_getUncleByBlockNumberAndIndex": {
    tag: missingArgument(0),
    index: missingArgument(1),
  },
  "proxy/eth_getTransactionByHash": { txhash: missingArgument(0) },
  "proxy/eth_getTransactionByBlockNumberAndIndex": {
    tag: missingArgument(0),
    index: missingArgument(1),
  },
  "proxy/eth_getTransactionReceipt": { txhash: missingArgument(0) },
  "proxy/eth_getTransactionCount": { address: missingArgument(0) },
  "proxy/eth_getCode": { address: missingArgument(0) },
  "proxy/eth_getStorageAt": { address: missingArgument(0), position: missingArgument(1) },
  "proxy/eth_sendRawTransaction": { hex: missingArgument(0) },
};
const MISSING_DAYS = {
  startdate: "Required query parameters missing: startdate",
  enddate: "Required query parameters missing: enddate",
};

const DIALECTS: readonly [path: string, dialect: Dialect][] = [
  ["/api", "blockscout"],
  ["/v2/api", "etherscan"],
];

let node: ScriptedNode;
let server: TestApp;
beforeAll(async () => {
  node = await startScriptedNode();
  server = await createTestApp({ nodeUrl: node.url });
  await publishSmallWorld(server.sql, node.chain);
});
afterAll(async () => {
  await server.close();
  await node.stop();
});

function ask(
  path: string,
  module: string,
  action: Action,
  parameters: Readonly<Record<string, string>>,
) {
  const query = new URLSearchParams({ module, action: action.name, ...parameters });
  return server.app.inject(`${path}?${query}`);
}

const actions = Object.entries(registry).flatMap(([module, list]) =>
  list.map((action) => ({ module, action, name: `${module}/${action.name}` })),
);
/** Verifications do work that their own tests follow to its end. */
const reading = actions.filter(({ action }) => !/^(?:verif|check)/.test(action.name));

test("names are unique within their module, in any letter case", () => {
  const names = actions.map(({ name }) => name.toLowerCase());
  expect(new Set(names).size).toBe(names.length);
});

describe.each(reading)("$name", ({ module, action, name }) => {
  const dialects = DIALECTS.filter(([, dialect]) => isServedIn(action, dialect));

  test("the wire's table names what is required", () => {
    const required = describeParameters(action, "blockscout").filter((each) => each.required);
    const names = required.map((each) => each.name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(wireTexts(name) ?? {})));
  });

  test("its example passes its schema", () => {
    expect(action.params.safeParse(action.example).error).toBeUndefined();
  });

  test.each(DIALECTS.filter(([, dialect]) => !isServedIn(action, dialect)))(
    "is no module under %s",
    async (path) => {
      const response = await ask(path, module, action, action.example);
      expect(response.statusCode).toBe(400);
      expect(response.json()).toEqual({ status: "0", message: "Unknown module", result: null });
      expect((await server.app.inject(`${path}/${module}/${action.name}`)).statusCode).toBe(404);
    },
  );

  test.each(dialects)("answers its example as its schema says under %s", async (path, dialect) => {
    const response = await ask(path, module, action, action.example);
    expect([200, 404]).toContain(response.statusCode);
    const body = response.json();
    const result: z.ZodType = forDialect(action.result, dialect);
    if (action.envelope === "proxy") {
      expect(body).toEqual(
        "error" in body
          ? {
              jsonrpc: "2.0",
              id: 1,
              error: { code: expect.any(Number), message: expect.any(String) },
            }
          : {
              jsonrpc: "2.0",
              id: 1,
              result: expect.toSatisfy((value) => result.safeParse(value).success),
            },
      );
      return;
    }
    if (action.envelope === "json-rpc") {
      expect(Object.keys(body)).toEqual(["jsonrpc", "error" in body ? "error" : "result", "id"]);
      if ("result" in body) expect(result.safeParse(body.result).error).toBeUndefined();
      return;
    }
    expect(Object.keys(body)).toEqual(["status", "message", "result"]);
    if (body.status === "1") {
      expect(body.message).toBe("OK");
      expect(result.safeParse(body.result).error).toBeUndefined();
    } else if (Array.isArray(body.result)) {
      expect(body).toEqual({
        status: "0",
        message: action.empty && forDialect(action.empty, dialect),
        result: [],
      });
    }
  });

  test("says what is missing, in the words of its schema", async () => {
    const required = describeParameters(action, "blockscout").filter((each) => each.required);
    const wire = wireTexts(name);
    for (const { name: parameter } of required) {
      const text = missingText(action, parameter);
      // An action that the wire knows has its words; a new one has those that it was given.
      if (wire) expect(text).toBe(wire[parameter]);
      for (const [path, dialect] of dialects) {
        if (dialect === "etherscan" && action.etherscanDefaults?.[parameter]) continue;
        const { [parameter]: _left, ...others } = action.example;
        const response = await ask(path, module, action, others);
        const failure = action.refuse?.(text ?? "");
        expect(response.statusCode).toBe(failure?.httpStatus ?? 200);
        expect(response.json()).toEqual(complaint(text, failure?.result ?? null, action, dialect));
      }
    }
  });
});

function wireTexts(name: string): Readonly<Record<string, string>> | undefined {
  return name.startsWith("stats/daily") ? MISSING_DAYS : (MISSING[name] ?? MISSING_ARGUMENTS[name]);
}

/** Answer when one parameter alone is absent. */
function missingText(action: Action, parameter: string): string | undefined {
  const { [parameter]: _left, ...others } = action.example;
  if (action.missing) return action.missing([parameter]);
  return (
    action.check?.(others)?.text ??
    action.params.shape[parameter]?.safeParse(undefined).error?.issues[0]?.message
  );
}

function complaint(
  text: string | undefined,
  result: string | null,
  action: Action,
  dialect: Dialect,
) {
  if (action.envelope === "proxy") {
    return { jsonrpc: "2.0", id: 1, error: { code: -32_602, message: text } };
  }
  if (action.envelope === "json-rpc") return { jsonrpc: "2.0", error: text, id: action.id };
  return dialect === "etherscan"
    ? { status: "0", message: "NOTOK", result: text }
    : { status: "0", message: text, result };
}
