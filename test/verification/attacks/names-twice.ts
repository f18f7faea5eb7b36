import { expect } from "vitest";
import type { Attack, AttackWorld, Program } from "./attack.ts";

const fee = (value: number) =>
  `pragma solidity 0.8.28; contract Shop { uint256 public constant fee = ${value}; }`;
const program = (value: number): Program => ({
  sources: { "Shop.sol": fee(value) },
  contract: "Shop.sol:Shop",
});

/** Standard JSON whose sources have one name twice: JSON.parse keeps the last, as solc does since 0.8.27. */
async function verifyTwice(world: AttackWorld, first: number, last: number) {
  const { creation } = await world.compile(program(99));
  const texts = [first, last].map(
    (value) => `"Shop.sol":{"content":${JSON.stringify(fee(value))}}`,
  );
  return world.verify(program(99), await world.deploy(`0x${creation}`), {
    request: (address) => ({
      format: "standard-json",
      address,
      input: `{"language":"Solidity","sources":{${texts.join(",")}},"settings":{}}`,
      name: "Shop.sol:Shop",
      compilerVersion: "0.8.28",
    }),
  });
}

const attack: Attack = {
  title: "a reader of the request sees the first text of a name, and the last one stands on chain",
  attack: (world) => verifyTwice(world, 99, 1),
  // The compared name is the stored one.
  honest: (world) => verifyTwice(world, 1, 99),
  check: (_attacked, { source }) =>
    expect(source?.sources).toEqual([{ path: "Shop.sol", text: fee(99) }]),
};

export default attack;
