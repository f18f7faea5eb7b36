import { z } from "zod";
import type { Hex } from "../../../core/evm/hex.ts";
import { quantity } from "../../../core/evm/quantity.ts";
import type { LogEntry } from "../../../store/lists/logs.ts";
import type { Dialect } from "../envelope.ts";
import * as wire from "../wire.ts";

const record = z.object({
  address: wire.address,
  topics: z.array(wire.hash.nullable()).max(4),
  data: wire.data,
  blockNumber: wire.quantity,
  timeStamp: wire.quantity,
  gasPrice: wire.quantity,
  gasUsed: wire.quantity,
  logIndex: wire.quantity,
  transactionHash: wire.hash,
  transactionIndex: wire.quantity,
});

/** A log of a search. */
export const logRecord = {
  blockscout: record
    .extend({ topics: z.array(wire.hash.nullable()).length(4) })
    .meta({ id: "BlockscoutLog" }),
  etherscan: record
    .extend({ topics: z.array(wire.hash).max(4), blockHash: wire.hash })
    .meta({ id: "EtherscanLog" }),
};

type Topics = Readonly<Record<"topic0" | "topic1" | "topic2" | "topic3", Hex | null>>;

/** Returns the four topics; missing ones are null. */
export function fourTopics({ topic0, topic1, topic2, topic3 }: Topics): (Hex | null)[] {
  return [topic0, topic1, topic2, topic3];
}

/** Returns the present topics. */
export function topicsOf(log: Topics): Hex[] {
  return fourTopics(log).filter((topic) => topic !== null);
}

/** Presents a log; only the reference pads the topics. */
export function presentLog(row: LogEntry, dialect: Dialect): z.output<typeof record> {
  const isEtherscan = dialect === "etherscan";
  return {
    address: row.address,
    topics: isEtherscan ? topicsOf(row) : fourTopics(row),
    data: row.data,
    blockNumber: quantity(row.blockNumber),
    ...(isEtherscan && { blockHash: row.blockHash }),
    timeStamp: quantity(row.timestampSeconds),
    gasPrice: quantity(row.gasPrice),
    gasUsed: quantity(row.gasUsed),
    logIndex: quantity(row.logIndex),
    transactionHash: row.transactionHash,
    transactionIndex: quantity(row.transactionIndex),
  };
}
