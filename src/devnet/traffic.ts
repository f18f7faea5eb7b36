import { getContractAddress, numberToHex } from "viem";
import type { Address } from "../core/evm/address.ts";
import type { Hex } from "../core/evm/hex.ts";
import { quantityToNumber } from "../core/evm/quantity.ts";
import type { Rpc } from "./rpc.ts";
import {
  type ContractName,
  mineTogether,
  type SampleTransaction,
  transaction,
  type World,
} from "./world.ts";

/** The transactions of one round, sent by the round's users; `cycle` counts from 0. */
type Scene = (play: Play) => SampleTransaction[];

interface Play {
  world: World;
  cycle: number;
  first: Address;
  second: Address;
  third: Address;
  call: Call;
}

type Call = (
  from: Address,
  contract: ContractName,
  functionName: string,
  args?: readonly unknown[],
  valueWei?: bigint,
) => SampleTransaction;

const COIN = 10n ** 18n;
const GWEI = 10n ** 9n;
/** Constant ids, so that the number of balances stays small. */
const CARGO_IDS = [1n, 2n, 3n];

const SCENES: readonly Scene[] = [
  ({ world, cycle, first, call }) => [
    call(world.deployer, "Coin", "mint", [first, 5n * COIN]),
    call(first, "Badge", "mint", [first, badge(cycle)]),
  ],
  ({ first, call }) => [call(first, "Cargo", "mintBatch", [CARGO_IDS, [10n, 20n, 30n]])],
  ({ cycle, first, second, call }) => [
    call(first, "Coin", "approve", [second, 3n * COIN]),
    call(first, "Badge", "approve", [second, badge(cycle)]),
  ],
  ({ cycle, first, second, third, call }) => [
    call(second, "Coin", "transferFrom", [first, third, 2n * COIN]),
    call(second, "Badge", "transferFrom", [first, second, badge(cycle)]),
  ],
  ({ first, second, call }) => [
    call(first, "Cargo", "safeBatchTransferFrom", [first, second, CARGO_IDS, [1n, 2n, 3n], "0x"]),
  ],
  ({ cycle, first, second, call }) => [
    call(first, "Splitter", "nest", [3n, second, cycle % 2 === 0], 800n * GWEI),
  ],
  ({ first, second, call }) => [
    call(first, "Splitter", "fail", [second], GWEI),
    call(first, "Coin", "mint", [first, COIN]),
  ],
  (play) => [useProxy(play)],
  ({ world, first, call }) => [call(first, "Splitter", "split", [world.users], 300n * GWEI)],
  (play) => [makeBox(play)],
  ({ first, third, call }) => [
    call(first, "Cargo", "safeTransferFrom", [first, third, 1n, 4n, "0x"]),
    call(first, "Cargo", "burn", [2n, 2n]),
    call(first, "Coin", "burn", [5n * COIN]),
  ],
  ({ cycle, second, call }) =>
    cycle % 2 === 1 ? [call(second, "Badge", "burn", [badge(cycle)])] : [],
];

/** Rounds of a cycle: after the first one the chain has data of every kind. */
export const ROUNDS_OF_A_CYCLE = SCENES.length;

/** Mines the next round in one block and returns its number. The chain itself counts the rounds. */
export async function playRound(rpc: Rpc, world: World): Promise<number> {
  const nonce = await rpc<Hex>("eth_getTransactionCount", world.pacemaker, "latest");
  const round = quantityToNumber(nonce);
  await mineTogether(rpc, buildTransactions(world, round));
  return round;
}

/** Returns the transactions of a round by its number: a payment, a coin transfer and one scene. */
function buildTransactions(world: World, round: number): SampleTransaction[] {
  const cycle = Math.floor(round / ROUNDS_OF_A_CYCLE);
  const call: Call = (from, contract, functionName, args, valueWei = 0n) => {
    const data = world.encode(contract, functionName, args);
    return transaction(from, world.addressOf(contract), { data, valueWei });
  };
  const play: Play = {
    world,
    cycle,
    first: user(world, cycle),
    second: user(world, cycle + 1),
    third: user(world, cycle + 2),
    call,
  };
  const receiver = user(world, round + 1);
  const amount = BigInt((round % 7) + 1) * COIN;
  return [
    transaction(world.pacemaker, receiver, { valueWei: BigInt((round % 100) + 1) * GWEI }),
    // In the first cycle the users get the coins for later transfers.
    cycle === 0
      ? call(world.deployer, "Coin", "transfer", [receiver, 100n * amount])
      : call(user(world, round), "Coin", "transfer", [receiver, amount]),
    ...(SCENES[round % ROUNDS_OF_A_CYCLE]?.(play) ?? []),
  ];
}

/** Calls the counter through the proxy; in every tenth cycle changes its implementation instead. */
function useProxy({ world, cycle, first }: Play): SampleTransaction {
  const proxy = world.addressOf("Proxy");
  if (cycle % 10 !== 1) {
    const data = world.encode("Counter", "increment");
    return transaction(first, proxy, { data, valueWei: GWEI });
  }
  const implementation = world.addressOf(cycle % 20 === 1 ? "SteppingCounter" : "Counter");
  return transaction(world.deployer, proxy, {
    data: world.encode("Proxy", "upgradeTo", [implementation]),
  });
}

/** Creates one new contract per cycle, in one of the factory's three ways. */
function makeBox({ world, cycle, first, call }: Play): SampleTransaction {
  const content = BigInt(cycle);
  const firstBox = getContractAddress({ from: world.addressOf("Workshop"), nonce: 1n });
  switch (cycle % 3) {
    case 0:
      return call(first, "Workshop", "make", [content], GWEI);
    case 1:
      return call(first, "Workshop", "makeAt", [numberToHex(cycle, { size: 32 }), content], GWEI);
    default:
      return call(first, "Workshop", "clone", [firstBox, content], GWEI);
  }
}

function user(world: World, turn: number): Address {
  return world.users[turn % world.users.length] as Address;
}

function badge(cycle: number): bigint {
  return BigInt(cycle + 1);
}
