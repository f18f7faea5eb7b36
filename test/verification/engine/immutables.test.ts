import { afterAll, beforeAll, expect, test } from "vitest";
import type { AttackWorld } from "../attacks/attack.ts";
import { startAttackWorld } from "../attacks/attack-world.ts";

let world: AttackWorld & { stop(): Promise<void> };

beforeAll(async () => {
  world = await startAttackWorld();
});

afterAll(() => world.stop());

const COMPILES = ["0.6.12", "0.7.6", "0.8.7", "0.8.18", "0.8.28"].flatMap((compiler) =>
  [false, true].map((enabled) => [compiler, enabled] as const),
);

test.each(COMPILES)(
  "what solc %s (optimizer: %s) itself writes are values of their types, also run again",
  async (compiler, enabled) => {
    const visibility = compiler.startsWith("0.6") ? "public" : "";
    const source = `pragma solidity >=0.6.5;
contract Values {
    function() internal immutable next;
    address immutable who;
    int64 immutable small;
    bytes3 immutable mark;
    constructor() ${visibility} { next = step; who = msg.sender; small = -5; mark = 0x112233; }
    uint public count;
    function step() internal { count += 1; }
    function run() external {
        function() internal f = next;
        f();
        if (who != msg.sender && small < 0 && mark != 0x0) count = 2;
    }
}`;
    const program = {
      compiler,
      sources: { "Values.sol": source },
      settings: { optimizer: { enabled } },
      contract: "Values.sol:Values",
    };
    const standing = await world.deploy(`0x${(await world.compile(program)).creation}`);
    const names = ["mark", "next", "small", "who"];
    const verified = await world.verify(program, standing);
    expect(verified).toMatchObject({ level: "full", proof: { immutables: "compared" } });
    expect(verified.proof?.values.map(({ name }) => name).sort()).toEqual(names);
    const copy = await world.put(await world.runtimeCode(standing));
    expect(await world.verify(program, copy)).toMatchObject({
      level: "partial",
      proof: { immutables: "run" },
    });
  },
);
