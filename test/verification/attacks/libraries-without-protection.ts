import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    "Wallets.sol": `pragma solidity 0.8.28;
library Wallets {
    struct Wallet { address owner; }
    function claim(Wallet storage wallet) external { wallet.owner = msg.sender; }
    function kill(Wallet storage wallet) external { selfdestruct(payable(wallet.owner)); }
}`,
  },
  contract: "Wallets.sol:Wallets",
};

const attack: Attack = {
  title: "a library holds no address, so that it may be called directly, and destroyed",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    return world.verify(program, await world.predeploy(`0x${runtime}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /holds no address of its own/,
};

export default attack;
