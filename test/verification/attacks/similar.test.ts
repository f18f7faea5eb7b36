import { afterAll, beforeAll, expect, test } from "vitest";
import { type Hex, hexConcat, hexToBytes } from "../../../src/core/evm/hex.ts";
import { isOtherDeployment, type KnownCode } from "../../../src/verification/match/similar.ts";
import { knownCode } from "../../../src/verification/similar.ts";
import { addressAt } from "../../support/build.ts";
import type { AttackWorld, Compiled, Program } from "./attack.ts";
import {
  metadataWith,
  overwrite,
  replace,
  startAttackWorld,
  withoutMetadata,
  word,
} from "./attack-world.ts";

// Contracts reported as similar to a verified one: they were not compiled, and their constructors not run.

const program: Program = {
  sources: {
    "Shop.sol": `pragma solidity 0.8.28;
interface Token { function name() external view returns (string memory); }
type Price is uint64;
contract Shop {
    enum State { Open, Closed }
    address public immutable owner;
    Token public immutable token;
    uint64 public immutable fee;
    Price public immutable price;
    State public immutable state;
    function() internal immutable next;
    constructor(address holder) {
        owner = holder; token = Token(holder); fee = 30; price = Price.wrap(7); state = State.Closed; next = step;
    }
    function step() internal {}
    function again() external view returns (address, uint64) { next; return (owner, fee); }
    function run() external { next(); }
}`,
  },
  contract: "Shop.sol:Shop",
};
const library: Program = {
  sources: {
    "Maths.sol": `pragma solidity 0.8.28;
library Maths { function one() external pure returns (uint256) { return 1; } }`,
  },
  contract: "Maths.sol:Maths",
};
const ELSEWHERE = addressAt(0x51);

let world: AttackWorld & { stop(): Promise<void> };
let compiled: Compiled;
let known: KnownCode;
let honest: Hex;

async function verified(target: Program, argument = "") {
  const { creation } = await world.compile(target);
  const standing = await world.deploy(`0x${creation}${argument}`);
  const { source, proof } = await world.verify(target, standing);
  if (source === undefined) throw new Error("not verified");
  const { language, compiledRuntime, runtimeMatch } = source;
  return {
    standing,
    known: knownCode({
      language,
      compilation: JSON.stringify({ compiledRuntime, runtimeMatch }),
      proof: JSON.stringify(proof),
    }),
  };
}

beforeAll(async () => {
  world = await startAttackWorld();
  compiled = await world.compile(program);
  ({ known } = await verified(program, word(0xa11ce)));
  honest = await world.runtimeCode(await world.deploy(`0x${compiled.creation}${word(0xb0b)}`));
});
afterAll(() => world.stop());

const isSimilar = (code: Hex) => isOtherDeployment(known, hexToBytes(code), ELSEWHERE);

/** The honest code with a word, in hex digits, at all places of the immutable that holds another one. */
function withImmutable(held: bigint, value: string): Hex {
  const places = Object.values(compiled.immutables).find(([first]) => {
    const at = 2 + 2 * (first?.start ?? 0);
    return honest.slice(at, at + 64) === word(held);
  });
  if (places === undefined) throw new Error("no such immutable");
  return places.reduce((code, { start }) => overwrite(code, start, `0x${value}`), honest);
}

test("another owner, another fee and another comment are similar", () => {
  expect(isSimilar(honest)).toBe(true);
  expect(isSimilar(withImmutable(30n, word(31)))).toBe(true);
  expect(isSimilar(hexConcat(withoutMetadata(honest), metadataWith("aa")))).toBe(true);
});

test.each<[string, () => Hex]>([
  ["a number that its type does not hold", () => withImmutable(30n, word(2n ** 64n))],
  ["a user-defined value out of its range", () => withImmutable(7n, word(2n ** 64n))],
  ["a member that the enum has not", () => withImmutable(1n, word(2))],
  ["an address with more than an address in it", () => withImmutable(0xb0bn, "ff".repeat(32))],
  [
    "metadata that can be jumped to",
    () => hexConcat(withoutMetadata(honest), metadataWith("5b33ff")),
  ],
  [
    "code in the place of the metadata",
    () => hexConcat(withoutMetadata(honest), `0x${"33".repeat(53)}`),
  ],
  [
    "metadata of another compiler",
    () => replace(honest, "64736f6c634300081c", "64736f6c634300081b"),
  ],
  ["other code", () => replace(honest, "6080604052", "6080604053")],
])("%s is not", (_, code) => {
  expect(isSimilar(code())).toBe(false);
});

test("two values of one immutable are not", () => {
  const [first] = Object.values(compiled.immutables).find((places) => places.length > 1) ?? [];
  if (first === undefined) throw new Error("no immutable stands twice");
  expect(isSimilar(overwrite(honest, first.start, `0x${word(0xbad)}`))).toBe(false);
});

test("a function that points elsewhere, into the code or behind it, is not", () => {
  const ids = Object.entries(known.immutables);
  const [id] = ids.at(known.values.findIndex(({ type }) => type.startsWith("function"))) ?? [];
  const places = compiled.immutables[id ?? ""] ?? [];
  expect(places.length).toBeGreaterThan(0);
  for (const place of [0x10, 0x40, honest.length / 2 - 50]) {
    const code = places.reduce(
      (all, { start }) => overwrite(all, start, `0x${word(place)}`),
      honest,
    );
    expect(isSimilar(code)).toBe(false);
  }
});

test("a library is similar only with its own address", async () => {
  const { standing, known: maths } = await verified(library);
  const code = hexToBytes(await world.runtimeCode(standing));
  expect(isOtherDeployment(maths, code, standing.address)).toBe(true);
  expect(isOtherDeployment(maths, code, ELSEWHERE)).toBe(false);
  const { runtime } = await world.compile(library);
  expect(isOtherDeployment(maths, hexToBytes(`0x${runtime}`), ELSEWHERE)).toBe(false);
});

test("of a contract whose proof was not kept only the same values are similar", () => {
  const unproven = { ...known, values: [] };
  expect(isOtherDeployment(unproven, hexToBytes(honest), ELSEWHERE)).toBe(false);
});
