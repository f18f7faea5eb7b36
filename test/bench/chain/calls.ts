import { stringToHex } from "viem";
import { STATIC_CALLS } from "../../../src/chain/state/static-calls.ts";
import type { Address } from "../../../src/core/evm/address.ts";
import { type Hex, hexSlice } from "../../../src/core/evm/hex.ts";
import { word, wordDigits } from "./draws.ts";
import type { Token } from "./tokens.ts";

/** Contracts' present results of `eth_call`; undefined: the call reverts. */
export type CallContract = (to: Address, data: Hex) => Hex | undefined;

const WORD = 32;

/** Gives the contracts of a chain: its tokens, and the one that makes calls in groups. */
export function createContracts(tokens: readonly Token[]): CallContract {
  const byAddress = new Map(tokens.map((token) => [token.address, token]));

  function call(to: Address, data: Hex): Hex | undefined {
    if (to === STATIC_CALLS) return aggregate(data, call);
    const token = byAddress.get(to);
    return token && answerOf(token, data);
  }

  return call;
}

function answerOf(token: Token, data: Hex): Hex | undefined {
  const { metadata } = token;
  switch (hexSlice(data, 0, 4)) {
    case "0x70a08231": // balanceOf(address)
      return word(token.balanceOf(addressAt(data, 4), undefined));
    case "0x00fdd58e": // balanceOf(address,uint256)
      return word(token.balanceOf(addressAt(data, 4), BigInt(wordAt(data, 4 + WORD))));
    case "0x18160ddd": // totalSupply()
      return word(token.totalSupply());
    case "0x06fdde03": // name()
    case "0x95d89b41": // symbol()
      if (metadata === "silent") return undefined;
      return metadata === "bytes32" ? bytes32("BENCH") : text("Bench");
    case "0x313ce567": // decimals()
      return metadata === "silent" || token.standard !== 20 ? undefined : word(18);
    default:
      return undefined;
  }
}

/** `aggregate3((address,bool,bytes)[])` in the form that every encoder gives it, and its answer. */
function aggregate(data: Hex, call: CallContract): Hex {
  const list = 4 + 2 * WORD;
  const count = numberAt(data, list - WORD);
  let heads = "";
  let tails = "";
  for (let index = 0; index < count; index++) {
    const entry = list + numberAt(data, list + index * WORD);
    const bytes = entry + numberAt(data, entry + 2 * WORD);
    const start = bytes + WORD;
    const target = addressAt(data, entry);
    const result = call(target, hexSlice(data, start, start + numberAt(data, bytes)));
    heads += wordDigits(count * WORD + tails.length / 2);
    const returned = (result ?? "0x").slice(2);
    tails += wordDigits(result === undefined ? 0 : 1) + wordDigits(2 * WORD);
    tails += wordDigits(returned.length / 2) + padded(returned);
  }
  return `0x${wordDigits(WORD)}${wordDigits(count)}${heads}${tails}`;
}

function text(value: string): Hex {
  const digits = stringToHex(value).slice(2);
  return `0x${wordDigits(WORD)}${wordDigits(digits.length / 2)}${padded(digits)}`;
}

function bytes32(value: string): Hex {
  return `0x${padded(stringToHex(value).slice(2))}`;
}

/** Digits filled up with zeros to whole words. */
function padded(digits: string): string {
  const length = 2 * WORD;
  return digits.padEnd(Math.ceil(digits.length / length) * length, "0");
}

function wordAt(data: Hex, position: number): Hex {
  return hexSlice(data, position, position + WORD);
}

function addressAt(data: Hex, position: number): Address {
  return hexSlice(data, position + 12, position + WORD);
}

function numberAt(data: Hex, position: number): number {
  return Number(wordAt(data, position));
}
