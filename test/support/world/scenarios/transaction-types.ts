import { createHash } from "node:crypto";
import { type Address, type Hex, hexToBytes, zeroAddress } from "viem";
import { developmentAccount } from "../keys.ts";
import { run } from "../operations.ts";
import type { Scenario, Scene } from "../scene.ts";

const PRICE = { maxFeePerGas: 200_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n } as const;

async function quantityOf(scene: Scene, method: string, ...params: unknown[]): Promise<number> {
  return Number(await scene.rpc.request<Hex>(method, ...params));
}

/** Types 0, 1 and 2, as a plain transfer, a call and a creation. */
export const envelopes: Scenario = async (scene) => {
  const [from, to] = scene.accounts as [Address, Address];
  for (const pricing of ["legacy", "accessList", "dynamicFee"] as const) {
    scene.send({ from, to, value: 1_000_000_007n, pricing });
    scene.send({ from, to: scene.contract("machine1"), data: run([]), value: 5n, pricing });
    scene.send({ from, data: "0x6000600053600160006000f3", pricing });
  }
  scene.send({ from, to: from, value: 12n });
  scene.send({ from, to, data: "0xdeadbeef01" });
  scene.send({ from, to: zeroAddress, value: 3n });
  await scene.mine();
};

/** Type 4: accounts that take code, use it, lend it and give it back; an authorization that is not valid. */
export const delegations: Scenario = async (scene) => {
  const sponsor = developmentAccount(7);
  const delegator = developmentAccount(8);
  const chainId = await quantityOf(scene, "eth_chainId");
  const machine = scene.contract("machine1");

  async function delegate(targets: readonly Address[], to: Address, data: Hex): Promise<void> {
    const nonce = await quantityOf(scene, "eth_getTransactionCount", sponsor.address, "pending");
    const first = await quantityOf(scene, "eth_getTransactionCount", delegator.address, "pending");
    const authorizationList = await Promise.all(
      targets.map((address, index) =>
        delegator.signAuthorization({ chainId, address, nonce: first + index }),
      ),
    );
    const transaction = { chainId, nonce, to, data, value: 9n, gas: 900_000n, ...PRICE };
    scene.sendRaw(await sponsor.signTransaction({ ...transaction, authorizationList }));
    await scene.mine();
  }

  const account = delegator.address.toLowerCase() as Address;
  const [first] = scene.accounts as [Address];
  const pay = run([{ kind: "call", target: first, value: 4n }]);
  await delegate([machine], account, pay);
  scene.send({ from: first, to: account, data: pay });
  scene.send({ from: first, to: account, data: run([{ kind: "log", topics: [], data: "0x07" }]) });
  await scene.mine();
  // The second authorization of the list wins; a nonce that was used makes one void.
  await delegate([machine, scene.contract("machine2")], first, "0x");
  await delegate([zeroAddress], first, "0x");
};

const BLOB_SIZE = 131_072;
/** Commitment to, and proof of, a blob of zeros: the point at infinity. */
const INFINITY: Hex = `0xc0${"00".repeat(47)}`;

/** Type 3, with a blob of zeros, where the node takes blobs. */
export const blobs: Scenario = async (scene) => {
  if (!scene.anvil) return;
  const sender = developmentAccount(9);
  const nonce = await quantityOf(scene, "eth_getTransactionCount", sender.address, "pending");
  const digest = createHash("sha256").update(hexToBytes(INFINITY)).digest("hex");
  const sidecar = {
    blob: `0x${"00".repeat(BLOB_SIZE)}`,
    commitment: INFINITY,
    proof: INFINITY,
  } as const;
  const signed = await sender.signTransaction({
    type: "eip4844",
    chainId: await quantityOf(scene, "eth_chainId"),
    nonce,
    to: scene.contract("machine1"),
    value: 2n,
    gas: 100_000n,
    maxFeePerBlobGas: 1_000_000_000n,
    blobVersionedHashes: [`0x01${digest.slice(2)}`],
    sidecars: [sidecar],
    ...PRICE,
  });
  scene.sendRaw(signed);
  await scene.mine();
};
