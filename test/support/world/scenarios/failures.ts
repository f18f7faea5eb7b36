import type { Address, Hex } from "viem";
import { callData, initCode, word } from "../contracts.ts";
import { INIT_CODES, type Operation, run } from "../operations.ts";
import type { Scenario } from "../scene.ts";

/** Transactions that fail in every way that a call can fail. */
export const failedCalls: Scenario = async (scene) => {
  const [from, payee] = scene.accounts as [Address, Address];
  const machine = scene.contract("machine1");
  const endings: Operation[] = [
    { kind: "revert" },
    { kind: "revert", data: "0xdeadbeef" },
    { kind: "revert", data: `0x${"5a".repeat(1000)}` },
    { kind: "revertWithReason", data: "0x" },
    { kind: "revertWithReason", data: `0x${Buffer.from("no, thank you").toString("hex")}` },
    { kind: "revertWithReason", data: "0x00ff80eda080" },
    { kind: "revertWithError", target: payee, value: 7n },
    { kind: "panic" },
    { kind: "invalid" },
    { kind: "burnGas" },
  ];
  for (const ending of endings)
    scene.send({ from, to: machine, data: run([ending]), gas: 200_000n });
  // Everything before the end is undone with it.
  scene.send({
    from,
    to: machine,
    value: 100n,
    data: run([
      { kind: "log", topics: [word(1)], data: "0x01" },
      { kind: "call", target: payee, value: 60n },
      { kind: "create", data: INIT_CODES.stops },
      {
        kind: "call",
        target: scene.contract("fungible"),
        data: callData("Fungible", "mint", payee, 1n),
      },
      { kind: "revertWithReason", data: `0x${Buffer.from("all undone").toString("hex")}` },
    ]),
  });
  scene.send({ from, to: scene.contract("fungible"), value: 1n });
  scene.send({ from, to: scene.contract("fungible"), data: "0xffffffff" });
  scene.send({ from, to: machine, data: "0x01020304" });
  // The gas of the transaction itself, and nothing left for its first instruction.
  scene.send({ from, to: machine, data: "0x", gas: 21_000n });
  scene.send({
    from,
    to: scene.contract("fungible"),
    data: callData("Fungible", "transferFrom", payee, from, 1n),
  });
  await scene.mine();
};

/** Creations that fail: at the top, and below a transaction that succeeds. */
export const failedCreations: Scenario = async (scene) => {
  const [, from] = scene.accounts as [Address, Address];
  const failing: Hex[] = [
    INIT_CODES.reverts,
    INIT_CODES.revertsWithData,
    INIT_CODES.invalid,
    INIT_CODES.badJump,
    INIT_CODES.stackUnderflow,
    INIT_CODES.runsOutOfGas,
    INIT_CODES.startsWithEf,
    INIT_CODES.tooLarge,
  ];
  for (const data of failing) scene.send({ from, data, gas: 2_000_000n });
  scene.send({ from, data: initCode("BrokenNest"), value: 50n, gas: 3_000_000n });
  // Enough to run the init code, not enough to keep its result.
  scene.send({ from, data: initCode("Fungible", ["Dear", "DEAR", 18]), gas: 700_000n });
  await scene.mine();
  const machine = scene.contract("machine2");
  // Little gas each: anvil drops what does not fit into a block.
  for (const data of failing) {
    const operations: Operation[] = [
      { kind: "create", data, value: 1n },
      { kind: "create2", data, salt: word(7), value: 1n },
      { kind: "log", topics: [word(2)] },
    ];
    scene.send({ from, to: machine, data: run(operations), value: 2n, gas: 1_500_000n });
  }
  scene.send({
    from,
    to: machine,
    data: run([{ kind: "create", data: initCode("BrokenNest"), value: 3n }]),
    value: 3n,
    gas: 3_000_000n,
  });
  await scene.mine();
};
