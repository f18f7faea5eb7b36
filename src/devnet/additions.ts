import { encodeDeployData, getContractAddress, numberToHex } from "viem";
import { type Address, lowerAddress } from "../core/evm/address.ts";
import { type Hex, hexConcat } from "../core/evm/hex.ts";
import { quantity } from "../core/evm/quantity.ts";
import type { Artifact } from "./artifacts.ts";
import type { Rpc } from "./rpc.ts";
import { known, mineTogether, transaction, type World } from "./world.ts";

// Later additions to the sample world. Older chains get them too: their addresses depend on the
// code alone, not on the number of transactions sent.

/** Deploys by CREATE2; anvil has it from the first block on. */
const FACTORY: Address = "0x4e59b44847b379578588920ca78fbf26c0b4956c";
/** An unreachable nonce: the payment stays in the node's pool. */
const FAR_NONCE = quantity(1_000_000_000);

/** Aggregators of the coin's price; a test compares the addresses with the contracts. */
export const PRICE_FEEDS: { usd: Address; btc: Address } = {
  usd: "0xabc3d30a1c0b16336d93f9eb7730607c4d1106e1",
  btc: "0x8b909deb7eca5fa5326d8316e0fe900f4a6d417f",
};

interface Addition {
  contract: string;
  /** Distinguishes copies of one contract. */
  salt: number;
  args(world: World): readonly unknown[];
}

/** Prices with 8 decimal places, as in Chainlink's feeds. */
const ADDITIONS: readonly Addition[] = [
  { contract: "PriceFeed", salt: 1, args: () => [8, 3_141_59000000n] },
  { contract: "PriceFeed", salt: 2, args: () => [8, 4_500_000n] },
  { contract: "Shoal", salt: 1, args: ({ users: [first, second] }) => [first, second] },
  // One for each action with sources.
  ...[1, 2, 3, 4].map((salt) => ({ contract: "Buoy", salt, args: () => [] })),
];

/** Returns the additions' addresses, and the transactions that deploy them. */
export function planAdditions(world: World, artifacts: ReadonlyMap<string, Artifact>) {
  return ADDITIONS.map(({ contract, salt, args }) => {
    const { abi, creationCode } = known(artifacts, contract);
    const code = encodeDeployData({ abi, bytecode: creationCode, args: args(world) });
    const saltWord = numberToHex(salt, { size: 32 });
    const create2 = { from: FACTORY, salt: saltWord, bytecode: code, opcode: "CREATE2" } as const;
    return {
      contract,
      address: lowerAddress(getContractAddress(create2)),
      deployment: transaction(world.deployer, FACTORY, { data: hexConcat(saltWord, code) }),
    };
  });
}

/** Deploys missing additions in one block, and sends the waiting payment if the pool has none. */
export async function deployAdditions(
  rpc: Rpc,
  world: World,
  additions: ReturnType<typeof planAdditions>,
): Promise<void> {
  const codes = await Promise.all(
    [FACTORY, ...additions.map(({ address }) => address)].map((address) =>
      rpc<Hex>("eth_getCode", address, "latest"),
    ),
  );
  const [factory, ...standing] = codes;
  const missing = additions.filter((_, index) => standing[index] === "0x");
  if (factory !== "0x" && missing.length > 0) {
    await mineTogether(
      rpc,
      missing.map(({ deployment }) => deployment),
    );
  }
  const pool = await rpc<{ queued: Hex }>("txpool_status");
  const [, payer, payee] = world.users;
  if (pool.queued !== "0x0" || !payer || !payee) return;
  await rpc("eth_sendTransaction", {
    ...transaction(payer, payee, { valueWei: 1n }),
    nonce: FAR_NONCE,
  });
}
