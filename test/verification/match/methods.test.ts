import { expect, test } from "vitest";
import { methodNames } from "../../../src/verification/match/methods.ts";

test("functions are named with their parameters, by selector", () => {
  const order = {
    name: "orders",
    type: "tuple[]",
    components: [
      { name: "maker", type: "address" },
      { type: "tuple", components: [{ type: "bool" }] },
    ],
  };
  const abi = [
    {
      type: "function",
      name: "transfer",
      inputs: [
        { name: "to", type: "address" },
        { name: "", type: "uint256" },
      ],
    },
    { type: "function", name: "fill", inputs: [order] },
    { type: "function", name: "stop" },
    { type: "function", name: "odd", inputs: [{ name: "x", type: "tuple" }] },
  ];
  const identifiers = {
    "transfer(address,uint256)": "a9059cbb",
    "fill((address,(bool))[])": "0x12345678",
    "stop()": "7da68f",
    "odd(tuple)": "00000001",
  };
  expect(methodNames(abi, identifiers)).toEqual({
    a9059cbb: "transfer(address to, uint256)",
    "12345678": "fill((address,(bool))[] orders)",
    "007da68f": "stop()",
    "00000001": "odd(tuple x)",
  });
});

test("other entries, and functions without a selector, have no names", () => {
  const abi = [
    { type: "event", name: "stop", inputs: [] },
    { type: "function", name: 7, inputs: [] },
    { type: "function", name: "gone", inputs: [] },
  ];
  expect(methodNames(abi, { "stop()": "07da68f5", "7()": "00000007" })).toEqual({});
});

test("long names are cut", () => {
  const name = "x".repeat(2000);
  const names = methodNames([{ type: "function", name }], { [`${name}()`]: "00000001" });
  expect(names["00000001"]).toBe("x".repeat(1000));
});
