import type { Address } from "viem";
import { word } from "../contracts.ts";
import { INIT_CODES, type Operation, run } from "../operations.ts";
import type { Scenario, Scene } from "../scene.ts";

function fresh(index: number): Address {
  return `0x${(0xf0e5_0000n + BigInt(index)).toString(16).padStart(40, "0")}`;
}

function precompiled(index: number): Address {
  return `0x${index.toString(16).padStart(40, "0")}`;
}

function play(scene: Scene, operations: readonly Operation[], value = 0n): void {
  const [, , from] = scene.accounts as [Address, Address, Address];
  const to = scene.contract("machine1");
  scene.send({ from, to, data: run(operations), value, gas: 3_000_000n });
}

/** Calls inside of calls, by every instruction that calls, with and without value. */
export const nestedCalls: Scenario = async (scene) => {
  const [first] = scene.accounts as [Address];
  const [one, two, three] = ["machine1", "machine2", "machine3"].map(scene.contract) as [
    Address,
    Address,
    Address,
  ];
  play(
    scene,
    [
      { kind: "call", target: fresh(1), value: 10n },
      {
        kind: "call",
        target: two,
        value: 500n,
        data: run([
          {
            kind: "call",
            target: three,
            value: 200n,
            data: run([{ kind: "call", target: fresh(2), value: 150n }]),
          },
          { kind: "call", target: one, value: 50n },
          { kind: "call", target: first, value: 1n, data: "0xcafe" },
        ]),
      },
      { kind: "call", target: one, value: 3n },
      { kind: "call", target: fresh(3) },
    ],
    1000n,
  );
  for (const kind of ["delegateCall", "staticCall", "callCode"] as const) {
    play(
      scene,
      [
        { kind, target: two, data: run([{ kind: "staticCall", target: three, data: "0x" }]) },
        { kind, target: two, data: run([{ kind: "log", topics: [word(3)], data: "0x03" }]) },
        { kind, target: two, data: run([{ kind: "call", target: first, value: 2n }]) },
        { kind, target: fresh(4), value: 6n, data: "0x01" },
      ],
      20n,
    );
  }
  // Precompiled contracts: recovery, SHA-256, identity.
  play(
    scene,
    [
      { kind: "staticCall", target: precompiled(1), data: word(1) },
      { kind: "call", target: precompiled(2), data: "0x0102", value: 1n },
      { kind: "call", target: precompiled(4), data: "0x0304" },
    ],
    1n,
  );
  await scene.mine();
};

/** Inner failures that the caller survives: their effects, creations and payments included, are undone. */
export const innerReverts: Scenario = async (scene) => {
  const [, payee] = scene.accounts as [Address, Address];
  const two = scene.contract("machine2");
  const three = scene.contract("machine3");
  const doomed: Operation[] = [
    { kind: "create", data: INIT_CODES.stops, value: 5n },
    { kind: "call", target: fresh(10), value: 11n },
    { kind: "log", topics: [word(4)], data: "0x04" },
    {
      kind: "call",
      target: three,
      value: 13n,
      data: run([{ kind: "call", target: payee, value: 12n }]),
    },
  ];
  for (const ending of ["revert", "panic", "invalid", "burnGas"] as const) {
    play(
      scene,
      [
        {
          kind: "call",
          target: two,
          value: 50n,
          gasLimit: 400_000n,
          data: run([...doomed, { kind: ending }]),
        },
        { kind: "call", target: payee, value: 1n },
      ],
      60n,
    );
  }
  // The failure is two calls deep and one catches it; then one that lets it through.
  play(
    scene,
    [
      {
        kind: "call",
        target: two,
        value: 40n,
        data: run([
          {
            kind: "call",
            target: three,
            value: 20n,
            data: run([...doomed.slice(1, 2), { kind: "revert" }]),
          },
          { kind: "call", target: fresh(11), value: 7n },
        ]),
      },
      {
        kind: "call",
        target: two,
        value: 40n,
        data: run([
          { kind: "call", target: fresh(12), value: 7n },
          {
            kind: "callOrRevert",
            target: three,
            data: run([{ kind: "revertWithError", value: 5n }]),
          },
        ]),
      },
    ],
    80n,
  );
  // More value than there is, and a log where nothing may be written.
  play(scene, [
    { kind: "call", target: fresh(13), value: 10n ** 30n },
    { kind: "create", data: INIT_CODES.stops, value: 10n ** 30n },
    { kind: "staticCall", target: two, data: run([{ kind: "log", topics: [] }]) },
    { kind: "staticCall", target: two, data: run([{ kind: "create", data: INIT_CODES.stops }]) },
  ]);
  await scene.mine();
};

/** A chain of calls a dozen deep, and a call with forty others side by side. */
export const shapes: Scenario = async (scene) => {
  const machines = ["machine1", "machine2", "machine3"].map(scene.contract) as Address[];
  let chain: Operation = { kind: "call", target: fresh(20), value: 1n };
  for (let depth = 0; depth < 12; depth++) {
    chain = { kind: "call", target: machines[depth % 3] as Address, value: 1n, data: run([chain]) };
  }
  play(scene, [chain], 1n);
  const targets = Array.from({ length: 40 }, (_, index) => fresh(30 + (index % 17)));
  play(
    scene,
    targets.map((target, index) => ({ kind: "call", target, value: BigInt(index % 3) })),
    40n,
  );
  await scene.mine();
};
