import { type Address, concat, type Hex, zeroAddress } from "viem";
import { callData, initCode, word } from "./contracts.ts";
import {
  addressWord,
  batchData,
  emitLog,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
} from "./events.ts";
import { INIT_CODES, type Operation, run } from "./operations.ts";
import type { Random } from "./random.ts";
import { LOG_TOPICS } from "./scenarios/logs.ts";
import type { Scene } from "./scene.ts";

type Activity = (scene: Scene, random: Random) => void;

const CREATED: readonly Hex[] = [
  ...Object.values(INIT_CODES),
  initCode("Nest"),
  initCode("BrokenNest"),
];
const PRICINGS = ["legacy", "accessList", "dynamicFee", "dynamicFee"] as const;
const DEEPEST = 4;

/** An account, a contract or an address that may never have been seen, so few that they meet again. */
function party(scene: Scene, random: Random): Address {
  if (random.chance(0.7)) return random.pick(scene.accounts);
  if (random.chance(0.3)) return scene.contract(`machine${1 + random.integer(3)}`);
  return `0x${(0xabcd_0000 + random.integer(40)).toString(16).padStart(40, "0")}`;
}

function send(scene: Scene, random: Random, to: Address | undefined, data: Hex, value = 0n): void {
  scene.send({
    from: random.pick(scene.accounts),
    ...(to && { to }),
    data,
    value,
    gas: 1_500_000n,
    pricing: random.pick(PRICINGS),
    tip: BigInt(random.integer(3_000_000_000)),
  });
}

function randomOperation(scene: Scene, random: Random, depth: number): Operation {
  const target = scene.contract(`machine${1 + random.integer(3)}`);
  const value = BigInt(random.pick([0, 0, 1, 5]));
  if (depth < DEEPEST && random.chance(0.45)) {
    const kind = random.pick([
      "call",
      "call",
      "call",
      "callOrRevert",
      "delegateCall",
      "staticCall",
      "callCode",
    ] as const);
    const gasLimit = random.chance(0.1) ? BigInt(random.integer(60_000)) : 0n;
    return { kind, target, value, gasLimit, data: run(randomOperations(scene, random, depth + 1)) };
  }
  const draw = random.integer(20);
  if (draw < 6)
    return {
      kind: "call",
      target: party(scene, random),
      value,
      data: random.bytes(random.integer(6)),
    };
  if (draw < 9) return { kind: "create", data: random.pick(CREATED), value };
  if (draw < 11)
    return {
      kind: "create2",
      data: random.pick(CREATED),
      value,
      salt: word(random.integer(1_000_000)),
    };
  if (draw < 16) {
    const topics = LOG_TOPICS.slice(random.integer(4), 1 + random.integer(4));
    return { kind: "log", topics, data: random.bytes(random.integer(40)) };
  }
  if (draw < 17) return { kind: "store", value: BigInt(random.integer(100)) };
  const ending = random.pick([
    "revert",
    "revertWithReason",
    "revertWithError",
    "panic",
    "invalid",
  ] as const);
  return { kind: ending, target, value, data: random.bytes(random.integer(50)) };
}

function randomOperations(scene: Scene, random: Random, depth: number): Operation[] {
  return Array.from({ length: 1 + random.integer(4) }, () => randomOperation(scene, random, depth));
}

const payment: Activity = (scene, random) => {
  const value = BigInt(random.integer(1_000_000)) * 10n ** BigInt(random.integer(10));
  send(scene, random, party(scene, random), random.chance(0.8) ? "0x" : random.bytes(7), value);
};

const callTree: Activity = (scene, random) => {
  const to = scene.contract(`machine${1 + random.integer(3)}`);
  send(scene, random, to, run(randomOperations(scene, random, 0)), BigInt(random.integer(100)));
};

const creation: Activity = (scene, random) => {
  const data = random.pick(CREATED);
  if (data === "0x" && !scene.anvil) return;
  send(scene, random, undefined, data, BigInt(random.integer(3)));
};

const clone: Activity = (scene, random) => {
  const implementation = scene.contract(random.pick(["fungible", "machine1"]));
  const salt = word(random.integer(50));
  const data = random.chance(0.5)
    ? callData("Cloner", "clone", implementation, "0x")
    : callData("Cloner", "clone2", implementation, salt, "0x");
  send(scene, random, scene.contract("cloner"), data);
};

const fungible: Activity = (scene, random) => {
  const to = scene.contract(
    random.pick(["fungible", "fungible", "sibling", "toll", "tide", "hush", "whisper"]),
  );
  const amount = BigInt(random.integer(1000));
  const owner = party(scene, random);
  const data = random.pick([
    () => callData("Fungible", "mint", owner, amount * 10n),
    () => callData("Fungible", "transfer", owner, amount),
    () => callData("Fungible", "transfer", owner, amount),
    () => callData("Fungible", "burn", amount / 10n),
    () => callData("Fungible", "approve", owner, amount),
  ])();
  send(scene, random, to, data);
};

const irregular: Activity = (scene, random) => {
  const owner = party(scene, random);
  const amount = BigInt(1 + random.integer(500));
  const [name, data] = random.pick([
    ["tide", callData("Rebasing", "rebase", 500n + amount)],
    ["hush", callData("SilentMint", "mintSilently", owner, amount)],
    ["whisper", callData("SilentMint", "mintWithOtherEvent", owner, amount)],
  ] as const);
  send(scene, random, scene.contract(name), data);
};

const collectible: Activity = (scene, random) => {
  const id = BigInt(random.integer(30));
  const to = random.chance(0.1) ? zeroAddress : party(scene, random);
  const data = random.pick([
    () => callData("Collectible", "place", party(scene, random), id),
    () => callData("Collectible", "place", party(scene, random), id),
    () => callData("Collectible", "placeMany", to, id, BigInt(1 + random.integer(9))),
    () => callData("Collectible", "burn", id),
  ])();
  send(scene, random, scene.contract("collectible"), data);
};

const multi: Activity = (scene, random) => {
  const from = random.chance(0.4) ? zeroAddress : random.pick(scene.accounts);
  const to = random.chance(0.1) ? zeroAddress : party(scene, random);
  const size = random.integer(4);
  const ids = Array.from({ length: size }, () => BigInt(10 + random.integer(5)));
  const values = ids.map(() => BigInt(random.integer(from === zeroAddress ? 1000 : 8)));
  const data = random.chance(0.5)
    ? callData("MultiToken", "transferBatch", from, to, ids, values)
    : callData("MultiToken", "transfer", from, to, ids[0] ?? 10n, values[0] ?? 0n);
  send(scene, random, scene.contract("multi"), data);
};

const hybrid: Activity = (scene, random) => {
  const to = party(scene, random);
  const data = random.chance(0.6)
    ? callData("Hybrid", "mint", to)
    : callData("Hybrid", "transferAmount", to, BigInt(random.integer(1000)));
  send(scene, random, scene.contract("hybrid"), data);
};

/** Transfer events whose topics and data are as often wrong as right, of contracts that keep no balances. */
const announcement: Activity = (scene, random) => {
  const parties = [addressWord(party(scene, random)), addressWord(party(scene, random))];
  const numbers = [word(random.integer(9)), word(random.integer(9))];
  const topics = [random.pick([TRANSFER, TRANSFER_SINGLE, TRANSFER_BATCH]), ...parties, ...numbers];
  const batch = batchData([1n, 1n].slice(random.integer(3)), [2n, 3n].slice(random.integer(3)));
  const data = random.pick([
    "0x",
    numbers[0] as Hex,
    concat(numbers),
    concat([...parties, ...numbers.slice(1)]),
    batch,
  ] as const);
  const to = scene.contract(`puppet${1 + random.integer(4)}`);
  send(scene, random, to, emitLog(topics.slice(0, 1 + random.integer(4)), data));
};

const wrapped: Activity = (scene, random) => {
  const data = random.chance(0.6)
    ? callData("WrappedCoin", "deposit")
    : callData("WrappedCoin", "withdraw", BigInt(random.integer(50)));
  send(scene, random, scene.contract("wrapped"), data, random.chance(0.8) ? 100n : 0n);
};

const ACTIVITIES: readonly Activity[] = [
  payment,
  payment,
  payment,
  callTree,
  callTree,
  callTree,
  creation,
  clone,
  fungible,
  fungible,
  fungible,
  irregular,
  collectible,
  collectible,
  multi,
  multi,
  hybrid,
  announcement,
  wrapped,
];

/** Sends what happens in one random block: mostly a handful of transactions, sometimes none, seldom over a hundred. */
export function sendRandomActivity(scene: Scene, random: Random): void {
  if (random.chance(0.1)) return;
  if (random.chance(0.02)) {
    for (let count = 0; count < 101; count++) payment(scene, random);
    return;
  }
  const count = 1 + random.integer(8);
  for (let index = 0; index < count; index++) random.pick(ACTIVITIES)(scene, random);
}
