import { type Address, type Hex, numberToHex, toFunctionSelector } from "viem";
import type { Call } from "./chain.ts";
import type { Draws, Kind } from "./kind.ts";

const SALT: Hex = numberToHex(7, { size: 32 });

/** Deploys tokens that become others. */
export async function changingKinds({ chain, who, amount, coin }: Draws): Promise<Kind[]> {
  const { random, holders } = chain;
  const [life20, life6, life721, life1155] = [
    await chain.deploy("Life20"),
    await chain.deploy("Life6"),
    await chain.deploy("Life721"),
    await chain.deploy("Life1155"),
  ];
  const lives = [life20, life6, life721, life1155];
  const life = () => random.pick(lives);
  const decimals = () => random.pick([life20, life6]);
  const id = () => 1 + random.integer(4);

  /** Functions of each life; those missing in the present one fail. */
  const living = (address: Address): Kind["acts"] => ({
    mint: () => chain.call("Life20", address, "mint", who(), amount()),
    transfer: () => ({
      ...chain.call("Life20", address, "transfer", who(), amount()),
      from: random.pick([...holders]),
    }),
    seize: () => chain.call("Life20", address, "seize", who()),
    put: () => chain.call("Life721", address, "put", id(), who()),
    make: () => chain.call("Life1155", address, "make", who(), id(), amount()),
  });
  const begin = (address: Address): void => {
    for (const holder of holders.slice(0, 3)) {
      chain.enqueue(chain.call("Life20", address, "mint", holder, 1000n));
    }
  };

  async function proxy(
    name: string,
    loud: boolean | undefined,
    next: () => Address,
  ): Promise<Kind> {
    const address = await chain.deploy("Proxy", life20);
    begin(address);
    const upgrade = () => chain.call("Proxy", address, "upgrade_", next(), loud ?? coin());
    return { name, address, acts: { ...living(address), upgrade } };
  }

  async function behind(name: string, contract: string, isHidden: boolean): Promise<Kind> {
    const beacon = await chain.deploy("Beacon", life20);
    const address = await chain.deploy(contract, beacon);
    begin(address);
    const upgrade = () => chain.call("Beacon", beacon, "upgradeTo", life(), coin());
    return { name, address, acts: { ...living(address), upgrade }, isHidden };
  }

  async function diamond(): Promise<Kind> {
    const address = await chain.deploy("Diamond", life20);
    begin(address);
    const read = [
      "function name()",
      "function symbol()",
      "function decimals()",
      "function balanceOf(address)",
      "function totalSupply()",
    ].map((one) => toFunctionSelector(one));
    const cut = () => chain.call("Diamond", address, "cut", decimals(), read, coin());
    return { name: "Diamond", address, acts: { ...living(address), cut } };
  }

  async function phoenix(): Promise<Kind> {
    const factory = await chain.deploy("Factory");
    const at = chain.call("Factory", factory, "at", SALT);
    const word = await chain.rpc.request<Hex>("eth_call", at, "latest");
    const address: Address = `0x${word.slice(26)}`;
    chain.know(address, "Phoenix");
    const make = (model: Address) => chain.call("Factory", factory, "make", SALT, model);
    chain.enqueue(make(life20));
    await chain.mine();
    begin(address);
    const end = () => chain.call("Life20", address, "end");
    return {
      name: "Phoenix",
      address,
      acts: { ...living(address), ...(chain.destroys && { end, make: () => make(life()) }) },
    };
  }

  return [
    await proxy("LoudProxy", true, life),
    await proxy("QuietProxy", false, life),
    await proxy("DecimalsProxy", undefined, decimals),
    await behind("Beaconed", "Beaconed", false),
    await behind("Registered", "Registered", true),
    await diamond(),
    await phoenix(),
    ...(chain.destroys ? [] : [await delegated()]),
  ];

  /** An account that is a token while it delegates its code. */
  async function delegated(): Promise<Kind> {
    const address = chain.delegator;
    const nothing: Address = "0x0000000000000000000000000000000000000000";
    chain.know(address, "Delegator");
    const delegate = (to: Address): Call => ({ to: address, data: "0x", delegate: to });
    chain.enqueue(delegate(life20));
    await chain.mine();
    begin(address);
    const change = () => delegate(random.pick([...lives, nothing]));
    return { name: "Delegator", address, acts: { ...living(address), change } };
  }
}
