import type { Address } from "viem";
import type { Scenario } from "../scene.ts";

/** Transactions of the largest block: more than the node is asked at once in the deep suite. anvil's time for a trace grows with their square. */
const MANY = process.env["EVERY_CASE"] ? 101 : 40;

/** Blocks without transactions, one with many, several of one second, and other fee recipients. */
export const blocks: Scenario = async (scene) => {
  await scene.mine();
  await scene.mine(scene.anvil ? 0 : 1);
  await scene.mine(3_600);
  const miners: Address[] = [`0x${"c0".repeat(20)}`, scene.accounts[5] as Address];
  for (const miner of miners) {
    if (scene.anvil) await scene.rpc.request("anvil_setCoinbase", miner);
    scene.send({ from: scene.accounts[0] as Address, to: miner, value: 1n });
    await scene.mine(12);
  }
  for (let index = 0; index < MANY; index++) {
    const [from, to] = [scene.accounts[index % 7], scene.accounts[(index * 3) % 10]];
    scene.send({ from: from as Address, to: to as Address, value: BigInt(index), gas: 21_000n });
  }
  await scene.mine(1);
  await scene.mine(86_400);
};
