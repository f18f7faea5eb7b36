import { expect, it } from "vitest";
import { ZERO_ADDRESS } from "../../../src/core/evm/address.ts";
import { listCoinAccounts } from "../../../src/store/state/addresses/coin-balances.ts";
import { getCoinSupply } from "../../../src/store/state/addresses/coin-supply.ts";
import { type IndexedNode, openIndexedNode } from "../../support/indexed-node.ts";
import { firstCases } from "../../support/matrix.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { ScriptedChain } from "../../support/scripted-node/chain.ts";
import type { BlockSpecification } from "../../support/scripted-node/specification.ts";

const SIGNER = scriptedAddress("signer");
const RECEIVER = scriptedAddress("receiver");

/** A block whose fees go to its signer, as on Clique and Bor: its header names the zero address. */
function signed(total: bigint): BlockSpecification {
  return {
    miner: ZERO_ADDRESS,
    transactions: [{ valueWei: 1n }],
    state: { balances: { [SIGNER]: total, [ZERO_ADDRESS]: 0n } },
  };
}

async function feesFollowed({ sql }: IndexedNode): Promise<unknown> {
  const [state] = await sql`SELECT fees_followed FROM sync_state`;
  return state?.["feesFollowed"];
}

/** Waits until a block has shown it. */
async function told(indexed: IndexedNode): Promise<unknown> {
  await indexed.indexer.until(async () => (await feesFollowed(indexed)) !== null);
  return feesFollowed(indexed);
}

async function balance(
  { sql }: IndexedNode,
  address: typeof SIGNER,
): Promise<string | null | undefined> {
  const [account] = await listCoinAccounts(sql, [address]);
  return account?.balance;
}

it("balances are the index's where the miner has what is paid", async () => {
  const indexed = await openIndexedNode();
  indexed.node.chain.mine({ transactions: [{ valueWei: 5n }] });
  await indexed.start();
  await indexed.inStep();
  expect(await told(indexed)).toBe(true);
  expect(await balance(indexed, RECEIVER)).toBe("5");
});

it("the node is asked for balances where the signer of a block has what is paid, until the chain is reset", async () => {
  const indexed = await openIndexedNode();
  // The signer is known to the index, which never sees its coins change.
  indexed.node.chain.mine({ ...signed(0n), transactions: [{ from: SIGNER, valueWei: 5n }] });
  await indexed.start();
  await indexed.inStep();
  await indexed.follow(signed(1n), signed(2n));
  expect(await told(indexed)).toBe(false);
  expect(await balance(indexed, SIGNER)).toBeNull();
  expect(await balance(indexed, RECEIVER)).toBeNull();
  expect(await getCoinSupply(indexed.sql)).toMatchObject({ followed: false });

  indexed.node.chain.reset();
  await indexed.inStep();
  await indexed.follow({ transactions: [{ valueWei: 5n }] });
  expect(await told(indexed)).toBe(true);
  expect(await balance(indexed, RECEIVER)).toBe("5");
});

it("blocks that were there before the index tell, too", async () => {
  const indexed = await openIndexedNode();
  indexed.node.chain.mine({ ...signed(0n), transactions: [{ from: SIGNER, valueWei: 5n }] });
  indexed.node.chain.mine(signed(1n));
  indexed.node.chain.mine(10);
  await indexed.start();
  await indexed.inStep();
  expect(await told(indexed)).toBe(false);
  expect(await balance(indexed, SIGNER)).toBeNull();
});

it.each<[string, BlockSpecification]>([
  ["pays nothing", { transactions: [{ effectiveGasPriceWei: 1_000_000_000n }] }],
  ["takes from its miner", { miner: RECEIVER, transactions: [{ from: RECEIVER, valueWei: 1n }] }],
  [
    "gives its miner something",
    { miner: RECEIVER, transactions: [{ valueWei: 1n }], state: { balances: { [RECEIVER]: 0n } } },
  ],
])("a block that %s does not tell", async (_, block) => {
  const indexed = await openIndexedNode();
  await indexed.start();
  await indexed.inStep();
  await indexed.follow(block, block, block, block);
  expect(await feesFollowed(indexed)).toBeNull();
  await indexed.follow({ transactions: [{}] });
  expect(await told(indexed)).toBe(true);
});

it("the node is asked for balances on a chain of ArbOS", async () => {
  const indexed = await openIndexedNode({ chain: new ScriptedChain({ chainId: 42_161 }) });
  indexed.node.chain.mine({ transactions: [{ type: 106 }] });
  await indexed.start();
  await indexed.inStep();
  expect(await told(indexed)).toBe(false);
});

it.each(firstCases([100, 137, 167_000, 43_114, 81_457], 2))(
  "the node is asked for balances on chain %i at once, which moves coins without a word",
  async (chainId) => {
    const indexed = await openIndexedNode({ chain: new ScriptedChain({ chainId }) });
    indexed.node.chain.mine({ transactions: [{ valueWei: 5n }] });
    await indexed.start();
    await indexed.inStep();
    expect(await balance(indexed, RECEIVER)).toBeNull();
    expect(await told(indexed)).toBe(true);
    expect(await balance(indexed, RECEIVER)).toBeNull();
    expect(await getCoinSupply(indexed.sql)).toMatchObject({ followed: false });
  },
);
