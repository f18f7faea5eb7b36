import {
  type Address,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  toHex,
} from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import type { Sql } from "../../src/db/client.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { ask } from "../support/ask.ts";
import { startTestIndexer, type TestIndexer, type TestIndexerOptions } from "../support/indexer.ts";
import { firstCases } from "../support/matrix.ts";
import { createJsonRpc, type JsonRpc } from "../support/oracle/json-rpc.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { compileContracts } from "../support/world/compile.ts";

// Served data of tokens whose balances, supply and standard change by other events than transfers,
// or by none. `eth_call` at the head is the truth.

const { Odd } = compileContracts();
if (!Odd) throw new Error("not compiled");
const odd = Odd;

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const OWN: Hex = `0x${"ab".repeat(32)}`;
const ZERO: Address = `0x${"0".repeat(40)}`;
const [a, b, c, d] = ["a1", "b2", "c3", "d4"].map((byte) => `0x${byte.repeat(20)}`) as [
  Address,
  Address,
  Address,
  Address,
];
const PEOPLE = [a, b, c, d];

interface Log {
  topics: Hex[];
  data: Hex;
}
const word = (value: bigint | number | Address): Hex =>
  typeof value === "string" ? `0x${value.slice(2).padStart(64, "0")}` : toHex(value, { size: 32 });
const transfer = (from: Address, to: Address, amount: number): Log => ({
  topics: [TRANSFER, word(from), word(to)],
  data: word(amount),
});
const moved = (from: Address, to: Address, id: number, amount: number): Log => ({
  topics: [SINGLE, word(a), word(from), word(to)],
  data: `${word(id)}${word(amount).slice(2)}`,
});
const gave = (from: Address, to: Address, id: number): Log => ({
  topics: [TRANSFER, word(from), word(to), word(id)],
  data: "0x",
});
const own = (...parties: (Address | number)[]): Log => ({
  topics: [OWN, ...parties.slice(0, 3).map(word)],
  data: "0x",
});

type Amounts = Partial<Record<Address, number>>;

class World {
  readonly anvil: Anvil;
  readonly rpc: JsonRpc;
  readonly app: TestApp;
  readonly indexer: TestIndexer;
  readonly sql: Sql;
  readonly close: () => Promise<void>;
  private constructor(
    anvil: Anvil,
    sql: Sql,
    app: TestApp,
    indexer: TestIndexer,
    close: () => Promise<void>,
  ) {
    this.anvil = anvil;
    this.sql = sql;
    this.rpc = createJsonRpc(anvil.url);
    this.app = app;
    this.indexer = indexer;
    this.close = close;
  }

  static async open(options: Partial<TestIndexerOptions> = {}): Promise<World> {
    const anvil = await startAnvil();
    const database = await createTestDatabase();
    const app = await createTestApp({ sql: database.sql, nodeUrl: anvil.url });
    const indexer = startTestIndexer({
      databaseUrl: database.url,
      rpcUrls: [anvil.url],
      finalityDepth: 1_000,
      ...options,
    });
    return new World(anvil, database.sql, app, indexer, async () => {
      await indexer.stop();
      await app.close();
      await database.drop();
      await anvil.stop();
    });
  }

  async send(to: Address | undefined, data: Hex): Promise<Address> {
    const [from] = await this.rpc.request<Address[]>("eth_accounts");
    const hash = await this.rpc.request<Hex>("eth_sendTransaction", {
      from,
      ...(to && { to }),
      data,
      gas: "0x800000",
    });
    const receipt = await expect
      .poll(() =>
        this.rpc.request<{ contractAddress: Address; status: Hex } | null>(
          "eth_getTransactionReceipt",
          hash,
        ),
      )
      .not.toBeNull()
      .then(() =>
        this.rpc.request<{ contractAddress: Address; status: Hex }>(
          "eth_getTransactionReceipt",
          hash,
        ),
      );
    expect(receipt.status).toBe("0x1");
    return receipt.contractAddress;
  }

  make(kind: number, name = "Odd", places = 18): Promise<Address> {
    return this.send(
      undefined,
      encodeDeployData({ abi: odd.abi, bytecode: odd.creationCode, args: [kind, name, places] }),
    );
  }

  act(token: Address, functionName: string, ...args: unknown[]): Promise<unknown> {
    return this.send(token, encodeFunctionData({ abi: odd.abi, functionName, args }));
  }

  set(token: Address, amounts: Amounts, supply: number, logs: Log[] = [], id = 0) {
    const [parties, values] = [Object.keys(amounts), Object.values(amounts)];
    return this.act(token, "set", parties, id, values, supply, logs);
  }

  setHidden(token: Address, amounts: Amounts, supply: number, logs: Log[] = []) {
    const parties = Object.keys(amounts).map((one) =>
      toHex(~BigInt(one) & (2n ** 160n - 1n), { size: 20 }),
    );
    const values = Object.values(amounts).map((value) => BigInt(value ?? 0));
    const data = encodeAbiParameters(
      [{ type: "address[]" }, { type: "uint256[]" }, { type: "uint256" }],
      [parties, values, BigInt(supply)],
    );
    return this.act(token, "setHidden", data, logs);
  }

  async call(
    to: Address,
    functionName: string,
    types: string,
    ...args: unknown[]
  ): Promise<bigint | null> {
    const item = odd.abi.find(
      (one) =>
        one.type === "function" &&
        one.name === functionName &&
        one.inputs.map(({ type }) => type).join() === types,
    );
    const data = encodeFunctionData({ abi: [item], args } as never);
    try {
      const answer = await this.rpc.request<Hex>("eth_call", { to, data }, "latest");
      return answer.length < 66 ? null : BigInt(answer.slice(0, 66));
    } catch {
      return null;
    }
  }

  /** Waits for the index; time passes for marked tokens, which are read again at intervals, and the chain goes on. */
  async reach(): Promise<void> {
    const pass = () =>
      void this.sql`
        UPDATE tokens SET stale_since = now(), swept_at = swept_at - interval '1 hour'
        WHERE stale_block IS NOT NULL`.execute();
    pass();
    const passing = setInterval(pass, 100);
    const mining = setInterval(() => void this.rpc.request("evm_mine"), 2_000);
    await expect
      .poll(
        async () => {
          const latest = await this.rpc.request<{ hash: Hex }>(
            "eth_getBlockByNumber",
            "latest",
            false,
          );
          return this.indexer.isAt(latest.hash);
        },
        { timeout: 90_000, interval: 50 },
      )
      .toBe(true)
      .finally(() => [passing, mining].forEach(clearInterval));
  }

  async result(query: string, path: "/api" | "/v2/api" = "/api") {
    return (await ask(this.app.app, query, path)).result;
  }

  /** The contract's answers about all people, and every API answer about them. */
  async expectTruth(token: Address, ids: number[] = []): Promise<void> {
    await this.reach();
    const isOfIds = (await this.call(token, "supportsInterface", "bytes4", "0xd9b67a26")) === 1n;
    const isCollection =
      (await this.call(token, "supportsInterface", "bytes4", "0x80ac58cd")) === 1n;
    const supply = (await this.call(token, "totalSupply", "")) ?? (isOfIds ? null : 0n);
    const held = new Map<Address, Map<string, bigint>>();
    for (const person of PEOPLE) {
      const asked = isOfIds ? ids : [undefined];
      const parts = new Map<string, bigint>();
      for (const id of asked) {
        const amount = isOfIds
          ? await this.call(token, "balanceOf", "address,uint256", person, id)
          : await this.call(token, "balanceOf", "address", person);
        if (amount) parts.set(String(id ?? ""), amount);
      }
      held.set(person, parts);
    }
    const whole = (person: Address) =>
      [...(held.get(person)?.values() ?? [])].reduce((x, y) => x + y, 0n);
    const type = isOfIds ? "ERC-1155" : isCollection ? "ERC-721" : "ERC-20";
    for (const path of ["/api", "/v2/api"] as const) {
      for (const person of PEOPLE) {
        const query = `module=account&action=tokenbalance&contractaddress=${token}&address=${person}`;
        expect
          .soft(await this.result(query, path), `${path} ${person}`)
          .toBe(String(whole(person)));
      }
      const ofToken = `&contractaddress=${token}`;
      expect
        .soft(await this.result(`module=stats&action=tokensupply${ofToken}`, path))
        .toBe(supply === null ? null : String(supply));
    }
    const known = await this.result(`module=token&action=getToken&contractaddress=${token}`);
    expect.soft(known).toMatchObject({ totalSupply: supply === null ? "" : String(supply) });
    if (supply !== 0n) expect.soft(known).toMatchObject({ type });
    const holders = PEOPLE.filter((person) => whole(person) > 0n)
      .map((person) => ({ address: person, value: String(whole(person)) }))
      .sort(
        (x, y) => Number(BigInt(y.value) - BigInt(x.value)) || (x.address < y.address ? 1 : -1),
      );
    await expect
      .poll(() => this.result(`module=token&action=getTokenHolders&contractaddress=${token}`))
      .toEqual(holders);
    await expect
      .poll(() =>
        this.result(`module=token&action=tokenholdercount&contractaddress=${token}`, "/v2/api"),
      )
      .toBe(String(holders.length));
    for (const person of PEOPLE) {
      const parts = [...(held.get(person) ?? [])].map(([id, balance]) => ({
        balance: String(balance),
        type,
        ...(isOfIds && { id }),
      }));
      await expect
        .poll(async () => {
          const list = await this.result(`module=account&action=tokenlist&address=${person}`);
          return (list ?? [])
            .filter((one: { contractAddress: Address }) => one.contractAddress === token)
            .map(({ balance, type, id }: Record<string, string>) => ({
              balance,
              type,
              ...(id !== undefined && { id }),
            }));
        })
        .toEqual(parts);
    }
  }
}

const INDEXES = [
  ["with traces", {}],
  ["without traces", { traces: "off" as const }],
] as const;

describe.each(firstCases(INDEXES, 1))("an index %s", (_, options) => {
  let world: World;
  beforeAll(async () => {
    world = await World.open(options);
    return () => world.close();
  });

  async function coin(): Promise<Address> {
    const token = await world.make(20);
    await world.set(token, { [a]: 1_000_000 }, 1_000_000, [transfer(ZERO, a, 1_000_000)]);
    await world.set(token, { [a]: 997_000, [b]: 1_000, [c]: 2_000 }, 1_000_000, [
      transfer(a, b, 1_000),
      transfer(a, c, 2_000),
    ]);
    await world.expectTruth(token);
    return token;
  }

  test("of a coin that is issued, seized and moved by events of its own", async () => {
    const token = await coin();
    await world.set(token, { [a]: 997_555 }, 1_000_555, [own(555)]);
    await world.expectTruth(token);
    await world.set(token, { [b]: 0 }, 999_555, [own(b, 1_000)]);
    await world.expectTruth(token);
    await world.set(token, { [c]: 1_900, [d]: 100 }, 999_555, [transfer(c, d, 100)]);
    await world.expectTruth(token);
    await world.set(token, { [d]: 777 }, 1_000_232);
    await world.expectTruth(token);
  });

  test("of a coin whose changes nothing names", async () => {
    const token = await coin();
    await world.setHidden(token, { [b]: 0, [c]: 3_000 }, 1_000_000);
    await world.expectTruth(token);
    await world.setHidden(token, { [a]: 900_000 }, 903_000, [own()]);
    await world.expectTruth(token);
    await world.setHidden(token, { [b]: 5 }, 1_000_005, [transfer(a, c, 1)]);
    await world.expectTruth(token);
  });

  test("of a coin that named an account before it held anything", async () => {
    const token = await coin();
    await world.set(token, { [d]: 0 }, 1_000_000, [own(d)]);
    await world.reach();
    await world.setHidden(token, { [c]: 3_000 }, 1_001_000);
    await world.expectTruth(token);
    await world.setHidden(token, { [d]: 9 }, 1_001_009);
    await world.expectTruth(token);
  });

  test("of a coin whose deposit stays when a later transfer is rolled back", async () => {
    const token = await coin();
    await world.set(token, { [d]: 5 }, 1_000_005, [own(d)]);
    await world.expectTruth(token);
    const before = await world.rpc.request<string>("evm_snapshot");
    await world.set(token, { [a]: 996_997, [d]: 8 }, 1_000_005, [transfer(a, d, 3)]);
    await world.expectTruth(token);
    await world.rpc.request("evm_revert", before);
    await world.set(token, { [c]: 1_999, [b]: 1_001 }, 1_000_005, [transfer(c, b, 1)]);
    await world.rpc.request("evm_mine");
    await world.expectTruth(token);
    // Of both the deposit and a withdrawal, where no transfer tells them from each other.
    const later = await world.rpc.request<string>("evm_snapshot");
    await world.set(token, { [a]: 996_997, [d]: 8 }, 1_000_005, [transfer(a, d, 3)]);
    await world.set(token, { [d]: 3 }, 1_000_000, [own(d)]);
    await world.expectTruth(token);
    await world.rpc.request("evm_revert", later);
    for (let blocks = 3; blocks > 0; blocks--) await world.rpc.request("evm_mine");
    await world.expectTruth(token);
  });

  test("of a wrapped coin whose deposits are no transfers", async () => {
    const token = await world.make(20);
    await world.set(token, { [b]: 1_000 }, 1_000, [own(b)]);
    await world.set(token, { [c]: 500 }, 1_500, [own(c)]);
    await world.set(token, { [c]: 300, [d]: 200 }, 1_500, [transfer(c, d, 200)]);
    await world.expectTruth(token);
    await world.set(token, { [a]: 50 }, 1_550, [own(a)]);
    await world.expectTruth(token);
  });

  test("of a token of ids that are moved by force", async () => {
    const token = await world.make(1155);
    await world.set(token, { [b]: 50 }, 0, [moved(ZERO, b, 7, 50)], 7);
    await world.expectTruth(token, [7]);
    await world.set(token, { [b]: 30, [c]: 20 }, 0, [own(b, c, 7)], 7);
    await world.expectTruth(token, [7]);
  });

  test("of a token of ids whose first event is another standard's", async () => {
    const token = await world.make(1155);
    await world.set(token, { [a]: 0 }, 0, [transfer(ZERO, a, 1)], 7);
    await world.set(token, { [a]: 30 }, 0, [moved(ZERO, a, 7, 30)], 7);
    await world.expectTruth(token, [7]);
  });

  test("of a token of ids that logs as a collection does", async () => {
    const token = await world.make(1155);
    await world.set(token, { [a]: 1 }, 0, [gave(ZERO, a, 7)], 7);
    await world.expectTruth(token, [7]);
    await world.set(token, { [a]: 0, [b]: 1 }, 0, [gave(a, b, 7)], 7);
    await world.expectTruth(token, [7]);
  });

  test.each([1155, 721])("of a coin that becomes one of ERC-%d", async (kind) => {
    const token = await coin();
    await world.act(token, "become", kind, "Second life", 0);
    if (kind === 1155) await world.set(token, { [a]: 5 }, 0, [moved(ZERO, a, 7, 5)], 7);
    else {
      await world.set(token, { [a]: 0, [b]: 0, [c]: 0 }, 0);
      await world.act(token, "give", 7, a, [gave(ZERO, a, 7)]);
    }
    await world.expectTruth(token, [7]);
    const query = `module=token&action=getToken&contractaddress=${token}`;
    expect(await world.result(query)).toMatchObject({ name: "Second life", decimals: "" });
  });

  test("of a coin that changes its decimals", async () => {
    const token = await coin();
    await world.act(token, "become", 20, "Six", 6);
    await world.set(token, { [a]: 996_999, [b]: 1_001 }, 1_000_000, [transfer(a, b, 1)]);
    await world.expectTruth(token);
    await expect
      .poll(async () => {
        const list = await world.result(`module=account&action=tokenlist&address=${b}`);
        return list.find((one: { contractAddress: Address }) => one.contractAddress === token);
      })
      .toMatchObject({ decimals: "6", name: "Six" });
    await world.rpc.request("anvil_setStorageAt", token, word(2), word(3));
    await world.rpc.request("evm_mine");
    const query = `module=token&action=topholders&contractaddress=${token}&offset=1`;
    await world.reach();
    const [top] = await world.result(query);
    expect(top).toMatchObject({ TokenHolderAddress: a, TokenHolderQuantity: "996.999" });
  });

  test("of a destroyed coin", async () => {
    const token = await coin();
    await world.rpc.request("anvil_setCode", token, "0x");
    await world.send(token, "0x");
    await world.expectTruth(token);
  });

  test("of a collection whose tokens are moved without a transfer, and lapse", async () => {
    const token = await world.make(721);
    for (const id of [1, 2, 3]) await world.act(token, "give", id, a, [gave(ZERO, a, id)]);
    await world.expectTruth(token);
    await world.act(token, "give", 2, b, []);
    await world.act(token, "give", 3, ZERO, []);
    await world.expectTruth(token);
    const ids = async (owner: Address) => {
      const query = `module=account&action=addresstokennftinventory&contractaddress=${token}&address=${owner}`;
      return ((await world.result(query, "/v2/api")) ?? []).map(
        (one: { TokenId: string }) => one.TokenId,
      );
    };
    expect(await ids(a)).toEqual(["1"]);
    expect(await ids(b)).toEqual(["2"]);
    await world.act(token, "give", 8, b, [own(8)]);
    await world.act(token, "give", 105, b, []);
    await world.expectTruth(token);
    expect(await ids(b)).toEqual(["2", "8", "105"]);
    await world.act(token, "give", 9, b, []);
    await world.expectTruth(token);
    const query = `module=account&action=addresstokennftinventory&contractaddress=${token}&address=${b}`;
    expect(await world.result(query)).toBeNull();
  });
});
