import { expect } from "vitest";
import type { Attack, AttackWorld, Program } from "./attack.ts";

/** Up to 0.4.8 the compiler does not report the file of a contract. */
const program = (contract: string): Program => ({
  compiler: "0.4.8",
  sources: {
    "Shown.sol": `contract My$contract {}
contract Words { My$contract Bank; }`,
    "Used.sol": "contract Bank { function close() { selfdestruct(msg.sender); } }",
  },
  contract,
});

async function verify(world: AttackWorld, contract: string) {
  const { creation } = await world.compile(program(":Bank"));
  return world.verify(program(contract), await world.deploy(`0x${creation}`));
}

const attack: Attack = {
  title: "a variable, whose type ends in `$contract`, is no contract of its name",
  attack: (world) => verify(world, "Shown.sol:Bank"),
  honest: (world) => verify(world, "Used.sol:Bank"),
  check: (_attacked, { source }) => expect(source?.filePath).toBe("Used.sol"),
};

export default attack;
