import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { expectedAnswer } from "../../support/brute-force/answers.ts";
import { startTestIndexer, type TestIndexer } from "../../support/indexer.ts";
import { createOracleReader, type Oracle } from "../../support/oracle/oracle.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

const sender = scriptedAddress("sender");
const receiptFields = { status: undefined };

describe.each([
  { traced: true, failed: { blockscout: ["1", "0"], etherscan: ["1", ""] }, error: "out of gas" },
  { traced: false, failed: { blockscout: ["1", "0"], etherscan: ["0", ""] }, error: undefined },
])("transactions whose receipts have no status, traced: $traced", ({ traced, failed, error }) => {
  let node: ScriptedNode;
  let api: TestApp;
  let indexer: TestIndexer;
  let oracle: Oracle;

  beforeAll(async () => {
    node = await startScriptedNode({ without: traced ? [] : ["debug_", "trace_"] });
    node.chain.mine(
      { transactions: [{ from: sender, valueWei: 5n, receiptFields }] },
      { transactions: [{ from: sender, valueWei: 7n, error: "out of gas", receiptFields }] },
      { transactions: [{ from: sender, to: null, error: "out of gas", receiptFields }] },
      { transactions: [{ from: sender, valueWei: 9n }] },
      { transactions: [{ from: sender, valueWei: 9n, error: "execution reverted" }] },
    );
    api = await createTestApp({ nodeUrl: node.url });
    const databaseUrl = new URL(inject("postgresUrl"));
    databaseUrl.pathname = api.sql.options.database;
    indexer = startTestIndexer({ databaseUrl: databaseUrl.href, rpcUrls: [node.url] });
    oracle = await createOracleReader(node.url).read();
    await indexer.reach(oracle.head.hash);
  });

  afterAll(async () => {
    await indexer?.stop();
    await api?.close();
    await node?.stop();
  });

  async function answer(dialect: "blockscout" | "etherscan", parameters: Record<string, string>) {
    const url = dialect === "blockscout" ? "/api" : "/v2/api";
    const response = await api.app.inject(`${url}?${new URLSearchParams(parameters)}`);
    return { httpStatus: response.statusCode, body: response.json() };
  }

  it.each(["blockscout", "etherscan"] as const)("are shown as %s does", async (dialect) => {
    const list = { module: "account", action: "txlist", address: sender, sort: "asc" };
    const { body } = await answer(dialect, list);
    const shown = body.result.map((row: Record<string, string>) => [
      row["isError"],
      row["txreceipt_status"],
    ]);
    const unknown = dialect === "etherscan" ? ["0", ""] : traced ? ["0", "1"] : ["1", "0"];
    expect(shown).toEqual([unknown, failed[dialect], failed[dialect], ["0", "1"], ["1", "0"]]);
    expect(await answer(dialect, list)).toEqual(
      expectedAnswer(oracle, { dialect, parameters: list }),
    );
  });

  it("are told of alike by every action", async () => {
    const [good, bad] = oracle.transactions;
    const ask = async (action: string, txhash: string | undefined) =>
      (await answer("blockscout", { module: "transaction", action, txhash: txhash ?? "" })).body
        .result;
    expect(await ask("getstatus", good?.hash)).toEqual({ isError: "0", errDescription: "" });
    expect(await ask("getstatus", bad?.hash)).toEqual(
      traced ? { isError: "1", errDescription: error } : { isError: "0", errDescription: "" },
    );
    expect((await ask("gettxinfo", good?.hash)).success).toBe(traced);
    expect((await ask("gettxinfo", bad?.hash)).success).toBe(false);
    for (const { hash } of [good, bad] as { hash: string }[]) {
      expect(await ask("gettxreceiptstatus", hash)).toEqual({ status: "" });
    }
    for (const dialect of ["blockscout", "etherscan"] as const) {
      // For the last one the oracle has no reason without a trace.
      for (const { hash } of oracle.transactions.slice(0, -1)) {
        for (const action of ["getstatus", "gettxreceiptstatus", "gettxinfo"]) {
          const parameters = { module: "transaction", action, txhash: hash };
          expect(await answer(dialect, parameters), JSON.stringify(parameters)).toEqual(
            expectedAnswer(oracle, { dialect, parameters }),
          );
        }
      }
    }
  });

  it("fund whom they paid", async () => {
    const parameters = {
      module: "account",
      action: "fundedby",
      address: scriptedAddress("receiver"),
    };
    const { body } = await answer("blockscout", parameters);
    expect(body.result.value).toBe("5");
  });
});
