import { wordOfAddress, ZERO_ADDRESS } from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import { scriptedAddress } from "../scripted-node/block.ts";
import { ScriptedChain } from "../scripted-node/chain.ts";
import { TRANSFER, TRANSFER_SINGLE, word } from "../scripted-node/ledger.ts";
import type {
  BlockSpecification,
  LogSpecification,
  TransactionSpecification,
} from "../scripted-node/specification.ts";

// The chain whose index was kept of every release. It never changes: kept data would belong to another one.

const [coin, art, items, vault] = ["coin", "art", "items", "vault"].map(scriptedAddress) as [
  Hex,
  Hex,
  Hex,
  Hex,
];
const OWNERS = ["ann", "bob", "cid", "dan", "eve"].map(scriptedAddress);
/** Blocks of the chain as it was indexed. */
const HEIGHT = 60;

/** Words of requests that find much in this chain. */
export const found = { coin, art, items, vault, owner: owner(1) };

function owner(number: number): Hex {
  return OWNERS[number % OWNERS.length] as Hex;
}

function log(address: Hex, topics: readonly Hex[], ...data: bigint[]): LogSpecification {
  return { address, topics, data: hexConcat("0x", ...data.map(word)) };
}

/** Block 1 mints what the others move. */
function minting(): TransactionSpecification[] {
  return OWNERS.map((to, index) => ({
    from: owner(0),
    to: coin,
    logs: [
      log(coin, [TRANSFER, ...[ZERO_ADDRESS, to].map(wordOfAddress)], 10n ** 24n),
      log(art, [TRANSFER, ...[ZERO_ADDRESS, to].map(wordOfAddress), word(index)]),
      log(
        items,
        [TRANSFER_SINGLE, ...[to, ZERO_ADDRESS, to].map(wordOfAddress)],
        BigInt(index % 2),
        1_000n,
      ),
    ],
  }));
}

function moving(number: number): TransactionSpecification[] {
  const [from, to] = [owner(number), owner(number * 2 + 1)];
  const parties = [from, to].map(wordOfAddress);
  const artist = owner(number % OWNERS.length);
  return [
    { from, to, valueWei: BigInt(number) },
    {
      from,
      to: coin,
      input: hexConcat("0xa9059cbb", wordOfAddress(to), word(number)),
      logs: [
        log(coin, [TRANSFER, ...parties], BigInt(number)),
        log(coin, [TRANSFER, ...parties.toReversed()], 1n),
      ],
    },
    {
      from,
      to: vault,
      valueWei: 2n,
      logs: [
        log(vault, [word(77), word(number % 3)], BigInt(number)),
        log(items, [TRANSFER_SINGLE, ...[from, from, to].map(wordOfAddress)], 7n, 0n),
      ],
      calls: [
        {
          from: vault,
          to: artist,
          valueWei: 1n,
          calls: [{ type: "STATICCALL", from: artist, to: coin, output: word(1) }],
        },
        { type: "DELEGATECALL", from: vault, to: art, input: "0x01" },
      ],
    },
    number % 10 === 0
      ? { from, to: null, input: "0x6001", output: "0x6002" }
      : { from, to: vault, error: "execution reverted", calls: [{ from: vault, to: coin }] },
  ];
}

/** Another block of the same kind. */
export function blockOfRelease(number: number): BlockSpecification {
  return {
    transactions: number === 1 ? minting() : moving(number),
    withdrawals: [{ address: owner(number), amountGwei: number }],
    ...(number === 1
      ? { state: { balances: Object.fromEntries(OWNERS.map((it) => [it, 10n ** 20n])) } }
      : {}),
  };
}

/** The chain that was indexed. */
export function releaseChain(): ScriptedChain {
  const chain = new ScriptedChain();
  for (let number = 1; number <= HEIGHT; number++) chain.mine(blockOfRelease(number));
  return chain;
}
