import type { Attack } from "./attack.ts";
import { fill, jumpingShop, word } from "./attack-world.ts";

const program = jumpingShop("uint256 start, bytes memory");

/** An encoding of the arguments. */
function encoded(start: number, code: string): string {
  const size = code.length / 2;
  return word(start) + word(64) + word(size) + code.padEnd(Math.ceil(size / 32) * 64, "0");
}

const attack: Attack = {
  title: "another constructor ran, and its arguments hold code that leaves what it left",
  attack: async (world) => {
    const { creation, runtime, immutables } = await world.compile(program);
    const left = fill(runtime, immutables, word(9000)).slice(2);
    const start = creation.length / 2 + 96;
    const [size, from] = [left.length / 2, start + 14].map((value) => word(value).slice(-4));
    const given = encoded(start, `5b61${size}61${from}5f3961${size}5ff3${left}`);
    // Copies and returns the code in them.
    const prefix = 12;
    const place = word(prefix + 96 + 14).slice(-4);
    const other = `61${size}8061${place}5f395ff3`.padEnd(prefix * 2, "0");
    return world.verify(program, await world.deploy(`0x${other}${given}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${encoded(0, "5b")}`));
  },
  reason: /Another constructor ran/,
};

export default attack;
