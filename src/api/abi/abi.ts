import { keccak256, stringToBytes } from "viem/utils";
import type { Hex } from "../../core/evm/hex.ts";
import { isRecord, listOf } from "../../core/json/record.ts";
import { calmTurn } from "../../core/turns.ts";

// ABIs as compilers write them. Source: the contract ABI specification of Solidity.

/** A parameter of an ABI entry; that of a struct has its members. */
export interface AbiParameter {
  name: string;
  /** `tuple`, `tuple[2]` for structs. */
  type: string;
  /** The type as it stands in a signature: a struct is the tuple of its members. */
  canonicalType: string;
  indexed: boolean;
  components: AbiParameter[];
}

/** A function, an event or an error of an ABI. */
export interface AbiEntry {
  kind: "function" | "event" | "error";
  name: string;
  /** `transfer(address,uint256)` */
  signature: string;
  inputs: AbiParameter[];
  outputs: AbiParameter[];
  /** Whether it changes nothing. */
  isReading: boolean;
  /** Whether its logs have no topic that names it. */
  isAnonymous: boolean;
}

/** Characters of signatures that are hashed before other requests get a turn: some 5 ms. */
const AT_ONCE = 50_000;
/** Every hash has a fixed cost, however short the text is: that of so many characters. */
const OF_A_HASH = 200;

/** The entries of an ABI given as JSON text; skips whatever is none. */
export function readAbi(abi: string): AbiEntry[] {
  return listOf(JSON.parse(abi)).flatMap((item): AbiEntry[] => {
    if (!isRecord(item) || typeof item["name"] !== "string") return [];
    const { name, type: kind } = item;
    if (kind !== "function" && kind !== "event" && kind !== "error") return [];
    const inputs = listOf(item["inputs"]).map((input) => readParameter(input));
    return [
      {
        kind,
        name,
        signature: `${name}(${inputs.map(({ canonicalType }) => canonicalType).join(",")})`,
        inputs,
        outputs: listOf(item["outputs"]).map((output) => readParameter(output)),
        isReading: ["view", "pure"].includes(String(item["stateMutability"])),
        isAnonymous: item["anonymous"] === true,
      },
    ];
  });
}

/** The entries with the hashes of their signatures, made in turns with other requests. */
export async function* hashSignatures(
  entries: readonly AbiEntry[],
): AsyncGenerator<AbiEntry & { hash: Hex }> {
  let hashed = 0;
  for (const entry of entries) {
    yield { ...entry, hash: hashOf(entry) };
    hashed += entry.signature.length + OF_A_HASH;
    if (hashed < AT_ONCE) continue;
    hashed = 0;
    await calmTurn();
  }
}

/** Keccak-256 of the signature: what an event's first topic is, and a selector the first four bytes of. */
export function hashOf({ signature }: AbiEntry): Hex {
  return keccak256(stringToBytes(signature));
}

function readParameter(value: unknown): AbiParameter {
  const record = isRecord(value) ? value : {};
  const type = String(record["type"] ?? "");
  const components = listOf(record["components"]).map((component) => readParameter(component));
  const members = components.map(({ canonicalType }) => canonicalType).join(",");
  return {
    name: String(record["name"] ?? ""),
    type,
    canonicalType: type.startsWith("tuple") ? `(${members})${type.slice("tuple".length)}` : type,
    indexed: record["indexed"] === true,
    components,
  };
}
