import { decodeAbiParameters, numberToHex } from "viem";
import type { RawLog } from "../../../src/chain/types.ts";
import {
  type Address,
  addressOfWord,
  wordOfAddress,
  ZERO_ADDRESS,
} from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat, hexSlice } from "../../../src/core/evm/hex.ts";
import { quantityToBigInt } from "../../../src/core/evm/quantity.ts";
import type { CallSpecification, StateSpecification } from "./specification.ts";

export const TRANSFER: Hex = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
export const TRANSFER_SINGLE: Hex =
  "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
export const TRANSFER_BATCH: Hex =
  "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
/** ERC-404. */
export const AMOUNT_TRANSFER: Hex =
  "0xe59fdd36d0d223c0c7d996db7ad796880f45e1936cb0bb7ac102e7082e031487";
export const ID_TRANSFER: Hex =
  "0xe5f815dc84b8cecdfd4beedfc3f91ab5be7af100eca4e8fb11552b867995394f";
/** ERC-2309. */
export const CONSECUTIVE_TRANSFER: Hex =
  "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d";
/** Has no code; its logs record transfers of the coin (EIP-7708). */
export const SYSTEM: Address = "0xfffffffffffffffffffffffffffffffffffffffe";
/** An emitter of one of them answers for holdings and supply from then on, in any form. */
const TOKEN_EVENTS = new Set([
  TRANSFER,
  TRANSFER_SINGLE,
  TRANSFER_BATCH,
  AMOUNT_TRANSFER,
  ID_TRANSFER,
  CONSECUTIVE_TRANSFER,
]);
const LISTS = [{ type: "uint256[]" }, { type: "uint256[]" }] as const;

/** Ids and amounts of a batch; nothing of data that are not two lists. */
function listsIn(data: Hex): readonly [readonly bigint[], readonly bigint[]] {
  try {
    return decodeAbiParameters(LISTS, data);
  } catch {
    return [[], []];
  }
}

/** 32-byte word of an unsigned integer. */
export function word(value: bigint | number): Hex {
  return numberToHex(value, { size: 32 });
}

/** Call data of `balanceOf(owner)`, or of ERC-1155's `balanceOf(owner, id)`. */
export function balanceOfData(owner: Address, id?: bigint): Hex {
  return id === undefined
    ? hexConcat("0x70a08231", wordOfAddress(owner))
    : hexConcat("0x00fdd58e", wordOfAddress(owner), word(id));
}

/** Call data of `totalSupply()`. */
export const TOTAL_SUPPLY_DATA: Hex = "0x18160ddd";

/**
 * The state after one block: its changes, over the state of its parent. Coins follow transactions,
 * calls, fees and withdrawals; `balanceOf` and `totalSupply` of any token follow its events.
 */
export class Ledger {
  readonly #parent: Ledger | undefined;
  readonly #changes = new Map<string, Hex | null>();

  constructor(parent?: Ledger) {
    this.#parent = parent;
  }

  balance(address: Address): bigint {
    return quantityToBigInt(this.#get(`balance ${address}`) ?? "0x0");
  }

  code(address: Address): Hex {
    return this.#get(`code ${address}`) ?? "0x";
  }

  storage(address: Address, slot: Hex): Hex {
    return this.#get(`storage ${address} ${slot}`) ?? word(0);
  }

  nonce(address: Address): number {
    return Number(this.#get(`nonce ${address}`) ?? "0x0");
  }

  /** The result of a call; null when it reverts, as every unspecified call does. */
  call(to: Address, data: Hex): Hex | null {
    const answer = this.#get(`call ${to} ${data}`);
    if (answer !== undefined) return answer;
    if (this.#get(`token ${to}`) !== undefined && /^0x(?:70a08231|00fdd58e|18160ddd)/.test(data)) {
      return word(0);
    }
    if (data.startsWith("0x6352211e"))
      return this.#ownerOf(to, quantityToBigInt(hexSlice(data, 4)));
    return this.code(to) === "0x" ? "0x" : null;
  }

  /** The last movement of an id determines its owner; null after a burn, and for an id that never moved. */
  #ownerOf(token: Address, id: bigint): Hex | null {
    for (let at = this.#moveCount(token); at > 0; at--) {
      const move = this.#get(`move ${token} ${at}`) as Hex;
      const [first, last] = [hexSlice(move, 32, 64), hexSlice(move, 64, 96)].map(quantityToBigInt);
      if (id < (first ?? 0n) || id > (last ?? 0n)) continue;
      const owner = hexSlice(move, 0, 32);
      return owner === word(0) ? null : owner;
    }
    return null;
  }

  #moveCount(token: Address): number {
    return Number(this.#get(`moves ${token}`) ?? "0x0");
  }

  #noteMove(token: Address, owner: Hex, first: Hex, last: Hex): void {
    const at = this.#moveCount(token) + 1;
    this.#set(`moves ${token}`, numberToHex(at));
    this.#set(`move ${token} ${at}`, hexConcat(owner, first, last));
  }

  /** An account that spends more than it has is left with nothing: tests need not fund their senders. */
  addCoins(address: Address, wei: bigint): void {
    const balance = this.balance(address) + wei;
    this.#set(`balance ${address}`, word(balance < 0n ? 0n : balance));
  }

  useNonce(address: Address): number {
    const nonce = this.nonce(address);
    this.#set(`nonce ${address}`, word(nonce + 1));
    return nonce;
  }

  /** Moves the value of the calls that took effect; those with borrowed code move none. */
  applyCalls(calls: readonly CallSpecification[]): void {
    for (const { from, to, valueWei, error, type, calls: inner } of calls) {
      if (error !== undefined) continue;
      if (valueWei && to && !/^(?:DELEGATECALL|STATICCALL|CALLCODE)$/i.test(type ?? "CALL")) {
        this.addCoins(from, -valueWei);
        this.addCoins(to, valueWei);
      }
      this.applyCalls(inner ?? []);
    }
  }

  applyLog({ address, topics, data }: Pick<RawLog, "address" | "topics" | "data">): void {
    if (address === SYSTEM) return;
    const [event, first, second, third] = topics;
    if (event && TOKEN_EVENTS.has(event)) this.#set(`token ${address}`, "0x01");
    if (event === TRANSFER && first && second) {
      const amount = third ? 1n : quantityToBigInt(hexSlice(data, 0, 32));
      if (third) this.#noteMove(address, second, third, third);
      this.#moveTokens(address, addressOfWord(first), addressOfWord(second), amount);
    } else if (event === CONSECUTIVE_TRANSFER && first && second && third) {
      const count = quantityToBigInt(data) - quantityToBigInt(first) + 1n;
      this.#noteMove(address, third, first, data);
      this.#moveTokens(address, addressOfWord(second), addressOfWord(third), count);
    } else if (event === TRANSFER_SINGLE && second && third) {
      const id = quantityToBigInt(hexSlice(data, 0, 32));
      const amount = quantityToBigInt(hexSlice(data, 32, 64));
      this.#moveTokens(address, addressOfWord(second), addressOfWord(third), amount, id);
    } else if (event === TRANSFER_BATCH && second && third) {
      const [from, to] = [addressOfWord(second), addressOfWord(third)];
      const [ids, amounts] = listsIn(data);
      for (const [index, id] of ids.entries())
        this.#moveTokens(address, from, to, amounts[index] ?? 0n, id);
    }
  }

  apply({ balances, code, storage, calls }: StateSpecification): void {
    for (const [address, wei] of Object.entries(balances ?? {})) {
      this.#set(`balance ${address}`, word(wei));
    }
    for (const [address, bytes] of Object.entries(code ?? {})) this.#set(`code ${address}`, bytes);
    for (const { address, slot, value } of storage ?? []) {
      this.#set(`storage ${address} ${slot}`, value);
    }
    for (const { to, data, returns } of calls ?? []) this.#set(`call ${to} ${data}`, returns);
  }

  #moveTokens(token: Address, from: Address, to: Address, amount: bigint, id?: bigint): void {
    for (const [owner, change] of [
      [from, -amount],
      [to, amount],
    ] as const) {
      const data = owner === ZERO_ADDRESS ? TOTAL_SUPPLY_DATA : balanceOfData(owner, id);
      const sign = owner === ZERO_ADDRESS ? -1n : 1n;
      const before = quantityToBigInt(this.call(token, data) ?? "0x0");
      this.#set(`call ${token} ${data}`, word(BigInt.asUintN(256, before + sign * change)));
    }
  }

  #get(key: string): Hex | null | undefined {
    if (this.#changes.has(key)) return this.#changes.get(key);
    return this.#parent ? this.#parent.#get(key) : undefined;
  }

  #set(key: string, value: Hex | null): void {
    this.#changes.set(key, value);
  }
}
