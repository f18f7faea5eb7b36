import type { Attack } from "./attack.ts";
import { fill, jumpingShop, word } from "./attack-world.ts";

const program = jumpingShop("uint256 start");

const attack: Attack = {
  title: "another constructor ran, and given arguments are code that leaves what it left",
  attack: async (world) => {
    const { creation, runtime, immutables } = await world.compile(program);
    const left = fill(runtime, immutables, word(9000)).slice(2);
    const start = creation.length / 2 + 32;
    const [size, from] = [left.length / 2, start + 14].map((value) => word(value).slice(-4));
    const given = `${word(start)}5b61${size}61${from}5f3961${size}5ff3${left}`;
    // Copies and returns what is at the end of it.
    const other = `61${size}8061${word(0).slice(-4)}5f395ff3`;
    const offset = other.length / 2 + given.length / 2 - left.length / 2;
    const ran = other.replace("610000", `61${word(offset).slice(-4)}`);
    return world.verify(program, await world.deploy(`0x${ran}${given}`), { arguments: given });
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${word(0)}`));
  },
  reason: /Another constructor ran/,
};

export default attack;
