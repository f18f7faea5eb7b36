import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Anvil, startAnvil } from "../../support/anvil.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { expectedAnswer } from "../../support/brute-force/answers.ts";
import type { Dialect } from "../../support/brute-force/parameters.ts";
import { compareDatabase } from "../../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../../support/indexer.ts";
import { createChainReader, type NodeFrame } from "../../support/oracle/chain.ts";
import { createJsonRpc } from "../../support/oracle/json-rpc.ts";
import { createOracleReader, type Oracle } from "../../support/oracle/oracle.ts";
import { deployWorld } from "../../support/world/world.ts";

const DIALECTS: Dialect[] = ["blockscout", "etherscan"];
/** The ordinary suite asks about every third address and transaction, the deep one about all. */
const SHARE = process.env["EVERY_CASE"] ? 1 : 3;

function some<Item>(items: readonly Item[]): Item[] {
  return items.filter((_, index) => index % SHARE === 0);
}

describe("what was rolled back", () => {
  let anvil: Anvil;
  let api: TestApp;
  let indexer: TestIndexer;
  let oracle: Oracle;
  /** Every address in a frame of the chain, of any outcome. */
  let named: string[];

  beforeAll(async () => {
    anvil = await startAnvil();
    const world = await deployWorld(anvil.url);
    for (const scenario of ["rolledBack", "failedCreations", "innerReverts"] as const) {
      await world.play(scenario);
    }
    api = await createTestApp({ nodeUrl: anvil.url });
    const databaseUrl = new URL(inject("postgresUrl"));
    databaseUrl.pathname = api.sql.options.database;
    indexer = startTestIndexer({ databaseUrl: databaseUrl.href, rpcUrls: [anvil.url] });
    oracle = await createOracleReader(anvil.url).read();
    const chain = await createChainReader(createJsonRpc(anvil.url)).read(0, oracle.head.number);
    named = [...new Set(chain.flatMap(({ traces }) => (traces ?? []).flatMap(namesOf)))];
    await indexer.reach(oracle.head.hash);
  });

  afterAll(async () => {
    await indexer?.stop();
    await api?.close();
    await anvil?.stop();
  });

  function namesOf({ from, to, calls = [] }: NodeFrame): string[] {
    return [from, ...(to ? [to] : []), ...calls.flatMap(namesOf)];
  }

  async function answer(dialect: Dialect, parameters: Record<string, string>) {
    const url = dialect === "blockscout" ? "/api" : "/v2/api";
    const response = await api.app.inject(`${url}?${new URLSearchParams(parameters)}`);
    return { httpStatus: response.statusCode, body: response.json() };
  }

  /** Asks in both dialects, and compares with what the node's own data demand. */
  async function check(parameters: Record<string, string>): Promise<void> {
    for (const dialect of DIALECTS) {
      const expected = expectedAnswer(oracle, { dialect, parameters });
      expect(await answer(dialect, parameters), JSON.stringify(parameters)).toEqual(expected);
    }
  }

  it("happened in every way", () => {
    const undone = (oracle.internalTransactions ?? []).filter(({ effective }) => !effective);
    const kinds = undone.map(({ type, callType, error }) =>
      [callType ?? type, error === null ? "by another" : "by itself"].join(" "),
    );
    for (const kind of ["call", "callcode", "create", "create2"]) {
      expect(kinds).toContain(`${kind} by another`);
      expect(kinds).toContain(`${kind} by itself`);
    }
    expect(kinds).toContain("selfdestruct by another");
    expect(undone.some(({ value, error }) => value > 0n && error === null)).toBe(true);
    expect(named.filter((address) => !oracle.addresses.has(address as `0x${string}`))).not.toEqual(
      [],
    );
  });

  it("is not in the tables", async () => {
    expect(await compareDatabase(api.sql, oracle)).toEqual([]);
  });

  it("is marked in every list of internal transactions", async () => {
    const base = { module: "account", action: "txlistinternal" };
    for (const include_zero_value of ["true", "false"]) {
      await check({ ...base, include_zero_value });
      for (const { hash } of some(oracle.transactions)) {
        await check({ ...base, txhash: hash, include_zero_value });
      }
      for (const address of some(named)) {
        await check({ ...base, address, include_zero_value });
        await check({ ...base, address, include_zero_value, filter_by: "to" });
      }
    }
  });

  it("gave nobody coins, code or a place among the accounts", async () => {
    await check({ module: "account", action: "listaccounts", offset: "10000" });
    for (const address of some(named)) {
      await check({ module: "account", action: "balance", address });
      await check({ module: "account", action: "eth_get_balance", address });
      await check({ module: "account", action: "fundedby", address });
      await check({ module: "account", action: "txlist", address });
      await check({ module: "account", action: "tokentx", address });
      await check({ module: "account", action: "tokenlist", address });
      await check({
        module: "contract",
        action: "getcontractcreation",
        contractaddresses: address,
      });
    }
  });

  it("made no contract that the chain does not have", async () => {
    const { body } = await answer("etherscan", {
      module: "account",
      action: "txlistinternal",
      include_zero_value: "true",
    });
    const made: string[] = body.result
      .map(({ contractAddress }: { contractAddress: string }) => contractAddress)
      .filter((address: string) => address !== "");
    const nonces = await createJsonRpc(anvil.url).requestAll<string>(
      made.map((address) => ({ method: "eth_getTransactionCount", params: [address, "latest"] })),
    );
    // EIP-161: a creation that lasts leaves the nonce 1, if the contract was not destroyed again.
    const gone = oracle.destructions.map(({ address }) => address as string);
    expect(
      made.filter((address, index) => nonces[index] === "0x0" && !gone.includes(address)),
    ).toEqual([]);
    expect(made.length).toBeGreaterThan(3);
  });
});
