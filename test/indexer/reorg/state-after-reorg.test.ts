import { stringToHex } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import { type IndexedNode, openIndexedNode } from "../../support/indexed-node.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { rpcError } from "../../support/scripted-node/faults.ts";
import {
  balanceOfData,
  TOTAL_SUPPLY_DATA,
  TRANSFER,
  TRANSFER_SINGLE,
  word,
} from "../../support/scripted-node/ledger.ts";
import type { LogSpecification } from "../../support/scripted-node/specification.ts";
import { createRandom, type Random } from "../../support/world/random.ts";

const NAME: Hex = "0x06fdde03";
const SEEDS = Array.from({ length: 8 }, (_, index) => index + 1);
const STEPS = 14;
const tokens = ["rebasing", "silent mint", "fee on transfer"].map(scriptedAddress);
const multiToken = scriptedAddress("multi-token");
const owners = ["ann", "bob", "cid", "dan"].map(scriptedAddress);
const IDS = [1n, 2n];

function text(value: string): Hex {
  return hexConcat(word(32), word(value.length), stringToHex(value));
}

function transfer(token: Address, from: Address, to: Address, amount: number): LogSpecification {
  const topics = [TRANSFER, wordOfAddress(from), wordOfAddress(to)];
  return { address: token, topics, data: word(amount) };
}

function transferOfId(from: Address, to: Address, id: bigint, amount: number): LogSpecification {
  const parties = [from, from, to].map(wordOfAddress);
  const data = hexConcat(word(id), word(amount));
  return { address: multiToken, topics: [TRANSFER_SINGLE, ...parties], data };
}

describe("state after a roll-back", () => {
  let index: IndexedNode;

  beforeEach(async () => {
    index = await openIndexedNode();
    await index.start();
  });

  /** Rows that contradict the chain at their block, and rows of blocks above the head. */
  async function wrongRows(): Promise<string[]> {
    const { sql } = index;
    const ledgerAt = (block: number) => index.node.chain.at(block)?.ledger;
    const rows = await sql<
      { what: string; target: Address; data: Hex; said: string; block: number }[]
    >`
      SELECT 'coins' AS what, address AS target, '\\x'::bytea AS data, balance::text AS said, balance_block::int AS block
        FROM addresses
      UNION ALL SELECT 'code', address, '\\x', coalesce(has_code::text, 'unknown'), balance_block::int FROM addresses
        WHERE has_code IS NOT NULL
      UNION ALL SELECT 'holding', token, '\\x70a08231000000000000000000000000' || owner, amount::text, block_number::int
        FROM token_balances WHERE token <> ${multiToken}
      UNION ALL SELECT 'id', token, '\\x00fdd58e000000000000000000000000' || owner
          || decode(lpad(to_hex(token_id::int), 64, '0'), 'hex'), amount::text, block_number::int
        FROM token_id_balances
      UNION ALL SELECT 'supply', address, ${TOTAL_SUPPLY_DATA}, total_supply::text, supply_block::int FROM tokens
        WHERE address <> ${multiToken}
      UNION ALL SELECT 'name', address, ${NAME}, name, metadata_block::int FROM tokens WHERE name IS NOT NULL`;
    const wrong = rows.flatMap(({ what, target, data, said, block }) => {
      const ledger = ledgerAt(block);
      const answer = ledger?.call(target, data);
      const truth = !ledger
        ? "a block above the head"
        : what === "coins"
          ? ledger.balance(target).toString()
          : what === "code"
            ? String(ledger.code(target) !== "0x")
            : what === "name"
              ? said && text(said) === answer && said
              : answer && BigInt(answer).toString();
      return truth === said
        ? []
        : [`${what} of ${target} ${data} at ${block}: ${said}, not ${truth}`];
    });
    const sums = await sql<{ owner: Address }[]>`
      SELECT owner FROM token_balances AS whole WHERE token = ${multiToken} AND amount <> (
        SELECT sum(amount) FROM token_id_balances AS ids WHERE ids.token = whole.token AND ids.owner = whole.owner)`;
    return [
      ...wrong,
      ...sums.map(({ owner }) => `${owner} holds another sum than that of the ids`),
    ];
  }

  it("brings nothing from the blocks that were taken away, though none of them touched it", async () => {
    const [token] = tokens as [Address];
    const [ann, bob] = owners as [Address, Address];
    const say = (amount: number) => ({
      balances: { [ann]: BigInt(amount) },
      code: { [ann]: (amount === 7 ? "0x01" : "0x") as Hex, [token]: "0x01" as Hex },
      calls: [
        { to: token, data: balanceOfData(ann), returns: word(amount) },
        { to: token, data: TOTAL_SUPPLY_DATA, returns: word(amount) },
        { to: token, data: NAME, returns: text(`coin ${amount}`) },
        { to: multiToken, data: balanceOfData(ann, 1n), returns: word(amount) },
      ],
    });
    index.node.chain.mine(
      {
        transactions: [
          { logs: [transfer(token, ZERO_ADDRESS, ann, 5), transferOfId(ZERO_ADDRESS, ann, 1n, 5)] },
        ],
        state: say(5),
      },
      { state: say(7) },
    );
    await index.inStep();
    const { sql } = index;
    // As if the node had not answered in time at block 1: read at the head of that time.
    await sql`UPDATE addresses SET balance_block = NULL, has_code = NULL`;
    await sql`UPDATE token_id_balances SET block_number = NULL`;
    await sql`UPDATE token_balances SET block_number = NULL`;
    await sql`UPDATE tokens SET metadata_block = NULL, supply_block = NULL`;
    index.node.chain.mine({ transactions: [{ to: bob }], state: say(7) });
    await index.inStep();
    expect(await wrongRows()).toEqual([]);
    index.node.chain.reorg(2, { state: say(9) }, 1);
    await index.inStep();
    expect(await wrongRows()).toEqual([]);
  });

  it("is what the transfers tell where the contract answers no more", async () => {
    const [token] = tokens as [Address];
    const [ann, bob] = owners as [Address, Address];
    const silent = { to: token, data: balanceOfData(ann), returns: null };
    index.node.chain.mine({
      transactions: [{ logs: [transfer(token, ZERO_ADDRESS, ann, 5)] }],
      state: { calls: [silent] },
    });
    await index.inStep();
    index.node.chain.mine({
      transactions: [{ logs: [transfer(token, ann, bob, 1)] }],
      state: { calls: [{ ...silent, returns: word(41) }] },
    });
    await index.inStep();
    const amount = () => index.sql`SELECT amount FROM token_balances WHERE owner = ${ann}`;
    expect(await amount()).toMatchObject([{ amount: "41" }]);
    index.node.chain.reorg(1);
    await index.inStep();
    expect(await amount()).toMatchObject([{ amount: "5" }]);
  });

  it("is to be read where the node cannot tell it now, however many held the token", async () => {
    const [token] = tokens as [Address];
    const holders = Array.from({ length: 1_200 }, (_, index) => scriptedAddress(`holder ${index}`));
    const mints = (amount: number) =>
      holders.map((holder) => transfer(token, ZERO_ADDRESS, holder, amount));
    const rebased = holders.map((holder) => ({
      to: token,
      data: balanceOfData(holder),
      returns: word(77),
    }));
    index.node.chain.mine({ transactions: [{ logs: mints(3) }] });
    await index.inStep();
    index.node.chain.mine({ transactions: [{ logs: mints(5) }], state: { calls: rebased } });
    await index.inStep();
    for (const method of ["eth_call", "eth_getBalance"]) {
      index.node.fail({ method, effect: rpcError(-32_000, "missing trie node") });
    }
    const { block } = index.node.chain.revert(1);
    const { sql } = index;
    await index.indexer.until(async () => {
      const [state] = await sql`SELECT FROM sync_state WHERE head_hash = ${block.hash}`;
      return state !== undefined;
    });
    expect(
      await sql`SELECT count(*)::int FROM token_balances WHERE block_number IS NULL`,
    ).toMatchObject([{ count: holders.length }]);
    expect(await sql`SELECT FROM addresses WHERE balance_block > 1`).toHaveLength(0);
    expect(await sql`SELECT FROM tokens WHERE supply_block > 1 OR metadata_block > 1`).toHaveLength(
      0,
    );
    index.node.heal();
    await index.inStep();
    expect(await wrongRows()).toEqual([]);
  });

  it.each(SEEDS)("is the chain's own whatever happened before, seed %i", async (seed) => {
    const random = createRandom(seed);
    const done: string[] = [];
    for (let step = 0; step < STEPS; step++) {
      const depth = 1 + random.integer(Math.min(index.node.chain.height, 5) || 1);
      const kind =
        index.node.chain.height === 0 ? "mine" : random.pick(["mine", "mine", "reorg", "revert"]);
      if (kind === "mine") index.node.chain.mine(...several(random));
      else if (kind === "reorg") index.node.chain.reorg(depth, ...several(random), depth);
      else index.node.chain.revert(depth);
      done.push(`${kind} ${depth}`);
      if (random.chance(0.3)) continue;
      await index.inStep();
      expect(await wrongRowsTouched(done)).toEqual([]);
    }
    index.node.chain.mine(1);
    await index.inStep();
    expect(await wrongRowsTouched(done)).toEqual([]);
  });

  /** Wrong rows, with what led there. */
  async function wrongRowsTouched(done: readonly string[]): Promise<string[]> {
    return (await wrongRows()).map((row) => `${row} after ${done.join(", ")}`);
  }

  function several(random: Random) {
    return Array.from({ length: 1 + random.integer(3) }, () => block(random));
  }

  /** A block of transfers, some of which take a fee, and of changes without transfers. */
  function block(random: Random) {
    const owner = random.pick([...owners]);
    const token = random.pick([...tokens]);
    const logs = Array.from({ length: random.integer(3) }, () =>
      random.chance(0.6)
        ? transfer(
            random.pick([...tokens]),
            ZERO_ADDRESS,
            random.pick([...owners]),
            1 + random.integer(50),
          )
        : transferOfId(
            ZERO_ADDRESS,
            random.pick([...owners]),
            random.pick(IDS),
            1 + random.integer(50),
          ),
    );
    const changes = random.chance(0.5)
      ? [
          { to: token, data: balanceOfData(owner), returns: word(random.integer(100)) },
          { to: token, data: TOTAL_SUPPLY_DATA, returns: word(random.integer(1_000)) },
          { to: token, data: NAME, returns: text(`coin ${random.integer(9)}`) },
          {
            to: multiToken,
            data: balanceOfData(owner, random.pick(IDS)),
            returns: word(random.integer(100)),
          },
        ]
      : [];
    return {
      transactions: [{ to: random.pick([...owners]), logs }],
      state: {
        calls: changes,
        balances: changes.length > 0 ? { [owner]: BigInt(random.integer(1_000)) } : {},
        code: Object.fromEntries(
          [...tokens, multiToken].map((address) => [address, "0x01" as Hex]),
        ),
      },
    };
  }
});
