import { expect, test } from "vitest";
import { wordOfAddress } from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import { detectProxy, type ProxyReader } from "../../../src/verification/proxies/proxy.ts";
import { addressAt } from "../../support/build.ts";
import { word } from "./attack-world.ts";

// A contract that delegates may answer facetAddresses() with anything.

function detect(answer: Hex) {
  const reader: ProxyReader = {
    fetchCodes: async () => ["0x5f5ff4"],
    fetchStorage: async (slots) => slots.map((): Hex => `0x${word(0)}`),
    fetchCalls: async (calls) => calls.map(() => answer),
    runCreations: async (trials) => trials.map(() => null),
  };
  return detectProxy(reader, addressAt(1_000_000), { number: 1, hash: addressAt(1) });
}

/** A list of different addresses, as many as `listed`, that says it has `count`. */
function facets(listed: number, count = listed): Hex {
  const addresses = Array.from({ length: listed }, (_, index) =>
    wordOfAddress(addressAt(index)).slice(2),
  );
  return `0x${word(32)}${word(count)}${addresses.join("")}`;
}

test("a list of facets as long as an answer may be costs no more than the facets that are shown", async () => {
  const answer = facets(500_000);
  const startedAt = performance.now();
  const found = await detect(answer);
  expect(performance.now() - startedAt).toBeLessThan(1000);
  expect(found).toMatchObject({ kind: "eip2535" });
  expect(found?.implementations).toHaveLength(100);
});

test("what is no list of addresses names no facet", async () => {
  const wrong: Hex[] = [
    "0x",
    `0x${word(32)}`,
    facets(0),
    facets(2, 3),
    hexConcat(facets(0), "0x01"),
  ];
  wrong.push(`0x${word(64)}${word(1)}${word(1000)}`, `0x${word(32)}${"f".repeat(64)}${word(1000)}`);
  for (const answer of wrong) expect(await detect(answer)).toMatchObject({ kind: "unknown" });
  expect(await detect(facets(2))).toMatchObject({
    implementations: [addressAt(0), addressAt(1)],
  });
});
