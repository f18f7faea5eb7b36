import { type Address, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { createChainReader, hexNumber, type NodeFrame } from "../support/oracle/chain.ts";
import type { OracleTransfer } from "../support/oracle/decode.ts";
import { createJsonRpc } from "../support/oracle/json-rpc.ts";
import { createOracleReader, type Oracle, type OracleReader } from "../support/oracle/oracle.ts";
import type { NftOwner } from "../support/oracle/state.ts";
import { callData } from "../support/world/contracts.ts";
import { createRandom } from "../support/world/random.ts";
import { deployWorld, type World } from "../support/world/world.ts";

const MAXIMUM = 2n ** 256n - 1n;
const STEPS = 25;

let anvil: Anvil;
let world: World;
let reader: OracleReader;
let oracle: Oracle;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await deployWorld(anvil.url);
  await world.everything();
  reader = createOracleReader(anvil.url);
  oracle = await reader.read();
});

afterAll(() => anvil?.stop());

function transfersOf(contract: string): OracleTransfer[] {
  return oracle.transfers.filter(({ token }) => token === world.contracts[contract]);
}

/**
 * Coin balances by what the oracle lists: transactions, the effective entries of their traces, fees, and the balances
 * of the genesis block. Calls by delegation or code move nothing between accounts.
 */
async function balancesByFlows(read: Oracle): Promise<Map<Address, bigint>> {
  const addresses = [...read.addresses.keys()];
  const genesis = await read.state.coinBalances(
    addresses.map((address) => ({ address, blockNumber: 0 })),
  );
  const balances = new Map(addresses.map((address, index) => [address, genesis[index] as bigint]));
  const add = (address: Address | null, change: bigint): void => {
    if (address) balances.set(address, (balances.get(address) ?? 0n) + change);
  };
  for (const {
    from,
    to,
    created,
    value,
    status,
    gasUsed,
    gasPrice,
    rawReceipt,
  } of read.transactions) {
    add(from, -gasUsed * gasPrice);
    if (rawReceipt.blobGasUsed) {
      add(from, -BigInt(rawReceipt.blobGasUsed) * BigInt(rawReceipt.blobGasPrice ?? 0));
    }
    if (status === 1) {
      add(from, -value);
      add(to ?? created, value);
    }
  }
  for (const { miner, reward } of read.blocks) add(miner, reward);
  for (const entry of read.internalTransactions ?? []) {
    if (!entry.effective || entry.position === 0) continue;
    if (entry.callType !== null && entry.callType !== "call") continue;
    add(entry.from, -entry.value);
    // A contract that dies in the transaction of its birth, in its own favour, takes its coins along.
    if (entry.type !== "selfdestruct" || entry.from !== entry.to || !dies(read, entry)) {
      add(entry.to ?? entry.created, entry.value);
    }
  }
  return balances;
}

function dies(
  read: Oracle,
  place: { blockNumber: number; transactionIndex: number; position: number },
) {
  return read.destructions.some(
    ({ blockNumber, transactionIndex, position }) =>
      blockNumber === place.blockNumber &&
      transactionIndex === place.transactionIndex &&
      position === place.position,
  );
}

describe("the world", () => {
  it("is not deployed a second time", async () => {
    await deployWorld(anvil.url);
    const head = await createJsonRpc(anvil.url).request("eth_blockNumber");
    expect(Number(head)).toBe(oracle.head.number);
  });

  it("comes back when the chain was reset under it", async () => {
    const other = await startAnvil();
    try {
      const lost = await deployWorld(other.url);
      await createJsonRpc(other.url).request("anvil_reset");
      const random = createRandom(3);
      for (let step = 0; step < 4; step++) await lost.step(random);
      await lost.play("fungibles");
      const read = await createOracleReader(other.url).read();
      expect(read.tokens.has(lost.contracts["fungible"] as Address)).toBe(true);
    } finally {
      await other.stop();
    }
  });

  it("has transactions of every type, failed ones, empty blocks and one of more than a hundred", () => {
    const kinds = new Set(oracle.transactions.map(({ type, status }) => `${type} ${status}`));
    expect([...kinds].sort()).toEqual(["0 1", "1 1", "2 0", "2 1", "3 1", "4 1"]);
    const counts = oracle.blocks.map(({ transactionCount }) => transactionCount);
    expect(Math.min(...counts)).toBe(0);
    expect(Math.max(...counts)).toBeGreaterThan(100);
  });
});

describe("the oracle", () => {
  it("counts a creation when its code came to stay, and not when a failure around it undid it", async () => {
    const chain = await createChainReader(createJsonRpc(anvil.url)).read(0, oracle.head.number);
    const addressesMade = ({ type, to, error, calls = [] }: NodeFrame): Address[] => [
      ...(type.startsWith("CREATE") && to && error === undefined ? [to] : []),
      ...calls.flatMap(addressesMade),
    ];
    const made = chain.flatMap(({ block, traces }) =>
      (traces ?? []).flatMap((trace) =>
        addressesMade(trace).map((address) => ({ address, blockNumber: Number(block.number) })),
      ),
    );
    const undone = made.filter(
      ({ address, blockNumber }) =>
        !oracle.creations.some(
          (creation) => creation.address === address && creation.blockNumber === blockNumber,
        ),
    );
    expect(undone.length).toBeGreaterThan(7);
    expect(new Set(await oracle.state.codes(undone))).toEqual(new Set(["0x"]));
  });

  it("takes as destroyed what has no code any more, and knows what was born again", async () => {
    const last = new Map(oracle.destructions.map((event) => [event.address, event]));
    expect(oracle.destructions.length).toBeGreaterThan(7);
    const codes = await oracle.state.codes(
      [...last.keys()].map((address) => ({ address, blockNumber: oracle.head.number })),
    );
    for (const [index, { address, blockNumber, transactionIndex }] of [
      ...last.values(),
    ].entries()) {
      const reborn = oracle.creations.some(
        (creation) =>
          creation.address === address &&
          (creation.blockNumber > blockNumber ||
            (creation.blockNumber === blockNumber && creation.transactionIndex > transactionIndex)),
      );
      expect(codes[index] !== "0x").toBe(reborn);
    }
    expect(codes.some((code) => code !== "0x")).toBe(true);
  });

  it("finds the transfers of a well kept token to add up to its balances and its supply", () => {
    for (const name of ["fungible", "sibling", "wordNamed", "oldCollectible", "hybrid"]) {
      const token = world.contracts[name] as Address;
      const holdings = oracle.holdings.filter((holding) => holding.token === token);
      const total = holdings.reduce((sum, { balance }) => sum + (balance ?? 0n), 0n);
      expect(holdings.map(({ balance }) => balance)).toEqual(holdings.map(({ sum }) => sum));
      expect(total).toBe(oracle.tokens.get(token)?.totalSupply);
    }
    const ids = oracle.idHoldings.filter(({ token }) => token === world.contracts["multi"]);
    expect(ids.map(({ balance }) => balance)).toEqual(ids.map(({ sum }) => sum));
    expect(ids.some(({ balance }) => balance === MAXIMUM)).toBe(true);
  });

  it("finds balances that transfers do not explain where a token has fees, shares or silent mints", () => {
    for (const name of ["toll", "tide", "hush", "whisper", "wrapped"]) {
      const token = world.contracts[name];
      const holdings = oracle.holdings.filter((holding) => holding.token === token);
      expect(holdings.some(({ balance, sum }) => balance !== sum)).toBe(true);
    }
  });

  it("unfolds batches in their order, repeated ids included, and finds nothing in an empty one", () => {
    const batch = transfersOf("multi").filter(
      ({ from, to }) => from === zeroAddress && to === world.accounts[0],
    );
    const unfolded = batch.filter(({ id }) => id === 3n || id === 4n);
    expect(unfolded.map(({ id, amount, batchIndex }) => [batchIndex, id, amount])).toEqual([
      [0, 3n, 10n],
      [1, 4n, 20n],
      [2, 3n, 30n],
      [3, 3n, 0n],
    ]);
    expect(transfersOf("multi").every(({ standard }) => standard === 1155)).toBe(true);
  });

  it("takes no log of a wrong shape for a transfer", () => {
    const standards = (name: string): number[] => transfersOf(name).map(({ standard }) => standard);
    // Nothing indexed; four topics, also with data; dirty addresses. The other ten are no transfers.
    expect(standards("puppet1")).toEqual([721, 721, 721, 20, 721]);
    // Data behind the lists, and two lists that are the same one.
    expect(transfersOf("puppet2").map(({ id, amount }) => [id, amount])).toEqual([
      [1n, 3n],
      [2n, 4n],
      [5n, 5n],
    ]);
    expect(standards("puppet3")).toEqual([404]);
    expect(standards("puppet4")).toEqual([20]);
  });

  it("reads what tokens tell of themselves, byte for byte, and nothing from unusable answers", () => {
    const told = (puppet: number) => {
      const token = oracle.tokens.get(world.contracts[`puppet${puppet}`] as Address);
      return [token?.name?.toString("hex"), token?.decimals, token?.totalSupply];
    };
    expect(told(5)).toEqual(["61006200", 9, 1_000_000n]);
    expect(told(6)).toEqual(["ff41c328eda08042f0288cbc", null, MAXIMUM]);
    expect(told(7)).toEqual([undefined, null, 1_000_000n]);
    expect(told(8)).toEqual(["576f7264", null, null]);
    expect(told(9)).toEqual([undefined, 6, 8n]);
    expect(told(10)).toEqual([undefined, null, null]);
    expect(told(11)).toEqual(["", 0, 1_000_000n]);
    expect(told(12)).toEqual([undefined, null, null]);
  });

  /** The owner of each piece in the oracle, by the contract. */
  async function ownersByContract({ nftOwners, head }: Oracle): Promise<NftOwner[]> {
    const collectible = world.contracts["collectible"];
    const known = nftOwners.filter(({ token }) => token === collectible);
    const answers = await createJsonRpc(anvil.url).batch(
      known.map(({ token: to, id }) => ({
        method: "eth_call",
        params: [{ to, data: callData("Collectible", "ownerOf", id) }, hexNumber(head.number)],
      })),
    );
    return known.map((nft, index) => {
      const { result } = answers[index] ?? {};
      return { ...nft, owner: result ? `0x${String(result).slice(-40)}` : zeroAddress };
    });
  }

  it("owes an NFT to the receiver of its last transfer, its own or one of several", async () => {
    const collectible = world.contracts["collectible"];
    const owners = new Map(
      oracle.nftOwners
        .filter(({ token }) => token === collectible)
        .map(({ id, owner }) => [id, owner]),
    );
    expect(owners.get(1n)).toBe(zeroAddress);
    expect(owners.get(1000n)).toBe(world.accounts[2]);
    expect(owners.get(MAXIMUM)).toBe(world.accounts[1]);
    expect([50n, 51n, 52n, 53n].map((id) => owners.get(id))).toEqual([
      world.accounts[0],
      world.accounts[1],
      world.accounts[2],
      zeroAddress,
    ]);
    expect(oracle.nftOwners.filter(({ token }) => token === collectible)).toEqual(
      await ownersByContract(oracle),
    );
  });

  // Last: the steps change what the others look at.
  it("explains every coin balance by the value that it saw moving", async () => {
    const random = createRandom(11);
    for (let step = 0; step < STEPS; step++) await world.step(random);
    const read = await reader.read();
    expect(read.nftOwners).toEqual(expect.arrayContaining(await ownersByContract(read)));
    const balances = await balancesByFlows(read);
    const unexplained = [...read.addresses].filter(
      ([address, { balance }]) => balances.get(address) !== balance,
    );
    expect(unexplained).toEqual([]);
  });
});
