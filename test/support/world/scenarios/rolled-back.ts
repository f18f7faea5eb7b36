import type { Address } from "viem";
import { callData, create2Address, initCode, word } from "../contracts.ts";
import { INIT_CODES, type Operation, run } from "../operations.ts";
import type { Scenario, Scene } from "../scene.ts";

/** Each play names accounts of its own: a later list shows which ones were accepted. */
function strangers(nonce: bigint): (index: number) => Address {
  return (index) =>
    `0x${((0xbacc_ed00_0000n + nonce * 256n + BigInt(index)) << 8n).toString(16).padStart(40, "0")}`;
}

/** Everything that a frame can do: pay, create both ways, move tokens, destroy what it made, and ask others to. */
function deeds(scene: Scene, machine: string, seed: bigint, stranger: Address): Operation[] {
  const salt = word((seed << 16n) + BigInt(stranger));
  const mortal = create2Address(scene.contract(machine), salt, INIT_CODES.selfDestructs);
  return [
    { kind: "call", target: stranger, value: 3n },
    { kind: "callCode", target: stranger, value: 2n },
    { kind: "create", data: INIT_CODES.stops, value: 1n },
    { kind: "create", data: INIT_CODES.destroysItself, value: 1n },
    { kind: "create2", data: INIT_CODES.selfDestructs, salt, value: 1n },
    { kind: "call", target: mortal },
    { kind: "create", data: initCode("Nest"), value: 4n },
    {
      kind: "call",
      target: scene.contract("fungible"),
      data: callData("Fungible", "mint", stranger, 5n),
    },
  ];
}

const ENDINGS: readonly Operation[] = [
  { kind: "revert" },
  { kind: "revertWithReason", data: "0x6e6f" },
  { kind: "invalid" },
  { kind: "burnGas" },
];

/**
 * Frames that fail around value, creations, token transfers and self-destructs: caught and not, one deep and three, by
 * every way to call, in constructors, and with the transaction as a whole.
 */
export const rolledBack: Scenario = async (scene) => {
  const from = scene.accounts[5] as Address;
  const nonce = BigInt(await scene.rpc.request<string>("eth_getTransactionCount", from, "pending"));
  const stranger = strangers(nonce);
  let used = 0;
  const doomed = (machine: string): Operation[] => deeds(scene, machine, nonce, stranger(used++));
  const [one, two, three] = ["machine1", "machine2", "machine3"].map(scene.contract) as [
    Address,
    Address,
    Address,
  ];
  const play = (operations: readonly Operation[], gas = 6_000_000n): void =>
    scene.send({ from, to: one, data: run(operations), value: 100n, gas });
  for (const ending of ENDINGS) {
    // Caught by the caller; then the same let through by a caller who is caught one frame further out.
    const failing = (): Operation => ({
      kind: "call",
      target: two,
      value: 40n,
      gasLimit: 1_500_000n,
      data: run([...doomed("machine2"), ending]),
    });
    play([failing(), { kind: "call", target: stranger(used++), value: 1n }]);
    await scene.mine();
    play([
      {
        kind: "call",
        target: three,
        value: 60n,
        gasLimit: 4_000_000n,
        data: run([...doomed("machine3"), { ...failing(), kind: "callOrRevert" }]),
      },
    ]);
    await scene.mine();
    // Not caught at all: the transaction fails, though most of its frames did not.
    play([...doomed("machine1"), { ...failing(), kind: "callOrRevert" }], 3_500_000n);
    await scene.mine();
  }
  // The frame lasts and what it asked for does not, and the other way round.
  play([
    {
      kind: "call",
      target: two,
      value: 50n,
      data: run([
        { kind: "call", target: stranger(used++), value: 1n },
        {
          kind: "call",
          target: three,
          value: 40n,
          data: run([...doomed("machine3"), { kind: "revert" }]),
        },
        { kind: "call", target: stranger(used++), value: 1n },
      ]),
    },
    { kind: "call", target: stranger(used++), value: 10n ** 30n },
  ]);
  // Borrowed code that fails: its frames act for the borrower.
  for (const kind of ["delegateCall", "callCode", "staticCall"] as const) {
    play([{ kind, target: two, data: run([...doomed("machine1"), { kind: "revert" }]) }]);
  }
  await scene.mine();
  // In constructors: one that fails below a frame that lasts, one that lasts below a frame that fails.
  play([
    { kind: "create", data: initCode("BrokenNest"), value: 9n },
    { kind: "create2", data: initCode("BrokenNest"), salt: word(nonce), value: 9n },
    {
      kind: "call",
      target: two,
      value: 20n,
      data: run([{ kind: "create", data: initCode("Nest"), value: 8n }, { kind: "revert" }]),
    },
  ]);
  scene.send({ from, data: initCode("BrokenNest"), value: 50n, gas: 3_000_000n });
  scene.send({ from, data: initCode("Nest"), value: 50n, gas: 700_000n });
  await scene.mine();
};
