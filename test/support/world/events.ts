import { type Address, encodeAbiParameters, type Hex, keccak256, stringToHex } from "viem";
import { callData, word } from "./contracts.ts";

/** Topic 0 of an event by its signature, `Transfer(address,address,uint256)`. */
export function eventTopic(signature: string): Hex {
  return keccak256(stringToHex(signature));
}

export const TRANSFER = eventTopic("Transfer(address,address,uint256)");
export const TRANSFER_SINGLE = eventTopic(
  "TransferSingle(address,address,address,uint256,uint256)",
);
export const TRANSFER_BATCH = eventTopic(
  "TransferBatch(address,address,address,uint256[],uint256[])",
);

export const USER_OPERATION = eventTopic(
  "UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)",
);

/** The word of an address: a topic, or an argument of an event. */
export function addressWord(address: Address): Hex {
  return word(BigInt(address));
}

/** Data of a TransferBatch. */
export function batchData(ids: readonly bigint[], values: readonly bigint[]): Hex {
  return encodeAbiParameters([{ type: "uint256[]" }, { type: "uint256[]" }], [ids, values]);
}

/** Call data that makes a puppet emit this log. */
export function emitLog(topics: readonly Hex[], data: Hex): Hex {
  return callData("Puppet", "emitLog", topics, data);
}

/** A puppet's answer to a selector: raw bytes, followed by `unit` repeated `times`. */
export interface Lesson {
  /** `decimals()`. */
  signature: string;
  mode: "revert" | "answer" | "burnGas";
  prefix?: Hex;
  unit?: Hex;
  times?: number;
}

/** Call data that teaches a puppet an answer. */
export function teach(lesson: Lesson): Hex {
  const selector = keccak256(stringToHex(lesson.signature)).slice(0, 10);
  const mode = ["revert", "answer", "burnGas"].indexOf(lesson.mode);
  const { prefix = "0x", unit = "0x", times = 0 } = lesson;
  return callData("Puppet", "teach", selector, mode, prefix, unit, times);
}

/** ABI encoding of a `string` that holds these bytes, well formed text or not. */
export function stringAnswer(bytes: Uint8Array): Hex {
  const content = Buffer.from(bytes).toString("hex");
  const padded = content.padEnd(Math.ceil(content.length / 64) * 64, "0");
  return `0x${word(32).slice(2)}${word(bytes.length).slice(2)}${padded}`;
}
