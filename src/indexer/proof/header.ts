import type { RawHeader } from "../../chain/types.ts";
import { bytes, integer, type RlpValue } from "./encoding.ts";

/** Fields that came with forks, in their order in the header; `integer` ones are quantities. */
const LATER_FIELDS = [
  ["baseFeePerGas", integer],
  ["withdrawalsRoot", bytes],
  ["blobGasUsed", integer],
  ["excessBlobGas", integer],
  ["parentBeaconBlockRoot", bytes],
  ["requestsHash", bytes],
  ["blockAccessListHash", bytes],
  ["slotNumber", integer],
] as const;

/** Known fields of a block's answer: those of its header, and those outside its hash. */
const KNOWN: ReadonlySet<string> = new Set([
  ...["number", "hash", "parentHash", "timestamp", "miner", "difficulty", "gasLimit", "gasUsed"],
  ...["logsBloom", "sha3Uncles", "stateRoot", "transactionsRoot", "receiptsRoot", "extraData"],
  ...["mixHash", "nonce", "size", "totalDifficulty", "transactions", "uncles", "withdrawals"],
  ...LATER_FIELDS.map(([name]) => name),
]);

/** Encodes a header (Yellow Paper, 4.3; EIPs 1559, 4895, 4844, 4788, 7685). Throws `UnprovableError`. */
export function encodeHeader(header: RawHeader): RlpValue[] {
  const last = LATER_FIELDS.findLastIndex(
    ([name]) => header[name] !== undefined && header[name] !== null,
  );
  return [
    bytes(header.parentHash, "parentHash"),
    bytes(header.sha3Uncles, "sha3Uncles"),
    bytes(header.miner, "miner"),
    bytes(header.stateRoot, "stateRoot"),
    bytes(header.transactionsRoot, "transactionsRoot"),
    bytes(header.receiptsRoot, "receiptsRoot"),
    bytes(header.logsBloom, "logsBloom"),
    integer(header.difficulty, "difficulty"),
    integer(header.number, "number"),
    integer(header.gasLimit, "gasLimit"),
    integer(header.gasUsed, "gasUsed"),
    integer(header.timestamp, "timestamp"),
    bytes(header.extraData, "extraData"),
    bytes(header.mixHash, "mixHash"),
    bytes(header.nonce, "nonce"),
    // Encodes a missing field as empty if a later one exists, as geth does.
    ...LATER_FIELDS.slice(0, last + 1).map(([name, encode]) => encode(header[name] ?? "0x", name)),
  ];
}

/** Returns the unknown fields of a header: those of a later fork, or of another kind of chain. */
export function unknownFields(header: RawHeader): string[] {
  return Object.keys(header).filter((name) => !KNOWN.has(name));
}
