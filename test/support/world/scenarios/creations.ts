import type { Address, Hex } from "viem";
import { callData, create2Address, initCode, word } from "../contracts.ts";
import { INIT_CODES, initCodeOf, type Operation, run } from "../operations.ts";
import type { Scenario, Scene } from "../scene.ts";

function sender(scene: Scene): Address {
  return scene.accounts[3] as Address;
}

function play(scene: Scene, machine: string, operations: readonly Operation[], value = 0n): void {
  const to = scene.contract(machine);
  scene.send({ from: sender(scene), to, data: run(operations), value, gas: 4_000_000n });
}

/** A salt that this chain has not seen: the sender's nonce makes it. */
async function newSalt(scene: Scene, family: bigint): Promise<Hex> {
  const nonce = await scene.rpc.request<Hex>("eth_getTransactionCount", sender(scene), "pending");
  return word((family << 64n) + (BigInt(nonce) << 8n));
}

/** Init code of an EIP-1167 clone, as contracts/Machine.sol writes it. */
function cloneCode(implementation: Address): Hex {
  const proxy = `363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`;
  return `0x3d602d80600a3d3981f3${proxy}`;
}

/** Contracts by a transaction, by CREATE, by CREATE2, inside a constructor; with value, and without any code. */
export const creations: Scenario = async (scene) => {
  const from = sender(scene);
  scene.send({ from, data: initCode("Machine"), value: 77n, gas: 3_000_000n });
  scene.send({ from, data: initCode("Nest"), value: 10n, gas: 4_000_000n });
  // Hardhat refuses a creation without data.
  if (scene.anvil) scene.send({ from, data: INIT_CODES.empty });
  scene.send({ from, data: INIT_CODES.destroysItself, value: 6n });
  scene.send({ from, data: INIT_CODES.stops });
  await scene.mine();
  const salt = await newSalt(scene, 1n);
  const code = initCodeOf("0x6000");
  const target = create2Address(scene.contract("machine1"), salt, code);
  // Paid before it exists, created, and refused the second time.
  play(scene, "machine1", [{ kind: "call", target, value: 8n }], 8n);
  play(
    scene,
    "machine1",
    [
      { kind: "create2", data: code, salt, value: 9n },
      { kind: "create", data: INIT_CODES.stops, value: 1n },
      { kind: "create", data: initCode("Nest"), value: 4n },
      { kind: "create", data: INIT_CODES.empty },
    ],
    14n,
  );
  play(scene, "machine1", [{ kind: "create2", data: code, salt }]);
  await scene.mine();
};

/** Destruction in the creating transaction (code gone), later (code stays), and life after destruction. */
export const destructions: Scenario = async (scene) => {
  const [payee] = scene.accounts as [Address];
  const one = scene.contract("machine1");
  const salt = await newSalt(scene, 2n);
  const mortal = create2Address(one, salt, INIT_CODES.selfDestructs);
  const born: Operation = { kind: "create2", data: INIT_CODES.selfDestructs, salt, value: 5n };
  const killed: Operation = { kind: "call", target: mortal };
  play(scene, "machine1", [born, killed], 5n);
  await scene.mine();
  // The same address again: created and destroyed in one transaction, then created for good.
  play(scene, "machine1", [born, killed], 5n);
  play(scene, "machine1", [born], 5n);
  await scene.mine();
  // Since Cancun this only moves the coins: the code stays, and the third call finds nothing to move.
  play(scene, "machine1", [killed]);
  await scene.mine();
  play(scene, "machine1", [{ kind: "call", target: mortal, value: 2n }, killed], 2n);
  await scene.mine();
  // A destruction that a failure around it undoes, and two of one contract in one transaction.
  const second = word(BigInt(salt) + 1n);
  const other = create2Address(scene.contract("machine2"), second, INIT_CODES.selfDestructs);
  play(
    scene,
    "machine1",
    [
      {
        kind: "call",
        target: scene.contract("machine2"),
        value: 3n,
        data: run([
          { kind: "create2", data: INIT_CODES.selfDestructs, salt: second, value: 1n },
          { kind: "call", target: other },
          { kind: "revert" },
        ]),
      },
    ],
    3n,
  );
  play(
    scene,
    "machine2",
    [
      { kind: "create2", data: INIT_CODES.selfDestructs, salt: second, value: 1n },
      { kind: "call", target: other },
      { kind: "call", target: other, value: 1n },
    ],
    2n,
  );
  await scene.mine();
  // A machine created and destroyed in favour of itself, of an account, of a new address.
  for (const [index, beneficiary] of [undefined, payee, `0x${"be".repeat(20)}` as Hex].entries()) {
    const salted = word(BigInt(salt) + 2n + BigInt(index));
    const machine = create2Address(one, salted, initCode("Machine"));
    const end: Operation = { kind: "selfDestruct", target: beneficiary ?? machine };
    const create: Operation = {
      kind: "create2",
      data: initCode("Machine"),
      salt: salted,
      value: 12n,
    };
    const call: Operation = { kind: "call", target: machine, data: run([end]) };
    play(scene, "machine1", [create, call], 12n);
    await scene.mine();
    play(scene, "machine1", [create], 12n);
    await scene.mine();
    play(scene, "machine1", [call]);
    await scene.mine();
  }
};

/** Clones of a token by CREATE and CREATE2, a clone of nothing, and a proxy that changes its mind. */
export const factories: Scenario = async (scene) => {
  const from = sender(scene);
  const cloner = scene.contract("cloner");
  const fungible = scene.contract("fungible");
  const salt = await newSalt(scene, 3n);
  const start = (name: string): Hex => callData("Fungible", "initialize", name, "CLN", 2);
  scene.send({ from, to: cloner, data: callData("Cloner", "clone", fungible, start("Clone")) });
  scene.send({
    from,
    to: cloner,
    data: callData("Cloner", "clone2", fungible, salt, start("Twin")),
  });
  scene.send({
    from,
    to: cloner,
    data: callData("Cloner", "clone2", fungible, salt, start("Twin")),
  });
  scene.send({
    from,
    to: cloner,
    data: callData("Cloner", "clone", scene.contract("machine1"), "0x"),
  });
  const constructorArguments = [fungible, callData("Fungible", "initialize", "Proxied", "PRX", 18)];
  scene.send({ from, data: initCode("Proxy", constructorArguments), gas: 2_000_000n });
  const receipts = await scene.mine();
  const proxy = receipts.at(-1)?.contractAddress as Address;
  const clone = create2Address(cloner, salt, cloneCode(fungible));
  for (const to of [proxy, clone]) {
    scene.send({ from, to, data: callData("Fungible", "mint", from, 1000n) });
    scene.send({ from, to, data: callData("Fungible", "transfer", scene.accounts[4], 300n) });
  }
  scene.send({ from, to: proxy, data: callData("Proxy", "upgradeTo", scene.contract("sibling")) });
  scene.send({ from, to: proxy, data: callData("Fungible", "burn", 10n) });
  await scene.mine();
};
