import { readFile } from "node:fs/promises";
import { beforeEach, expect, it } from "vitest";
import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../src/core/evm/address.ts";
import { distributeTables } from "../../src/store/cluster/distribution.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { ask } from "../support/ask.ts";
import { type IndexedNode, openIndexedNode } from "../support/indexed-node.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { CONSECUTIVE_TRANSFER, TRANSFER, word } from "../support/scripted-node/ledger.ts";
import type {
  BlockSpecification,
  LogSpecification,
} from "../support/scripted-node/specification.ts";

const [token, ann, bob] = ["token", "ann", "bob"].map(scriptedAddress) as [
  Address,
  Address,
  Address,
];
const MAXIMUM = 2n ** 256n - 1n;

/** ERC-721. */
function move(from: Address, to: Address, id: bigint): LogSpecification {
  return { address: token, topics: [TRANSFER, wordOfAddress(from), wordOfAddress(to), word(id)] };
}

/** ERC-2309. */
function moveMany(from: Address, to: Address, first: bigint, last: bigint): LogSpecification {
  const topics = [CONSECUTIVE_TRANSFER, word(first), wordOfAddress(from), wordOfAddress(to)];
  return { address: token, topics, data: word(last) };
}

function block(...logs: LogSpecification[]): BlockSpecification {
  return { transactions: [{ to: token, logs }] };
}

const minted = block(
  ...[1n, 2n, 7n, MAXIMUM].map((id) => move(ZERO_ADDRESS, ann, id)),
  move(ZERO_ADDRESS, bob, 3n),
);

let index: IndexedNode;

beforeEach(async () => {
  index = await openIndexedNode();
  await index.start();
});

async function ownedBy(app: TestApp["app"], owner: Address): Promise<unknown> {
  const query = `module=account&action=addresstokennftinventory&contractaddress=${token}&address=${owner}`;
  const { result } = await ask(app, query);
  return (result as { TokenId: string }[]).map(({ TokenId }) => TokenId);
}

/** The index answers as the chain does by the standard and as the contract does. */
async function expectTruth(): Promise<void> {
  const oracle = await createOracleReader(index.node.url).read();
  const server = await createTestApp({ sql: index.sql, nodeUrl: index.node.url });
  try {
    for (const owner of [ann, bob, ZERO_ADDRESS]) {
      const ids = oracle.nftOwners.flatMap((nft) => (nft.owner === owner ? nft.id : []));
      const expected =
        owner === ZERO_ADDRESS ? [] : ids.sort((a, b) => (a < b ? -1 : 1)).map(String);
      expect(await ownedBy(server.app, owner)).toEqual(expected);
    }
  } finally {
    await server.close();
  }
  const held = oracle.holdings.map(({ owner, balance }) => ({ owner, amount: String(balance) }));
  // The logs of several ids name holders that no transfer does.
  const stored = await index.sql`
    SELECT owner, amount FROM token_balances
    WHERE owner = ANY (${held.map(({ owner }) => owner)}::bytea[]) ORDER BY owner`;
  expect(stored).toEqual(held.sort((a, b) => (a.owner < b.owner ? -1 : 1)));
  const [supply] = await index.sql`SELECT total_supply FROM tokens`;
  expect(supply).toEqual({ totalSupply: String(oracle.tokens.get(token)?.totalSupply) });
}

it.each<[string, ...BlockSpecification[]]>([
  ["moves those that it knows", minted, block(moveMany(ann, bob, 1n, 2n))],
  [
    "gives way to what moves later",
    minted,
    block(moveMany(ann, bob, 1n, 7n)),
    block(move(bob, ann, 2n)),
  ],
  [
    "comes after what moved before it",
    minted,
    block(move(ann, bob, 2n), moveMany(bob, ann, 2n, 3n), moveMany(ann, bob, 3n, 3n)),
  ],
  ["reaches to the last id there can be", minted, block(moveMany(ann, bob, 8n, MAXIMUM))],
  ["burns", minted, block(moveMany(ann, ZERO_ADDRESS, 1n, 2n))],
  [
    "mints",
    block(moveMany(ZERO_ADDRESS, ann, 0n, 99n)),
    block(move(ann, bob, 5n)),
    block(moveMany(ZERO_ADDRESS, ann, 100n, 109n)),
  ],
  ["moves none backwards", minted, block(moveMany(ann, bob, 2n, 1n))],
  ["moves them in their own block", block(move(ZERO_ADDRESS, ann, 1n), moveMany(ann, bob, 1n, 1n))],
])("a log of several ids %s", async (_, ...blocks) => {
  await index.follow(...blocks);
  await expectTruth();
  index.node.chain.reorg(1, {});
  await index.inStep();
  if (blocks.length > 1) await expectTruth();
});

it("a log of several ids moves them in a backfill", async () => {
  await index.stop();
  index.node.chain.mine(
    minted,
    block(moveMany(ann, bob, 1n, 2n)),
    block(move(bob, ann, 2n)),
    {},
    {},
  );
  await index.start({ finalityDepth: 2 });
  await index.inStep();
  await expectTruth();
});

it("what is not published yet hides no log of several ids", async () => {
  await index.follow(minted, block(moveMany(ann, bob, 1n, 2n)));
  await index.sql`
    INSERT INTO token_transfers (block_number, log_index, batch_index, transaction_index, token, standard, from_address, to_address, token_id)
    VALUES (1000000, 0, 0, 0, ${token}, 721, ${bob}, ${ann}, 1)`;
  await expectTruth();
});

it("what a log of several ids moved is read again in a database of an earlier version", async () => {
  await index.follow(
    minted,
    block(moveMany(ann, bob, 1n, 2n)),
    block(moveMany(ZERO_ADDRESS, bob, 4n, 5n), moveMany(bob, bob, MAXIMUM - 1n, MAXIMUM)),
  );
  const { sql } = index;
  await sql`UPDATE token_balances SET amount = CASE WHEN owner = ${ann} THEN 4 ELSE 1 END, transferred_amount = NULL`;
  await sql`UPDATE tokens SET irregular = false, total_supply = 5`;
  const written = await sql`SELECT * FROM consecutive_transfers ORDER BY block_number, log_index`;
  await sql`DROP TABLE consecutive_transfers`;
  await sql.unsafe(await readFile("migrations/0260_consecutive_transfers.sql", "utf8"));
  expect(await sql`SELECT * FROM consecutive_transfers ORDER BY block_number, log_index`).toEqual(
    written,
  );
  await distributeTables(sql);
  await index.follow({});
  await expectTruth();
});

it("of a collection that moved ids together more often than can be looked through nobody's are told", async () => {
  const many = Array.from({ length: 201 }, () => moveMany(ann, bob, 1n, 1n));
  await index.follow(minted, block(...many));
  const server = await createTestApp({ sql: index.sql, nodeUrl: index.node.url });
  const query = `module=account&action=addresstokennftinventory&contractaddress=${token}&address=${ann}`;
  expect(await ask(server.app, query)).toMatchObject({
    status: "0",
    message: "The contract counts ids of the address without a transfer of their own",
  });
  await server.close();
});
