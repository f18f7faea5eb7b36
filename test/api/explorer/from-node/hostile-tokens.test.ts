import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type Action, isServedIn } from "../../../../src/api/explorer/action.ts";
import { registry } from "../../../../src/api/explorer/registry.ts";
import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../../../src/core/evm/address.ts";
import type { Hex } from "../../../../src/core/evm/hex.ts";
import { createTestApp, type TestApp } from "../../../support/app.ts";
import { ask } from "../../../support/ask.ts";
import { type IndexedNode, openIndexedNode } from "../../../support/indexed-node.ts";
import { scriptedAddress } from "../../../support/scripted-node/block.ts";
import type { IncomingCall } from "../../../support/scripted-node/faults.ts";
import { TRANSFER, TRANSFER_SINGLE, word } from "../../../support/scripted-node/ledger.ts";
import type { LogSpecification } from "../../../support/scripted-node/specification.ts";

// The node stalls in every call of the hostile tokens. The API uses a separate client.

const victim = scriptedAddress("victim");
const good = scriptedAddress("good token");
const later = scriptedAddress("token that is read later");
const goodIds = scriptedAddress("good ids");
const hostile = scriptedAddress("hostile token");
const hostileIds = scriptedAddress("hostile ids");
const MANY = 250;

function mint(address: Address, amount: number, to = victim): LogSpecification {
  const topics = [TRANSFER, wordOfAddress(ZERO_ADDRESS), wordOfAddress(to)];
  return { address, topics, data: word(amount) };
}

function mintId(address: Address, id: number): LogSpecification {
  const [from, to] = [ZERO_ADDRESS, victim].map(wordOfAddress) as [`0x${string}`, `0x${string}`];
  const data = `${word(id)}${word(1).slice(2)}` as const;
  return { address, topics: [TRANSFER_SINGLE, from, from, to], data };
}

const logs = [
  mint(good, 5),
  mint(later, 6),
  mint(hostile, 7),
  mintId(goodIds, 1),
  ...Array.from({ length: MANY }, (_, id) => mintId(hostileIds, id)),
];

/** A request of every action that is asked about an address or a token, by the registry, in both dialects. */
function requestsOf(token: Address): [query: string, path: "/api" | "/v2/api"][] {
  const named: Record<string, string> = { address: victim, owner: victim, contractaddress: token };
  const queryOf = (module: string, { name, example }: Action) =>
    new URLSearchParams({
      module,
      action: name,
      ...Object.fromEntries(
        Object.entries(example).map(([key, value]) => [key, named[key] ?? value]),
      ),
      ...(module === "account" && { page: "1", offset: "1000" }),
    }).toString();
  return Object.entries(registry).flatMap(([module, actions]) =>
    ["account", "token"].includes(module)
      ? actions.flatMap((action) =>
          (["blockscout", "etherscan"] as const)
            .filter((dialect) => isServedIn(action, dialect))
            .map((dialect): [string, "/api" | "/v2/api"] => [
              queryOf(module, action),
              dialect === "blockscout" ? "/api" : "/v2/api",
            ]),
        )
      : [],
  );
}

/** Facts that only the token has are refused. */
const OF_TOKEN_ITSELF = /action=(?:getToken|tokeninfo|tokenbalancehistory)&/;
const requests = [
  ...requestsOf(good),
  ...requestsOf(hostile).filter(([query]) => !OF_TOKEN_ITSELF.test(query)),
];

describe.each([
  ["at the head", 1_000],
  ["after a backfill", 0],
])("holdings beside those of tokens that the node gets stuck in, %s", (_, finalityDepth) => {
  let index: IndexedNode;
  let server: TestApp;
  let heal: () => void;

  beforeEach(async () => {
    index = await openIndexedNode();
    const isHostile = ({ params }: IncomingCall) => {
      const text = JSON.stringify(params[0]);
      return [hostile, hostileIds].some((token) => text.includes(token));
    };
    const stall = () =>
      index.node.fail({ method: "eth_call", when: isHostile, effect: { kind: "stall" } });
    heal = stall();
    index.node.chain.mine({}, 20);
    await index.start({ finalityDepth, requestTimeoutMs: 100 });
    index.node.chain.mine({ transactions: [{ to: good, logs }] });
    index.node.chain.mine({}, 1);
    server = await createTestApp({ sql: index.sql, nodeUrl: index.node.url });
  });
  afterEach(() => server.close());

  async function isDescribed(token: Address): Promise<boolean> {
    const [row] = await index.sql<{ told: boolean }[]>`
      SELECT unresponsive AS told FROM tokens WHERE address = ${token}`;
    return row?.told ?? false;
  }

  /** The answers, each with what was asked. */
  async function answers() {
    const told = new Map<string, unknown>();
    for (const [query, path] of requests) {
      told.set(`${path} ${query}`, await ask(server.app, query, path));
    }
    return told;
  }

  /** Waits until the index knows the hostile tokens, and has the holdings of the others. */
  async function read(): Promise<void> {
    await index.indexer.until(async () => {
      const pending = await index.sql`
        SELECT FROM token_balances WHERE block_number IS NULL AND token NOT IN (${hostile}, ${hostileIds})`;
      return (
        pending.length === 0 && (await isDescribed(hostile)) && (await isDescribed(hostileIds))
      );
    });
    await index.stop();
  }

  async function isAsIfHealed(): Promise<void> {
    const told = await answers();
    heal();
    for (const [query, answer] of await answers())
      expect.soft(told.get(query), query).toEqual(answer);
  }

  test("are served as if all answered", async () => {
    await read();
    await index.sql`UPDATE token_balances SET block_number = NULL WHERE token = ${later}`;
    await isAsIfHealed();
    const list = await ask(server.app, `module=account&action=tokenlist&address=${victim}`);
    expect(list.result).toHaveLength(MANY + 4);
  });

  test.each([
    ["not known to the index", "unresponsive = false"],
    ["known for changing silently", "unresponsive = false, irregular = true"],
  ])("are served as if all answered, of tokens that are %s", async (_, change) => {
    await read();
    await index.sql.unsafe(`UPDATE tokens SET ${change}`);
    await index.sql`
      DELETE FROM token_id_balances WHERE token = ${hostileIds} AND token_id > 10`;
    await isAsIfHealed();
  });
});

test("the tokens of an owner are listed who was sent very many that use up all gas", async () => {
  // In company their calls fail, alone they keep the node busy.
  const crowd = Array.from({ length: 250 }, (_, number) => scriptedAddress(`burner ${number}`));
  const index = await openIndexedNode({ overrides: true });
  const isAlone = ({ params: [call] }: IncomingCall) =>
    crowd.includes((call as { to: Address }).to);
  index.node.fail({ method: "eth_call", when: isAlone, effect: { kind: "stall" } });
  await index.start({ finalityDepth: 1_000 });
  const server = await createTestApp({ sql: index.sql, nodeUrl: index.node.url });
  onTestFinished(() => server.close());
  const data: Hex = `0x70a08231${wordOfAddress(victim).slice(2)}`;
  const logs = [...crowd.map((token) => mint(token, 7)), mint(good, 5)];
  index.node.chain.mine({
    transactions: [{ to: good, logs }],
    state: { calls: crowd.map((to) => ({ to, data, returns: null })) },
  });
  await index.indexer.until(() => index.indexer.status().head === 1);

  async function requireList(): Promise<void> {
    const list = await ask(server.app, `module=account&action=tokenlist&address=${victim}`);
    const held = new Map(
      (list.result as { contractAddress: Address; balance: string }[]).map((token) => [
        token.contractAddress,
        token.balance,
      ]),
    );
    expect(held).toEqual(new Map([...crowd.map((token) => [token, "7"] as const), [good, "5"]]));
  }

  await requireList();
  await index.stop();
  // As it is where the API asks before the indexer knows.
  await index.sql`
    UPDATE tokens SET unresponsive = false WHERE address = ANY (${crowd.slice(0, 150)}::bytea[])`;
  await requireList();
});
