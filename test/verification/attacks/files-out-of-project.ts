import type { Attack, Program } from "./attack.ts";

/** As Foundry gives what a workspace keeps beside the project, and Truffle all that it compiles. */
const program: Program = {
  sources: {
    "/home/owner/project/src/Note.sol": `pragma solidity 0.8.28;
import "@base/Base.sol";
contract Note is Base { uint256 public mark; }`,
    "../../node_modules/@base/Base.sol":
      "pragma solidity 0.8.28;\ncontract Base { uint256 public base; }",
  },
  settings: { remappings: ["@base/=../../node_modules/@base/"] },
  contract: "/home/owner/project/src/Note.sol:Note",
};
const outside: Program = {
  sources: {
    "src/Note.sol": `pragma solidity 0.8.28;
import "/home/owner/.bashrc";
contract Note is Base { uint256 public mark; }`,
    "/home/owner/.bashrc": "pragma solidity 0.8.28;\ncontract Base { uint256 public base; }",
  },
  contract: "src/Note.sol:Note",
};

const attack: Attack = {
  title: "an imported file would be written out of the folder of the project",
  attack: async (world) => {
    const { creation } = await world.compile(outside);
    return world.verify(outside, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /leads out of the project/,
};

export default attack;
