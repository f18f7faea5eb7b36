import {
  type Address,
  concat,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  maxUint256,
  numberToHex,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../../support/anvil.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import { startTestIndexer } from "../../../../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/postgres.ts";
import { compileContracts } from "../../../../support/world/compile.ts";
import { createRandom } from "../../../../support/world/random.ts";
import { createStage, type Stage } from "../../../../support/world/stage.ts";

// Random acts on real tokens, and events of tokens that answer badly. The truth is asked of the node for every token, spender and id.

const APPROVAL = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
const FOR_ALL = "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31";
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const COIN = "Coin";
const BADGE = "Badge";
const CARGO = "Cargo";
const NAMES = [COIN, BADGE, CARGO] as const;
const IDS = [1n, 2n, 3n, 4n];
/** Approved at the end: kept, moved, burnt. */
const LAST_IDS = [9n, 10n, 11n] as const;
const ACTS = 120;
const BURNERS = 6;

const { Odd } = compileContracts();
const real = compileContracts(new URL("../../../../../src/devnet/contracts/", import.meta.url));
type Name = (typeof NAMES)[number] | "Odd";
const codeOf = (name: Name) => {
  const found = name === "Odd" ? Odd : real[name];
  if (!found) throw new Error(`no contract ${name}`);
  return found;
};

const word = (value: bigint | Address) => numberToHex(BigInt(value), { size: 32 });

let anvil: Anvil;
let stage: Stage;
let database: TestDatabase;
let server: TestApp;
let people: Address[];
let victim: Address;
let crowded: Address;
const tokens = {} as Record<Name, Address>;

function send(from: Address, name: Name, functionName: string, ...args: unknown[]): void {
  const data = encodeFunctionData({ abi: codeOf(name).abi, functionName, args });
  stage.send({ from, to: tokens[name], data });
}

async function create(data: Hex): Promise<Address> {
  stage.send({ from: stage.accounts[9] as Address, data, gas: 4_000_000n });
  const [receipt] = await stage.mine();
  if (receipt?.status !== "0x1" || !receipt.contractAddress) throw new Error("not created");
  return receipt.contractAddress.toLowerCase() as Address;
}

/** Returns init code that emits an approval and ends with the given code. */
function emitter(owner: Address, spender: Address, end: Hex): Hex {
  const topics = concat(["0x7f", word(spender), "0x7f", word(owner), "0x7f", APPROVAL]);
  return concat([topics, "0x60206000a3", end]);
}

/** Plays one random act; some of them fail. */
function act(random: ReturnType<typeof createRandom>): void {
  const [one, other] = [random.pick(people), random.pick(people)] as [Address, Address];
  const id = random.pick(IDS);
  const acts = [
    () =>
      send(
        one,
        COIN,
        "approve",
        other,
        random.pick([0n, 7n, 2n ** 96n - 1n, 2n ** 255n, maxUint256]),
      ),
    () => send(one, COIN, "transferFrom", other, random.pick(people), random.pick([1n, 7n])),
    () => send(one, BADGE, "mint", one, id),
    () => send(one, BADGE, "approve", random.pick([other, zeroAddress]), id),
    () => send(one, BADGE, "transferFrom", one, other, id),
    () => send(one, BADGE, "burn", id),
    () => send(one, BADGE, "setApprovalForAll", other, random.pick([true, true, false])),
    () => send(one, CARGO, "setApprovalForAll", other, random.pick([true, true, false])),
    () => send(one, CARGO, "mintBatch", [1n, 2n], [3n, 4n]),
  ];
  random.pick(acts)();
}

async function view<Result>(name: Name, functionName: string, ...args: unknown[]) {
  const { abi } = codeOf(name);
  const data = encodeFunctionData({ abi, functionName, args });
  const [answer] = await stage.rpc.batch([
    { method: "eth_call", params: [{ to: tokens[name], data }, "latest"] },
  ]);
  if (answer?.error) return undefined;
  return decodeFunctionResult({ abi, functionName, data: answer?.result as Hex }) as Result;
}

beforeAll(async () => {
  anvil = await startAnvil();
  stage = await createStage(anvil.url);
  people = stage.accounts.slice(0, 4).map((each) => each.toLowerCase() as Address);
  [victim, crowded] = stage.accounts.slice(5, 7).map((each) => each.toLowerCase()) as [
    Address,
    Address,
  ];
  const args = { Coin: ["Pearl", "PRL", 6, 1_000n], Badge: [], Cargo: [], Odd: [721n, "Odd", 0n] };
  for (const name of [...NAMES, "Odd"] as const) {
    const { abi, creationCode: bytecode } = codeOf(name);
    tokens[name] = await create(encodeDeployData({ abi, bytecode, args: args[name] }));
  }
  for (const one of people) send(stage.accounts[9] as Address, COIN, "transfer", one, 200n);
  await stage.mine();
  const random = createRandom(11);
  for (let count = 0; count < ACTS; count++) {
    act(random);
    if (count % 3 === 0) await stage.mine();
  }
  await stage.mine();
  const [one, other] = people as [Address, Address];
  for (const id of LAST_IDS) {
    send(one, BADGE, "mint", one, id);
    send(one, BADGE, "approve", other, id);
  }
  send(one, BADGE, "transferFrom", one, other, LAST_IDS[1]);
  send(one, BADGE, "burn", LAST_IDS[2]);
  await stage.mine();
  // Of the collection without getApproved, with an id as the event's data, and of nothing.
  const spender = people[0] as Address;
  const gave = { topics: [TRANSFER, word(0n), word(victim), word(5n)], data: "0x" };
  const named = { topics: [APPROVAL, word(victim), word(spender)], data: word(5n) };
  send(spender, "Odd", "give", 5n, victim, [gave, named]);
  await stage.mine();
  await create(emitter(victim, spender, "0x33ff"));
  // Its code never ends.
  const endless = "0x635b6000566000526004601cf3";
  for (let count = 0; count < BURNERS; count++) await create(emitter(crowded, spender, endless));
  send(crowded, COIN, "approve", spender, 5n);
  await stage.mine();

  database = await createTestDatabase();
  const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url] });
  const head = await stage.rpc.request<{ hash: Hex }>("eth_getBlockByNumber", "latest", false);
  await indexer.reach(head.hash);
  await indexer.stop();
  server = await createTestApp({ sql: database.sql, nodeUrl: anvil.url });
});
afterAll(async () => {
  await server.close();
  await database.drop();
  await anvil.stop();
});

const list = (query: string, path?: "/api" | "/v2/api") =>
  ask(server.app, `module=account&action=approvals&${query}`, path);

interface Log {
  address: Address;
  topics: Hex[];
  blockNumber: Hex;
  logIndex: Hex;
  transactionHash: Hex;
}

/** Returns the rows of an owner by asking the node for everything there could be. */
async function expectedRows(owner: Address) {
  const logs = await stage.rpc.request<Log[]>("eth_getLogs", {
    fromBlock: "0x0",
    topics: [[APPROVAL, FOR_ALL], word(owner)],
  });
  const newest = (name: Name, topic0: Hex, place: number, value: Hex) => {
    const log = logs.findLast(
      ({ address, topics }) =>
        address === tokens[name] && topics[0] === topic0 && topics[place] === value,
    );
    return {
      contractAddress: tokens[name],
      blockNumber: String(Number(log?.blockNumber)),
      logIndex: String(Number(log?.logIndex)),
      transactionHash: log?.transactionHash,
      isProven: "1",
    };
  };
  const rows: (ReturnType<typeof newest> & Record<string, unknown>)[] = [];
  for (const spender of people) {
    const value = (await view<bigint>(COIN, "allowance", owner, spender)) as bigint;
    if (value > 0n) {
      const isUnlimited = value >= 2n ** 255n || value === 2n ** 96n - 1n ? "1" : "0";
      const event = newest(COIN, APPROVAL, 2, word(spender));
      rows.push({
        ...event,
        kind: "allowance",
        spender,
        value: String(value),
        isUnlimited,
        tokenID: "",
      });
    }
    for (const name of [BADGE, CARGO] as const) {
      if (!(await view<boolean>(name, "isApprovedForAll", owner, spender))) continue;
      const event = newest(name, FOR_ALL, 2, word(spender));
      rows.push({ ...event, kind: "operator", spender, value: "", isUnlimited: "1", tokenID: "" });
    }
  }
  for (const id of [...IDS, ...LAST_IDS]) {
    const approved = (await view<Address>(BADGE, "getApproved", id))?.toLowerCase();
    const holder = (await view<Address>(BADGE, "ownerOf", id))?.toLowerCase();
    if (holder !== owner || approved === zeroAddress) continue;
    const event = newest(BADGE, APPROVAL, 3, word(id));
    rows.push({
      ...event,
      kind: "token",
      spender: approved,
      value: "",
      isUnlimited: "0",
      tokenID: String(id),
    });
  }
  return rows.sort(
    (a, b) =>
      Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex),
  );
}

async function expectedHolding(name: Name, owner: Address): Promise<string> {
  const ids = name === CARGO ? [1n, 2n] : [undefined];
  const amounts = ids.map((id) =>
    view<bigint>(name, "balanceOf", ...(id === undefined ? [owner] : [owner, id])),
  );
  const sum = (await Promise.all(amounts)).reduce<bigint>((all, one) => all + (one ?? 0n), 0n);
  return String(sum);
}

describe("after random acts", () => {
  test("the rows are what each token confirms, with its newest event and holding", async () => {
    const seen = new Map<string, number>();
    for (const owner of people) {
      const { result } = await list(`address=${owner}`);
      const rows = await expectedRows(owner);
      expect(result).toMatchObject(rows);
      expect(result).toHaveLength(rows.length);
      for (const row of result) {
        const name = NAMES.find((each) => tokens[each] === row.contractAddress) as Name;
        expect(row.holding).toBe(await expectedHolding(name, owner));
        seen.set(row.kind + row.isUnlimited, (seen.get(row.kind + row.isUnlimited) ?? 0) + 1);
      }
      for (const filter of [
        { kind: "token" },
        { spender: people[1] as Address },
        { contractaddress: tokens[BADGE], kind: "operator" },
      ]) {
        const { result: some } = await list(`address=${owner}&${new URLSearchParams(filter)}`);
        const names = { contractaddress: "contractAddress" } as Record<string, string>;
        const isAsked = (row: Record<string, unknown>) =>
          Object.entries(filter).every(([name, value]) => row[names[name] ?? name] === value);
        expect(some).toEqual(result.filter(isAsked));
      }
    }
    expect([...seen.keys()].sort()).toEqual(["allowance0", "allowance1", "operator1", "token0"]);
  });

  test("pages and cursors give the same rows", async () => {
    const [owner] = people;
    const { result: all } = await list(`address=${owner}`);
    expect(all.length).toBeGreaterThan(3);
    expect((await list(`address=${owner}&page=2&offset=2`)).result).toEqual(all.slice(2, 4));
    const walked: unknown[] = [];
    for (let cursor: string | undefined = "start"; cursor; ) {
      const response = await server.app.inject(
        `/api?module=account&action=approvals&address=${owner}&offset=2&cursor=${cursor}`,
      );
      const rows = response.json().result;
      expect(rows.length).toBe(Math.min(2, all.length - walked.length));
      walked.push(...rows);
      cursor = response.headers["x-next-cursor"] as string | undefined;
    }
    expect(walked).toEqual(all);
  });
});

describe("of tokens that answer badly", () => {
  test("an approval without an answer stays, one without a token goes", async () => {
    const { result } = await list(`address=${victim}`);
    expect(result).toHaveLength(1);
    expect(result[0]).toMatchObject({
      contractAddress: tokens.Odd,
      kind: "token",
      tokenID: "5",
      spender: people[0],
      value: "",
      isUnlimited: "0",
      isProven: "0",
    });
  });

  test("those that use up all gas leave the others proven", async () => {
    const { result } = await list(`address=${crowded}`);
    const proofs = result.map((row: Record<string, string>) => [
      row["kind"],
      row["value"],
      row["isProven"],
    ]);
    expect(proofs).toEqual([
      ["allowance", "5", "1"],
      ...Array.from({ length: BURNERS }, () => ["allowance", "", "0"]),
    ]);
  });
});

test("beyond 20,000 events of an owner a page is short, and a walk finds each approval once", async () => {
  const owner = people[0] as Address;
  const [latest] = await database.sql<
    { number: number }[]
  >`SELECT max(number) AS number FROM blocks`;
  const write = (from: number, to: number) => database.sql`
    INSERT INTO logs (block_number, transaction_index, log_index, address, topic0, topic1, topic2, topic3, data)
    SELECT ${latest?.number ?? 0}::bigint, 0, n, ${tokens[COIN]}::bytea, ${APPROVAL}::bytea, ${word(owner)}::bytea,
      CASE WHEN n % 7000 = 0 THEN ${word(people[1] as Address)}::bytea ELSE decode(lpad(to_hex(n % 3 + 1), 64, '0'), 'hex') END,
      NULL, ${word(5n)}::bytea
    FROM generate_series(${from}::int, ${to}::int) n`;
  await write(1_000, 30_999);
  const names = ({ contractAddress, kind, spender, tokenID, value }: Record<string, unknown>) =>
    [contractAddress, kind, spender, tokenID, value].join();
  const expected = (await expectedRows(owner)).map(names).sort();
  expect(await list(`address=${owner}`)).toMatchObject({ httpStatus: 503, status: "0" });
  for (const offset of [4, 1000]) {
    const walked: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined = "start"; cursor; pages++) {
      const response = await server.app.inject(
        `/api?module=account&action=approvals&address=${owner}&offset=${offset}&cursor=${cursor}`,
      );
      walked.push(...response.json().result.map(names));
      cursor = response.headers["x-next-cursor"] as string | undefined;
    }
    expect(walked.sort()).toEqual(expected);
    expect(pages).toBeGreaterThan(1);
  }
  await database.sql`DELETE FROM logs WHERE log_index >= 1000`;
});

test("a bad parameter is refused, nothing is found for a stranger", async () => {
  const address = victim;
  const texts: [Record<string, string>, string][] = [
    [{}, "Query parameter 'address' is required"],
    [{ address: "0x12" }, "Invalid address format"],
    [{ address, contractaddress: "1" }, "Invalid contract address format"],
    [{ address, spender: "" }, "Invalid spender format"],
    [{ address, kind: "all" }, "Invalid kind format"],
    [{ address, cursor: "x" }, "Invalid cursor"],
  ];
  for (const [parameters, message] of texts) {
    const answer = await list(String(new URLSearchParams(parameters)));
    expect(answer).toMatchObject({ httpStatus: 200, status: "0", message, result: null });
  }
  const nothing = { httpStatus: 200, status: "0", result: [] };
  const stranger = `address=0x${"9".repeat(40)}`;
  expect(await list(stranger)).toEqual({ ...nothing, message: "No approvals found" });
  expect(await list(stranger, "/v2/api")).toEqual({ ...nothing, message: "No records found" });
});

test("without a node there is no answer", async () => {
  const alone = await createTestApp({ sql: database.sql });
  const answer = await ask(alone.app, `module=account&action=approvals&address=${victim}`);
  expect(answer).toMatchObject({ httpStatus: 503, status: "0" });
  expect(answer.message).toContain("The node does not answer");
  await alone.close();
});
