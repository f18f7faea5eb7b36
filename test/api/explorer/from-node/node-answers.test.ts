import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Context } from "../../../../src/api/explorer/action.ts";
import { failed, ok } from "../../../../src/api/explorer/envelope.ts";
import {
  answered,
  atBlock,
  listOwnedIds,
  readBalanceAt,
  readCoinAccounts,
  readContracts,
  readHoldingAt,
} from "../../../../src/api/explorer/from-node/accounts.ts";
import { readHolding } from "../../../../src/api/explorer/from-node/holdings.ts";
import {
  readHolderCount,
  readHolders,
  readOwnedTokens,
  readPastHolders,
  readToken,
} from "../../../../src/api/explorer/from-node/members.ts";
import {
  createMempool,
  withoutUnservedBlock,
} from "../../../../src/api/explorer/from-node/transactions/unindexed.ts";
import type { Chain } from "../../../../src/chain/chain.ts";
import { CONTROL } from "../../../../src/chain/state/contract-calls.ts";
import { createUnresponsiveContracts } from "../../../../src/chain/state/unresponsive-contracts.ts";
import { ChainError } from "../../../../src/core/errors.ts";
import { type Address, ZERO_ADDRESS } from "../../../../src/core/evm/address.ts";
import { listCoinAccounts } from "../../../../src/store/state/addresses/coin-balances.ts";
import { getServedHead, type ServedHead } from "../../../../src/store/sync-state.ts";
import { addressAt, publish } from "../../../support/build.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/postgres.ts";

// The rows are real; the node's answers are given. Head is block 2.

const [A, B, C, TOKEN, MULTI] = [1, 2, 3, 0x70, 0x71].map(addressAt) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
const MANY = 200;
const TOO_MANY = { httpStatus: 503, message: expect.stringMatching(/^Balances are still being/) };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  const { sql } = database;
  await sql`TRUNCATE blocks, addresses, tokens, token_balances, token_id_balances, sync_state`;
  await publish(sql, { blocks: [{ number: 1 }, { number: 2 }] });
});

/** Context of an action, with the node's answers given; any other question fails. */
function context(chain: Partial<Record<keyof Chain, unknown>> = {}): Context {
  const { sql } = database;
  return {
    read: (query: Parameters<Context["read"]>[0]) =>
      query(sql, getServedHead(sql) as Promise<ServedHead>),
    chain: { fetchCalls: async () => [CONTROL.data], ...chain },
    unresponsive: createUnresponsiveContracts(),
  } as unknown as Context;
}

function unavailable(): never {
  throw new ChainError("state-unavailable", "pruned", { retryable: false });
}

test("what a node leaves unanswered is no answer", () => {
  expect(answered(null)).toBe(null);
  expect(answered(0)).toBe(0);
  expect(() => answered(undefined)).toThrow(ChainError);
});

test("contracts are those that the index knows, and those whose code the node has", async () => {
  const head = { number: 2 } as never;
  const presences = [
    { address: A, isContract: true },
    { address: B, isContract: false },
  ];
  const nobody = { chain: {} as Chain };
  expect(await readContracts(nobody, presences, head)).toEqual(new Set([A]));
  const chain = {
    fetchCodes: async (addresses: Address[], at: unknown) => {
      expect([addresses, at]).toEqual([[TOKEN, C], head]);
      return ["0x60", "0x"];
    },
  } as unknown as Chain;
  const unknown = [
    { address: TOKEN, isContract: null },
    { address: C, isContract: null },
  ];
  const found = await readContracts({ chain }, [...presences, ...unknown], head);
  expect(found).toEqual(new Set([A, TOKEN]));
});

describe("holders at a block", () => {
  const move = (
    blockNumber: number,
    logIndex: number,
    from: Address,
    to: Address,
    amount: bigint,
  ) => ({
    blockNumber,
    logIndex,
    token: TOKEN,
    standard: 20 as const,
    fromAddress: from,
    toAddress: to,
    amount,
  });
  beforeEach(async () => {
    await database.sql`TRUNCATE token_transfers, address_token_transfers, transactions, address_transactions`;
    await publish(database.sql, {
      tokens: [{ address: TOKEN }],
      tokenTransfers: [
        move(1, 0, ZERO_ADDRESS, A, 10n),
        move(1, 1, A, B, 4n),
        move(2, 0, B, C, 4n),
      ],
    });
  });
  const ask = (
    balances: Record<Address, bigint | null>,
    supply: bigint,
    page = { limit: 10, skip: 0 },
  ) => {
    const asked: number[] = [];
    const answer = readPastHolders(
      {
        ...context({
          fetchTokenBalances: async (queries: { owner: Address }[], block: { number: number }) => {
            asked.push(block.number);
            return queries.map(({ owner }) => balances[owner]);
          },
          fetchCalls: async () => [`0x${supply.toString(16).padStart(64, "0")}`],
        }),
        page,
      },
      TOKEN,
      1,
    );
    return answer.then((outcome) => {
      expect(asked).toEqual([1]);
      return outcome;
    });
  };

  test("are the sums of the transfers up to it, where the contract reports the same", async () => {
    expect(await ask({ [A]: 6n, [B]: 4n }, 10n)).toMatchObject({
      kind: "ok",
      result: [
        { owner: A, amount: "6" },
        { owner: B, amount: "4" },
      ],
    });
    expect(await ask({ [B]: 4n }, 10n, { limit: 1, skip: 1 })).toMatchObject({
      result: [{ owner: B, amount: "4" }],
    });
  });

  test("are refused where the contract reports another balance, none, or another supply", async () => {
    const refused = failed(
      "unsupported",
      "The contract's balances at this block are not the sums of its transfers",
    );
    expect(await ask({ [A]: 6n, [B]: 5n }, 10n)).toEqual(refused);
    expect(await ask({ [A]: 6n, [B]: null }, 10n)).toEqual(refused);
    expect(await ask({ [A]: 6n, [B]: 4n }, 11n)).toEqual(refused);
  });

  test("are refused in words without the state, above the head, and where transfers are missing", async () => {
    const chain = { fetchTokenBalances: unavailable, fetchCalls: unavailable };
    const at = (blockNumber: number) =>
      readPastHolders({ ...context(chain), page: { limit: 10, skip: 0 } }, TOKEN, blockNumber);
    expect(await at(1)).toEqual(failed("state-unavailable", "Historical state is not available"));
    expect(await at(3)).toEqual(
      failed("invalid-parameter", "Invalid blockno format", { parameter: "blockno" }),
    );
    await database.sql`UPDATE sync_state SET start_block = 1`;
    expect(await at(1)).toEqual(
      failed("state-unavailable", "The transfers before the first indexed block are not known"),
    );
  });
});

describe("coin balances", () => {
  const stored = { address: A, balance: "5" };
  const pending = { address: B, balance: "9", balanceBlock: null };

  test("that are stored are not asked for, others are, each at its place", async () => {
    await publish(database.sql, { addresses: [stored, pending] });
    const list = (addresses: Address[]) =>
      readCoinAccounts(
        context({
          fetchCoinBalances: async (asked: Address[], at: { number: number }) => {
            expect([asked, at.number]).toEqual([[B, C], 2]);
            return [70n, 80n];
          },
        }),
        (sql) => listCoinAccounts(sql, addresses),
      );
    const balances = (await list([B, A, C])).map(({ balance }) => balance);
    expect(balances).toEqual(["70", "5", "80"]);
    expect((await list([A])).map(({ balance }) => balance)).toEqual(["5"]);
  });

  test("are refused when more than 200 would have to be asked for", async () => {
    const asked = (count: number) =>
      readCoinAccounts(
        context({ fetchCoinBalances: async (all: Address[]) => all.map(() => 1n) }),
        (sql) =>
          listCoinAccounts(
            sql,
            Array.from({ length: count }, (_, index) => addressAt(1_000 + index)),
          ),
      );
    expect(await asked(MANY)).toHaveLength(MANY);
    await expect(asked(MANY + 1)).rejects.toMatchObject(TOO_MANY);
  });

  describe("at a block", () => {
    const at = (block: number, chain: Partial<Record<keyof Chain, unknown>>, onlyKnown = false) =>
      readBalanceAt(context(chain), A, block, { onlyKnown });
    const balances = async (_addresses: Address[], { number }: { number: number }) => [
      BigInt(number * 10),
    ];

    beforeEach(() => publish(database.sql, { addresses: [stored] }));

    test.each([2, 3, Number.POSITIVE_INFINITY])("%d is that of the head", async (block) => {
      expect(await at(block, {})).toBe(5n);
    });

    test("below the head is the node's", async () => {
      expect(await at(1, { fetchCoinBalances: balances })).toBe(10n);
    });

    test("below the first indexed one is the node's, when it has the block", async () => {
      const header = { fetchHeader: async (number: number) => ({ number, hash: "0x" }) };
      expect(await at(0, { ...header, fetchCoinBalances: balances })).toBe(0n);
      expect(await at(0, { fetchHeader: async () => null })).toBeUndefined();
    });

    test("whose state the node has dropped is unknown, other failures are told", async () => {
      expect(await at(1, { fetchCoinBalances: unavailable })).toBeUndefined();
      const fetchCoinBalances = () => {
        throw new ChainError("timeout", "slow", { retryable: true });
      };
      await expect(at(1, { fetchCoinBalances })).rejects.toThrow("slow");
    });

    test("of an address that the index has never seen is unknown where that is asked", async () => {
      await database.sql`TRUNCATE addresses`;
      const chain = { fetchCoinBalances: async () => [3n] };
      expect(await at(2, chain, true)).toBeUndefined();
      expect(await at(2, chain)).toBe(3n);
    });
  });
});

describe("the state behind a block", () => {
  type At = Parameters<typeof atBlock<string, string>>[3];
  const at = (block: number, answer: At = async () => ok("told"), header: object | null = null) =>
    atBlock(context({ fetchHeader: async () => header }), block, async () => "found", answer);

  test("is told of blocks up to the head", async () => {
    expect(await at(2)).toEqual(ok("told"));
    expect(await at(3)).toEqual(
      failed("invalid-parameter", "Invalid blockno format", { parameter: "blockno" }),
    );
  });

  test("is told of a block before the first indexed one where the node has that block", async () => {
    const answer: At = async ({ isIndexed }) => ok(String(isIndexed));
    expect(await at(0, answer, { number: 0 })).toEqual(ok("false"));
    expect(await at(0)).toEqual(failed("state-unavailable", "Historical state is not available"));
  });

  test("is not there where the node has dropped it, other failures are told", async () => {
    expect(await at(1, async () => unavailable())).toEqual(
      failed("state-unavailable", "Historical state is not available"),
    );
    const slow = async () => {
      throw new ChainError("timeout", "slow", { retryable: true });
    };
    await expect(at(1, slow)).rejects.toThrow("slow");
  });

  test("is not asked for when the query has failed, whatever the block", async () => {
    const refused = async () => failed("not-found", "none");
    const answer = async () => ok("told");
    expect(await atBlock(context(), 9, refused, answer)).toEqual(failed("not-found", "none"));
  });
});

describe("holdings", () => {
  const page = { limit: 10, skip: 0 };
  const holders = (chain: Partial<Record<keyof Chain, unknown>> = {}) =>
    readHolders(context(chain), TOKEN, page, async (_sql, owners) => owners);
  const amounts = (told: (bigint | undefined)[]) => ({
    fetchTokenBalances: async (keys: unknown[]) => keys.map((_, index) => told[index]),
  });

  async function hold(rows: { owner: Address; amount: string; blockNumber?: number | null }[]) {
    await publish(database.sql, {
      tokens: [{ address: TOKEN, holderCount: rows.filter(({ amount }) => amount !== "0").length }],
      tokenBalances: rows.map((row) => ({ token: TOKEN, ...row })),
    });
  }

  test("that are known need no node; the largest come first, equal ones by address", async () => {
    await hold([
      { owner: A, amount: "5" },
      { owner: B, amount: "7" },
      { owner: C, amount: "5" },
    ]);
    const { holders: found, head, extra } = await holders();
    expect(head?.number).toBe(2);
    expect(found.map(({ owner }) => owner)).toEqual([B, C, A]);
    expect(extra).toEqual([B, C, A]);
    expect(await readHolderCount(context(), TOKEN)).toBe(3);
  });

  test("that are unsure are the contract's, and gone where it says 0", async () => {
    await hold([
      { owner: A, amount: "5", blockNumber: null },
      { owner: B, amount: "7" },
      { owner: C, amount: "6", blockNumber: null },
    ]);
    const [first] = (await holders(amounts([1n, 1n]))).extra.slice(1);
    const told = first === A ? [9n, 0n] : [0n, 9n];
    const { holders: found } = await holders(amounts(told));
    expect(found.map(({ owner, amount }) => [owner, amount])).toEqual([
      [A, "9"],
      [B, "7"],
    ]);
    expect(await readHolderCount(context(amounts(told)), TOKEN)).toBe(2);
    // An amount without an answer stays as stored.
    expect(await readHolderCount(context(amounts([])), TOKEN)).toBe(3);
  });

  test("that are unsure and were 0 may come to count", async () => {
    await hold([{ owner: A, amount: "0", blockNumber: null }]);
    expect(await readHolderCount(context(amounts([4n])), TOKEN)).toBe(1);
    expect(await readHolderCount(context(amounts([0n])), TOKEN)).toBe(0);
  });

  test.each([
    ["more", "9", [A, B]],
    ["less", "3", [B, A]],
  ])("of equal amounts, and of %s, are ordered alike", async (_what, amount, owners) => {
    await hold([
      { owner: A, amount: "1", blockNumber: null },
      { owner: B, amount: "7" },
    ]);
    const { holders: found } = await holders(amounts([BigInt(amount)]));
    expect(found.map(({ owner }) => owner)).toEqual(owners);
  });

  test("that are unsure by the hundred are refused, those of a silently changing token stay as stored", async () => {
    const rows = (count: number, blockNumber: number | null) =>
      Array.from({ length: count }, (_, index) => ({
        owner: addressAt(1_000 + index),
        amount: "1",
        blockNumber,
      }));
    await hold(rows(MANY + 1, null));
    await expect(readHolderCount(context(), TOKEN)).rejects.toMatchObject(TOO_MANY);
    await database.sql`UPDATE token_balances SET block_number = 1`;
    await database.sql`UPDATE tokens SET irregular = true`;
    expect(await readHolderCount(context(), TOKEN)).toBe(MANY + 1);
    await database.sql`DELETE FROM token_balances WHERE owner = ${addressAt(1_000)}`;
    await database.sql`UPDATE tokens SET holder_count = ${MANY}`;
    const gone = amounts(Array(MANY).fill(0n));
    expect(await readHolderCount(context(gone), TOKEN)).toBe(0);
  });

  test("of an owner in hundreds of silently changing tokens: the oldest tokens are asked, the rest stays as stored", async () => {
    const tokens = Array.from({ length: MANY + 1 }, (_, index) => addressAt(1_000 + index));
    await publish(database.sql, {
      tokens: tokens.map((address, index) => ({ address, firstBlock: index === 0 ? 2 : 1 })),
      tokenBalances: tokens.map((token) => ({ token, owner: A, amount: "1" })),
    });
    await database.sql`UPDATE tokens SET irregular = true`;
    const chain = amounts(Array(MANY).fill(9n));
    const owned = await readOwnedTokens(context(chain), A, [20], { limit: 1_000, skip: 0 });
    expect(owned.map(({ amount }) => amount)).toEqual(["1", ...Array(MANY).fill("9")]);
  });

  test("of one owner: what the contract tells, or nothing", async () => {
    expect(await readHolding(context(amounts([undefined])), TOKEN, A)).toBe(0n);
    await hold([{ owner: A, amount: "5" }]);
    expect(await readHolding(context(amounts([5n])), TOKEN, A)).toBe(5n);
    expect(await readHolding(context(amounts([undefined])), TOKEN, A)).toBeNull();
    expect(await readHolding(context(amounts([0n])), TOKEN, B)).toBe(0n);
    await database.sql`UPDATE token_balances SET block_number = NULL`;
    expect(await readHolding(context(amounts([8n])), TOKEN, A)).toBe(8n);
    await database.sql`UPDATE tokens SET irregular = true`;
    expect(await readHolding(context(amounts([3n])), TOKEN, B)).toBe(3n);
  });

  test.each(["-5", String(2n ** 256n)])(
    "that nobody can have are none when the contract does not tell: %s",
    async (amount) => {
      await hold([{ owner: A, amount, blockNumber: null }]);
      expect(await readHolding(context(amounts([])), TOKEN, A)).toBeNull();
      expect((await holders(amounts([]))).holders).toEqual([]);
    },
  );

  test.each(["-5", String(2n ** 256n)])(
    "of a token that the node gets stuck in are the stored ones, and none where nobody can have them: %s",
    async (amount) => {
      await hold([
        { owner: A, amount, blockNumber: null },
        { owner: B, amount: "6", blockNumber: null },
      ]);
      await database.sql`UPDATE tokens SET unresponsive = true`;
      expect(await readHolding(context(), TOKEN, B)).toBeNull();
      expect((await holders()).holders).toEqual([{ owner: B, amount: "6" }]);
      const owned = (owner: Address) => readOwnedTokens(context(), owner, [20], page);
      expect(await owned(A)).toEqual([]);
      expect(await owned(B)).toMatchObject([{ token: TOKEN, amount: "6" }]);
    },
  );

  test("by id are asked for by id, and the whole follows", async () => {
    await publish(database.sql, {
      tokens: [{ address: MULTI, standard: 1155 }],
      tokenBalances: [{ token: MULTI, owner: A, amount: "8", blockNumber: null }],
      tokenIdBalances: [
        { token: MULTI, owner: A, tokenId: "1", amount: "3" },
        { token: MULTI, owner: A, tokenId: "2", amount: "4", blockNumber: null },
        { token: MULTI, owner: A, tokenId: "10", amount: "1" },
        { token: MULTI, owner: B, tokenId: "30", amount: "1" },
      ],
    });
    const chain = {
      fetchTokenBalances: async (keys: { id?: bigint }[]) => {
        return keys.map(({ id }) => (id === undefined ? null : id === 2n ? 10n : id));
      },
    };
    // Of a token with few holders its other ids are asked for, too.
    expect(await readHolding(context(chain), MULTI, A)).toBe(51n);
    const owned = await readOwnedTokens(context(chain), A, [1155], page);
    expect(owned.map(({ tokenId, amount }) => [tokenId, amount])).toEqual([
      ["1", "3"],
      ["2", "10"],
      ["10", "1"],
    ]);
    expect(await readOwnedTokens(context(chain), A, [20], page)).toEqual([]);
  });

  test("of several tokens come by token, then id; what is gone is left out", async () => {
    await publish(database.sql, {
      tokens: [{ address: TOKEN }, { address: MULTI }],
      tokenBalances: [
        { token: TOKEN, owner: A, amount: "1", blockNumber: null },
        { token: MULTI, owner: A, amount: "2" },
      ],
    });
    const owned = async (told: bigint) =>
      (await readOwnedTokens(context(amounts([told])), A, [20], page)).map(({ token }) => token);
    expect(await owned(5n)).toEqual([TOKEN, MULTI].sort());
    expect(await owned(0n)).toEqual([MULTI]);
  });
});

describe("what was held after an earlier block", () => {
  const block = { number: 1, hash: "0x11", isIndexed: true } as const;

  test("is asked for by the ids that the owner has had, where a token is kept by id", async () => {
    await publish(database.sql, {
      tokens: [{ address: TOKEN }, { address: MULTI, standard: 1155 }],
      tokenBalances: [
        { token: TOKEN, owner: A, amount: "1" },
        { token: MULTI, owner: A, amount: "7" },
      ],
      tokenIdBalances: [{ token: MULTI, owner: A, tokenId: "9", amount: "7" }],
    });
    expect(await listOwnedIds(database.sql, MULTI, A)).toEqual(["9"]);
    expect(await listOwnedIds(database.sql, TOKEN, A)).toBeUndefined();
    expect(await listOwnedIds(database.sql, MULTI, B)).toEqual(["9"]);
    await database.sql`UPDATE tokens SET holder_count = 65`;
    expect(await listOwnedIds(database.sql, MULTI, B)).toEqual([]);
  });

  test("is the sum of what the contract tells of each", async () => {
    const asked: unknown[] = [];
    const told = context({
      fetchTokenBalances: async (keys: unknown[], at: unknown) => {
        expect(at).toBe(block);
        asked.push(...keys);
        return [3n, 4n];
      },
    });
    const held = (ids?: string[]) => readHoldingAt(told, { token: MULTI, owner: A }, block, ids);
    expect(await held(["1", "9"])).toEqual(ok("7"));
    expect(await held()).toEqual(ok("7"));
    expect(await held([])).toEqual(ok("0"));
    expect(asked).toEqual([
      { token: MULTI, owner: A, id: 1n },
      { token: MULTI, owner: A, id: 9n },
      { token: MULTI, owner: A },
    ]);
  });

  test.each([
    [0n, ok("0")],
    [7n, ok("7")],
    [null, failed("state-unavailable", expect.stringMatching(/before the first indexed block/))],
  ])("before the first indexed block, by the answer %s", async (told, outcome) => {
    const before = { ...block, isIndexed: false };
    const asked = context({ fetchTokenBalances: async () => [told] });
    expect(await readHoldingAt(asked, { token: MULTI, owner: A }, before, undefined)).toEqual(
      outcome,
    );
  });

  test("is refused when more than 200 ids would have to be asked for", async () => {
    const told = context({ fetchTokenBalances: async (keys: unknown[]) => keys.map(() => 1n) });
    const held = (count: number) => {
      const ids = Array.from({ length: count }, (_, index) => String(index));
      return readHoldingAt(told, { token: MULTI, owner: A }, block, ids);
    };
    expect(await held(MANY)).toEqual(ok(String(MANY)));
    await expect(held(MANY + 1)).rejects.toMatchObject(TOO_MANY);
  });
});

describe("a token", () => {
  const silent = {
    name: null,
    symbol: null,
    decimals: null,
    claimed: null,
    byOwner: false,
    byId: false,
  };
  const said = { ...silent, name: "New", decimals: 6, byOwner: true };

  test("is as its contract describes it at the head, unless it was read there", async () => {
    await publish(database.sql, {
      tokens: [
        { address: TOKEN, totalSupply: "500" },
        { address: MULTI, totalSupply: "1", supplyBlock: 1, name: "Old", symbol: "OLD" },
      ],
    });
    expect(await readToken(context(), A)).toBeUndefined();
    const read = async (address: Address, supply?: unknown, facts: unknown = said) =>
      readToken(
        context({
          fetchTotalSupplies: async () => [supply],
          fetchTokenMetadata: async () => [facts],
        }),
        address,
      );
    expect(await read(TOKEN, 9n)).toMatchObject({ totalSupply: "500" });
    expect(await read(MULTI, 9n)).toMatchObject({ totalSupply: "9", name: "New", symbol: null });
    expect(await read(MULTI, null)).toMatchObject({ totalSupply: null });
    expect(await read(MULTI, 0n, silent)).toMatchObject({ totalSupply: "0", name: "Old" });
    expect(await read(MULTI, 0n, { ...said, claimed: 1155, byId: true })).toMatchObject({
      standard: 1155,
    });
    await expect(read(MULTI, undefined)).rejects.toThrow("unanswered");
  });
});

describe("the node's pool", () => {
  const pooled = (hash: string, to?: string | null) => ({
    hash,
    from: A,
    ...(to !== undefined && { to }),
    nonce: "0x1",
    value: "0x2",
    gas: "0x3",
    gasPrice: "0x4",
    input: "0xAB",
  });
  const node = (content: () => Promise<unknown>, txpool = true, pending = "0x2") => {
    const request = async (method: string) =>
      method === "txpool_status" ? { pending, queued: "0x1" } : content();
    return { capabilities: () => ({ txpool }), request } as unknown as Chain;
  };
  const failing = (code: string) =>
    node(async () => {
      throw new ChainError(code, code, { retryable: false });
    });

  test("is listed by hash, pending and queued ones together", async () => {
    const content = {
      pending: { [A]: { 1: pooled("0x01", B), 2: pooled("0x03") } },
      queued: { [B]: { 9: pooled("0x02", null) } },
    };
    const mempool = createMempool(node(async () => content));
    const found = await mempool(A, undefined);
    expect(found.map(({ hash, to, input }) => [hash, to, input])).toEqual([
      ["0x03", null, "0xab"],
      ["0x02", null, "0xab"],
      ["0x01", B, "0xab"],
    ]);
    const hashesOf = async (party: Address, side: "from" | "to") =>
      (await mempool(party, side)).map(({ hash }) => hash);
    expect(await hashesOf(A, "to")).toEqual([]);
    expect(await hashesOf(B, "to")).toEqual(["0x01"]);
    expect(await hashesOf(B, "from")).toEqual([]);
    const empty = node(async () => ({ pending: {} }));
    expect(await createMempool(empty)(A, undefined)).toEqual([]);
  });

  test("is asked for once in some seconds, and anew later or after a failure", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    let asked = 0;
    const chain = node(async () => {
      asked++;
      if (asked === 1) throw new ChainError("timeout", "timeout", { retryable: true });
      return { pending: {} };
    });
    const mempool = createMempool(chain);
    const ask = (party: Address) => mempool(party, undefined);
    await Promise.all([A, B].map((party) => expect(ask(party)).rejects.toThrow("timeout")));
    expect(asked).toBe(1);
    await Promise.all([ask(A), ask(B)]);
    await ask(C);
    expect(asked).toBe(2);
    vi.advanceTimersByTime(5000);
    await ask(A);
    expect(asked).toBe(3);
    vi.useRealTimers();
  });

  test("is read no further than to the parties of those that nobody asks for", async () => {
    const odd = { hash: "no", from: B };
    const chain = node(async () => ({ pending: { [A]: { 1: pooled("0x01") }, [B]: { 1: odd } } }));
    expect(await createMempool(chain)(A, undefined)).toHaveLength(1);
    await expect(createMempool(chain)(B, undefined)).rejects.toMatchObject({
      code: "bad-answer",
    });
  });

  test("has no size, and its transactions no block, that is not exact", async () => {
    const inexact = "0x20000000000000";
    const chain = node(async () => ({}), true, inexact);
    await expect(createMempool(chain)(A, undefined)).rejects.toMatchObject({
      code: "bad-answer",
    });
    const mined = { blockHash: "0x01", blockNumber: inexact, transactionIndex: "0x0" };
    expect(withoutUnservedBlock(mined, { startBlock: 5 })).toEqual({
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
    });
  });

  test("is empty where the node does not show it", async () => {
    const silent = node(() => Promise.reject(), false);
    expect(await createMempool(silent)(A, undefined)).toEqual([]);
    expect(await createMempool(failing("method-missing"))(A, undefined)).toEqual([]);
  });

  test("that is too large or unreadable is told of", async () => {
    const ask = (chain: Chain) => createMempool(chain)(A, undefined);
    const tooLarge = { httpStatus: 503, message: expect.stringContaining("too large") };
    await expect(ask(failing("response-too-large"))).rejects.toMatchObject(tooLarge);
    const crowded = node(() => Promise.reject(new Error("asked for")), true, "0x2710");
    await expect(ask(crowded)).rejects.toMatchObject(tooLarge);
    await expect(ask(failing("timeout"))).rejects.toThrow("timeout");
    const odd = node(async () => ({ pending: 5 }));
    await expect(ask(odd)).rejects.toMatchObject({ code: "bad-answer" });
  });
});
