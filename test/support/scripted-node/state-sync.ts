import { keccak256, stringToHex } from "viem";
import type { RawBlock, RawReceipt, RawTransaction } from "../../../src/chain/types.ts";
import { ZERO_ADDRESS } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { logsBloom } from "../../../src/core/evm/logs-bloom.ts";
import { quantity, quantityToBigInt } from "../../../src/core/evm/quantity.ts";
import { scriptedAddress } from "./block.ts";

/**
 * The transaction that Polygon's nodes show behind those of a block, with its receipt, which has a log; `logIndex` is the
 * number of logs before it.
 */
export function stateSyncOf(
  { number, hash: blockHash, transactions }: RawBlock,
  logIndex: number,
): { transaction: RawTransaction; receipt: RawReceipt } {
  const [from, to] = [ZERO_ADDRESS, ZERO_ADDRESS];
  const word = quantityToBigInt(number).toString(16).padStart(16, "0");
  const hash = keccak256(`${stringToHex("matic-bor-receipt-")}${word}${blockHash.slice(2)}`);
  const where = {
    blockHash,
    blockNumber: number,
    transactionIndex: quantity(transactions.length),
  };
  const zero = { nonce: "0x0", value: "0x0", gas: "0x0", gasPrice: "0x0", v: "0x0" } as const;
  const nothing = { gasUsed: "0x0", cumulativeGasUsed: "0x0", status: "0x1" } as const;
  const log = {
    address: scriptedAddress("token"),
    topics: [`0x${"ab".repeat(32)}` as Hex],
    data: "0x01" as const,
  };
  return {
    transaction: { ...zero, ...where, hash, from, to, input: "0x", r: "0x0", s: "0x0" },
    receipt: {
      ...{ ...where, ...nothing, from, to, transactionHash: hash, contractAddress: null },
      logs: [{ ...log, ...where, transactionHash: hash, logIndex: quantity(logIndex) }],
      logsBloom: logsBloom([log]),
    },
  };
}
