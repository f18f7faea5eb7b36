import { encodeAbiParameters } from "viem";
import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../src/core/evm/address.ts";
import { DEPOSIT_TYPE } from "../../src/core/evm/deposits.ts";
import { type Hex, hexConcat } from "../../src/core/evm/hex.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import {
  AMOUNT_TRANSFER,
  CONSECUTIVE_TRANSFER,
  ID_TRANSFER,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
  word,
} from "../support/scripted-node/ledger.ts";
import type {
  BlockSpecification,
  CallSpecification,
  LogSpecification,
  TransactionSpecification,
} from "../support/scripted-node/specification.ts";
import type { Random } from "../support/world/random.ts";

// Few accounts and tokens, so that what blocks do meets again and again; amounts at the bounds of their type.

const AMOUNTS = [0n, 1n, 1n, 5n, 7n, 1000n, 2n ** 128n, 2n ** 255n, 2n ** 256n - 1n];
const LISTS = [{ type: "uint256[]" }, { type: "uint256[]" }] as const;
/** `Upgraded` and `BeaconUpgraded` (ERC-1967): other code may answer for the contract from then on. */
const UPGRADES: readonly Hex[] = [
  "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b",
  "0x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e",
];
const INPUTS: readonly Hex[] = [
  "0x",
  "0x00",
  "0xa9059c",
  "0xa9059cbb",
  `0xA9059CBB${"00".repeat(64)}`,
];
const NO_VALUE = /DELEGATE|STATIC/;

let made = 0;

/** A block of everything that a block may have. No two are the same, for any draw. */
export function randomBlock(random: Random): BlockSpecification {
  const contracts = [0, 1, 2].filter(() => random.chance(0.2));
  const code = contracts.map((n) => [madeContract(n), random.pick<Hex>(["0x", "0x60"])] as const);
  return {
    salt: String(made++),
    transactions: random.chance(0.3) ? [] : several(random, 4, () => transaction(random)),
    ...(random.chance(0.2) && {
      withdrawals: several(random, 3, () => ({
        address: account(random),
        amountGwei: random.integer(1e9),
      })),
    }),
    ...(random.chance(0.15) && { timestampSeconds: 1_600_000_000 + random.integer(2e8) }),
    ...(random.chance(0.1) && { uncles: [{ miner: account(random), distance: 1 }] }),
    miner: account(random),
    ...(random.chance(0.2) && { baseFeeWei: random.pick([null, 0n, 1n, 2_000_000_000n]) }),
    fields: {
      // Since Cancun a self-destruct removes only what its own transaction created (EIP-6780).
      ...(random.chance(0.3) && { excessBlobGas: "0x0", blobGasUsed: "0x20000" }),
      ...(random.chance(0.1) && { difficulty: `0x${"f".repeat(64)}` }),
    },
    state: { code: Object.fromEntries(code) },
  };
}

/** The same for a first block, which can have no uncles. */
export function randomGenesis(random: Random): BlockSpecification {
  return { ...randomBlock(random), uncles: [] };
}

/** Up to `end` items, without it. */
function several<Item>(random: Random, end: number, make: () => Item): Item[] {
  return Array.from({ length: random.integer(end) }, make);
}

/** A fee vault of rollups, which each deposit may pay without a trace. */
const VAULT: Address = "0x4200000000000000000000000000000000000019";

function account(random: Random): Address {
  if (random.chance(0.05)) return VAULT;
  // One that is seldom touched again shows what a reorganisation left of it.
  if (random.chance(0.15)) return scriptedAddress(`rare ${random.integer(60)}`);
  return random.chance(0.1) ? ZERO_ADDRESS : scriptedAddress(`account ${random.integer(7)}`);
}

const madeContract = (number: number): Address => scriptedAddress(`made ${number}`);

function transaction(random: Random): TransactionSpecification {
  const type = random.pick([0, 1, 2, 2, 3, 4, 100, 255, DEPOSIT_TYPE]);
  return {
    from: account(random),
    to: random.chance(0.15) ? null : account(random),
    input: random.pick(INPUTS),
    ...(random.chance(0.2) && { gasUsed: random.pick([0, 1, 21_000]) }),
    effectiveGasPriceWei: random.pick([2n, 2n, 2n, 3n, 10n ** 9n]) * 10n ** 9n,
    ...(random.chance(0.5) && {
      contractAddress: madeContract(random.integer(3)),
      output: random.pick<Hex>(["0x60", "0x6001"]),
    }),
    valueWei: random.pick([0n, 1n, 10n ** 18n, 2n ** 200n]),
    type,
    ...(type === DEPOSIT_TYPE && { effectiveGasPriceWei: 0n }),
    ...(random.chance(0.15) && { error: random.pick(["execution reverted", "out of gas"]) }),
    fields: fields(random, type),
    receiptFields: receiptFields(random),
    logs: several(random, 4, () => log(random)),
    calls: several(random, 3, () => call(random, 0)),
  };
}

/** Differences of some chains and forks. */
function fields(random: Random, type: number): Record<string, unknown> {
  if (type === DEPOSIT_TYPE) {
    return { v: undefined, r: undefined, s: undefined, mint: "0x1", isSystemTx: false };
  }
  return {
    ...(random.chance(0.1) && { nonce: "0xfffffffffffffffe" }),
    ...(random.chance(0.1) && { gas: "0xffffffffffffffff" }),
    ...(random.chance(0.1) && type === 0 && { v: `0x${"f".repeat(16)}`, type: undefined }),
    ...(random.chance(0.1) && { r: `0x${"f".repeat(64)}`, value: "0x007" }),
    ...(random.chance(0.1) && {
      accessList: [{ address: account(random), storageKeys: [word(1)] }],
    }),
  };
}

function receiptFields(random: Random): Record<string, unknown> {
  return {
    // Before Byzantium.
    ...(random.chance(0.1) && { status: undefined, root: word(1) }),
    ...(random.chance(0.1) && { effectiveGasPrice: undefined }),
    ...(random.chance(0.1) && { blobGasUsed: "0x20000", blobGasPrice: "0x1" }),
  };
}

function call(random: Random, depth: number): CallSpecification {
  const type = random.pick([
    ...["CALL", "CALL", "CALL", "DELEGATECALL", "STATICCALL", "CALLCODE"],
    ...["CREATE", "CREATE2", "SELFDESTRUCT"],
  ]);
  const contract = madeContract(random.integer(3));
  const valueWei = random.pick([0n, 0n, 1n, 10n ** 18n]);
  if (type === "SELFDESTRUCT") {
    const from = random.chance(0.7) ? contract : account(random);
    return { type, from, to: account(random), valueWei };
  }
  const inner = depth < 2 && random.chance(0.5) ? 1 + random.integer(2) : 0;
  const frame = {
    type,
    from: account(random),
    calls: Array.from({ length: inner }, () => call(random, depth + 1)),
    ...(random.chance(0.15) && {
      error: random.pick(["out of gas", "", "execution reverted"]),
    }),
  };
  if (!type.startsWith("CREATE")) {
    const to = random.chance(0.3) ? contract : account(random);
    return { ...frame, to, valueWei: NO_VALUE.test(type) ? 0n : valueWei };
  }
  const output = random.pick<Hex>(["0x60", "0x"]);
  return { ...frame, valueWei, output, ...(!("error" in frame) && { to: contract }) };
}

const SPEAKS = { batch: "1155", upgrade: "20", many: "721" };

function log(random: Random): LogSpecification {
  const kind = random.pick(["20", "20", "721", "1155", "batch", "404", "upgrade", "many", "odd"]);
  const standard = SPEAKS[kind as keyof typeof SPEAKS] ?? kind;
  // Now and then a token speaks another standard.
  const address = scriptedAddress(
    `${random.chance(0.05) || kind === "odd" ? random.pick(["20", "721", "1155", "404"]) : standard} ${random.integer(3)}`,
  );
  const from = wordOfAddress(account(random));
  const to = wordOfAddress(account(random));
  const amount = random.pick(AMOUNTS);
  const id = random.chance(0.1) ? 2n ** 256n - 1n : BigInt(random.integer(3));
  switch (kind) {
    case "20":
      return { address, topics: [TRANSFER, from, to], data: word(amount) };
    case "721":
      return { address, topics: [TRANSFER, from, to, word(id)] };
    case "many": {
      const last = random.pick([id, 1n, 2n, 2n ** 256n - 1n]);
      return { address, topics: [CONSECUTIVE_TRANSFER, word(id), from, to], data: word(last) };
    }
    case "1155": {
      const data = hexConcat(word(id), word(amount));
      return { address, topics: [TRANSFER_SINGLE, from, from, to], data };
    }
    case "batch": {
      const ids = several(random, 4, () => BigInt(random.integer(2)));
      const amounts = ids.map(() => random.pick([0n, 1n, 5n, 9n]));
      const data = encodeAbiParameters(LISTS, [ids, amounts]);
      // Now and then it is cut off.
      const end = random.chance(0.1) ? 2 + 2 * random.integer(data.length / 2) : data.length;
      return { address, topics: [TRANSFER_BATCH, from, from, to], data: data.slice(0, end) as Hex };
    }
    case "upgrade": {
      const behind = scriptedAddress(`${random.pick(["20", "721", "1155"])} ${random.integer(3)}`);
      return { address, topics: [random.pick(UPGRADES), wordOfAddress(behind)], data: "0x" };
    }
    case "404":
      return random.chance(0.5)
        ? { address, topics: [AMOUNT_TRANSFER, from, to], data: word(amount) }
        : { address, topics: [ID_TRANSFER, from, to, word(id)] };
    default:
      return { address, ...odd(random, [from, to, word(id)], word(amount)) };
  }
}

/** A log that looks like a transfer, and seldom is one. */
function odd(
  random: Random,
  words: readonly Hex[],
  amount: Hex,
): Omit<LogSpecification, "address"> {
  const event = random.pick([
    TRANSFER,
    TRANSFER_SINGLE,
    TRANSFER_BATCH,
    AMOUNT_TRANSFER,
    ID_TRANSFER,
    CONSECUTIVE_TRANSFER,
  ]);
  const topics = random.chance(0.2) ? [] : [event, ...words.slice(0, random.integer(4))];
  const dirty = topics.map((topic, index) =>
    index > 0 && random.chance(0.1) ? (`0xff${topic.slice(4)}` as Hex) : topic,
  );
  const data = random.pick<Hex>([
    ...(["0x", "0x12", amount, hexConcat(amount, amount), hexConcat(...words)] as Hex[]),
    ...[
      hexConcat(word(64), word(64)),
      hexConcat(word(0), word(0)),
      hexConcat(word(64), word(96), word(0)),
    ],
    ...([
      hexConcat(word(64), word(128), word(1), word(1), word(2), word(1), word(1)),
      `0x${"ff".repeat(96)}`,
    ] as Hex[]),
  ]);
  return { topics: dirty, data };
}
