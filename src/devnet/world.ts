import { encodeDeployData, encodeFunctionData, getContractAddress } from "viem";
import { type Address, lowerAddress } from "../core/evm/address.ts";
import type { Hex } from "../core/evm/hex.ts";
import { quantity } from "../core/evm/quantity.ts";
import type { Artifact } from "./artifacts.ts";
import type { Rpc } from "./rpc.ts";

/** A transaction for `eth_sendTransaction`; the node signs for its own accounts. */
export interface SampleTransaction {
  from: Address;
  to?: Address;
  data?: Hex;
  value?: Hex;
  gas: Hex;
  maxFeePerGas?: Hex;
  maxPriorityFeePerGas?: Hex;
}

export type ContractName = (typeof DEPLOYMENTS)[number]["name"];

/** The contracts of the sample world and the accounts that use them. */
export interface World {
  /** Deployed everything; owns the coin and administers the proxy. */
  deployer: Address;
  /** Sends one transaction in each round, so that its nonce is the number of rounds. */
  pacemaker: Address;
  users: readonly Address[];
  /** Creates the contracts, if the deployer has sent nothing before. */
  deployments: readonly SampleTransaction[];
  addressOf(contract: ContractName): Address;
  /** Calldata by the ABI of `contract`. */
  encode(contract: ContractName, functionName: string, args?: readonly unknown[]): Hex;
}

const COIN_SUPPLY = 1_000_000n * 10n ** 18n;
/** Every transaction names its gas: the node then also accepts failing ones. */
const GAS: Hex = "0x400000";
/** The node's own fees follow its load; with these the first transaction always has the same hash, as examples need. */
const FIRST_FEES = {
  maxFeePerGas: quantity(10n ** 11n),
  maxPriorityFeePerGas: quantity(10n ** 9n),
};
/** With fixed fees the deployments have the same hashes again after a reset, and the contracts their verifications. */
const DEPLOYMENT_FEES = {
  maxFeePerGas: quantity(1_875_175_000n),
  maxPriorityFeePerGas: quantity(10n ** 9n),
};
/** The node's first accounts are left to developers. */
const FIRST_USER = 5;
const USERS = 3;

/** In the order of the deployer's nonces. */
const DEPLOYMENTS = [
  { name: "Coin", args: () => ["Harbour Coin", "HARBOUR", 18, COIN_SUPPLY] },
  { name: "Badge", args: () => [] },
  { name: "Cargo", args: () => [] },
  { name: "Counter", args: () => [] },
  { name: "SteppingCounter", args: () => [] },
  { name: "Proxy", args: (addressOf: World["addressOf"]) => [addressOf("Counter")] },
  { name: "Workshop", args: () => [] },
  { name: "Splitter", args: () => [] },
] as const;

/** The deployer on an embedded chain: the last of anvil's accounts. */
const DEPLOYER: Address = "0xa0ee7a142d267c1f36714e4a8f75612f20a79720";

/** Returns the address of a contract on every embedded chain, while the deployer's account has no other use. */
export function sampleAddress(contract: ContractName): Address {
  const nonce = DEPLOYMENTS.findIndex(({ name }) => name === contract);
  return lowerAddress(getContractAddress({ from: DEPLOYER, nonce: BigInt(nonce) }));
}

/** Returns a transaction whose gas limit exceeds its need. */
export function transaction(
  from: Address,
  to: Address,
  call: { data?: Hex; valueWei?: bigint },
): SampleTransaction {
  return {
    from,
    to,
    gas: GAS,
    ...(call.data ? { data: call.data } : {}),
    ...(call.valueWei ? { value: quantity(call.valueWei) } : {}),
  };
}

/** Returns the sample world of a node, deployed or not. Throws when the node does not answer. */
export async function createWorld(rpc: Rpc, artifacts: Map<string, Artifact>): Promise<World> {
  const accounts = await rpc<Address[]>("eth_accounts");
  const [pacemaker, deployer] = accounts.slice(FIRST_USER + USERS);
  if (deployer !== DEPLOYER || !pacemaker)
    throw new Error("the embedded node has other accounts than anvil's");
  return {
    deployer,
    pacemaker,
    users: accounts.slice(FIRST_USER, FIRST_USER + USERS),
    deployments: DEPLOYMENTS.map(({ name, args }) => {
      const { abi, creationCode } = known(artifacts, name);
      const data = encodeDeployData({ abi, bytecode: creationCode, args: args(sampleAddress) });
      return { from: deployer, data, gas: GAS, ...DEPLOYMENT_FEES };
    }),
    addressOf: sampleAddress,
    encode: (contract, functionName, args = []) =>
      encodeFunctionData({ abi: known(artifacts, contract).abi, functionName, args }),
  };
}

/**
 * Deploys the sample world unless it exists. Returns false when another user used the deployer's nonces; `isOurs`: the sample world did, by
 * a round that a reset of the chain overtook.
 */
export async function deployWorld(rpc: Rpc, world: World, isOurs = false): Promise<boolean> {
  if ((await rpc<Hex>("eth_getCode", world.addressOf("Splitter"), "latest")) !== "0x") return true;
  const nonce = await rpc<Hex>("eth_getTransactionCount", world.deployer, "latest");
  if (Number(nonce) !== 0) {
    if (!isOurs) return false;
    await rpc("anvil_setNonce", world.deployer, "0x0");
  }
  await mineTogether(rpc, world.deployments);
  return true;
}

/** Mines a payment between two users when the chain has only its first block. */
export async function sendFirstPayment(rpc: Rpc): Promise<void> {
  if ((await rpc<Hex>("eth_blockNumber")) !== "0x0") return;
  const [payer, payee] = (await rpc<Address[]>("eth_accounts")).slice(FIRST_USER);
  if (!payer || !payee) return;
  const payment = transaction(payer, payee, { valueWei: 1n });
  await mineTogether(rpc, [{ ...payment, ...FIRST_FEES }]);
}

/** Mines the transactions in one block, with the node's automatic mining off. */
export async function mineTogether(rpc: Rpc, transactions: readonly SampleTransaction[]) {
  const automine = await rpc<boolean>("anvil_getAutomine");
  await rpc("evm_setAutomine", false);
  try {
    for (const each of transactions) await rpc("eth_sendTransaction", each);
    await rpc("evm_mine");
  } finally {
    await rpc("evm_setAutomine", automine);
  }
}

/** Returns the artifact of a contract. */
export function known<Value>(values: ReadonlyMap<string, Value>, name: string): Value {
  const value = values.get(name);
  if (value === undefined) throw new Error(`the sample world has no contract ${name}`);
  return value;
}
