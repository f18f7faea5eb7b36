import { expect, test } from "vitest";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import { detectProxy, type ProxyReader } from "../../../src/verification/proxies/proxy.ts";
import { addressAt } from "../../support/build.ts";
import { metadataWith } from "./attack-world.ts";

// A contract's code alone decides whether it delegates: the reader is a stand-in for a node on
// which every slot and every getter names an address.

const ELSEWHERE = addressAt(7);
const NAMES_ELSEWHERE: Hex = `0x${"0".repeat(24)}${ELSEWHERE.slice(2)}`;

function reader(code: Hex): ProxyReader {
  return {
    fetchCodes: async () => [code],
    fetchStorage: async (slots) => slots.map(() => NAMES_ELSEWHERE),
    fetchCalls: async (calls) => calls.map(() => NAMES_ELSEWHERE),
    runCreations: async (trials) => trials.map(() => null),
  };
}

const block = { number: 1, hash: addressAt(1) };
const detect = (code: Hex) => detectProxy(reader(code), addressAt(2), block);

test("DELEGATECALL in the hash of the metadata makes no proxy", async () => {
  expect(await detect(hexConcat("0x6001600255fe", metadataWith("f4f4f4f45c60da1b")))).toBeNull();
});

test("a getter's selector counts where it is whole bytes of the code", async () => {
  // Shifted by half a byte: no selector.
  const code: Hex = "0x6355c60da1b063f4f4";
  const found = await detect(hexConcat(code, "0x50505050f4fe", metadataWith("5c60da1b")));
  expect(found?.kind).toBe("eip1967");
  expect(found?.conflicts).toEqual([]);
});

const DECOY = addressAt(8).slice(2);
const MINIMAL = `3d3d3d3d363d3d37363d73${DECOY}5af43d3d93803e602a57fd5bf3`;

test.each([
  ["behind another call", `5f5f365f5f545af400${MINIMAL}`],
  ["behind a CALLCODE", `5f5f365f5f5f545af200${MINIMAL}`],
  ["before another call", `3d3d3d3d363d3d37363d73${DECOY}5af4505f5f365f5f545af400`],
  ["that drops what it pushed", `5f54565b3d3d3d3d363d3d37363d73${DECOY}505f545af400`],
  // The pattern is what a PUSH11 pushes; the address is PUSH17, POP and JUMPDEST.
  [
    "whose address is run",
    `5f5f365f5f546a3d3d3d3d363d3d37363d7370${"11".repeat(17)}505b5af43d3d93803e602a57fd5bf3`,
  ],
])("a minimal proxy %s names nobody", async (_where, code) => {
  expect(await detect(`0x${code}`)).toMatchObject({
    kind: "eip1967",
    implementations: [ELSEWHERE],
  });
});

test("a whole minimal proxy names its implementation, whatever stands behind it", async () => {
  expect(await detect(`0x${MINIMAL}f4f4`)).toMatchObject({ implementations: [`0x${DECOY}`] });
});

test("DELEGATECALL in the code does", async () => {
  const found = await detect(hexConcat("0x600160025560003614f4fe", metadataWith("00")));
  expect(found).toMatchObject({ kind: "eip1967", implementations: [ELSEWHERE] });
});
