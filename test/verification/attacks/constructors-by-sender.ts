import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    "Vault.sol": `pragma solidity 0.8.28;
contract Vault {
    address public immutable owner;
    constructor() payable { owner = msg.sender; }
    function take() external { require(msg.sender == owner); payable(owner).transfer(address(this).balance); }
}`,
  },
  contract: "Vault.sol:Vault",
};
/** The program with another text in one place, as it was deployed. */
const other: Program = {
  ...program,
  sources: {
    "Vault.sol": (program.sources["Vault.sol"] ?? "").replace(
      "{ owner = msg.sender; }",
      "{ owner = address(0xbad); }",
    ),
  },
};

const attack: Attack = {
  title: "another owner than the sender, left by a constructor that was paid",
  attack: async (world) => {
    const { creation } = await world.compile(other);
    return world.verify(program, await world.deploy(`0x${creation}`, 10n ** 18n));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`, 10n ** 18n));
  },
  reason: /Another constructor ran/,
};

export default attack;
