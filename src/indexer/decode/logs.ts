import type { RawReceipt } from "../../chain/types.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { quantityToNumber } from "../../core/evm/quantity.ts";
import type { ChainRows } from "../../store/writer/chain-tables.ts";

/** First topics of the events for a new implementation of a proxy or a beacon. */
const IMPLEMENTATION_CHANGES: ReadonlySet<Hex | undefined> = new Set<Hex>([
  // Upgraded(address)
  "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b",
  // BeaconUpgraded(address)
  "0x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e",
  // ChangedMasterCopy(address)
  "0x75e41bc35ff1bf14d81d1d2f649c0084a0f974f9289c803ec9898eeec4c8d0b8",
  // NewImplementation(address,address), of Compound's tokens
  "0xd604de94d45953f9138079ec1b82d533cb2160c906d1076d1f7ed54befbca97a",
  // DiamondCut((address,uint8,bytes4[])[],address,bytes)
  "0x8faa70878671ccd212d20771b795c50af8fd3ff6cf27f4bde57e5d4de0aeb673",
]);

/** Adds the logs of a block's receipts, and the changes of implementations in them. */
export function decodeLogs(rows: ChainRows, blockNumber: number, receipts: readonly RawReceipt[]) {
  for (const [transactionIndex, receipt] of receipts.entries()) {
    for (const log of receipt.logs) {
      const { address } = log;
      const logIndex = quantityToNumber(log.logIndex);
      rows.logs.push({
        blockNumber,
        logIndex,
        transactionIndex,
        address,
        topic0: log.topics[0] ?? null,
        topic1: log.topics[1] ?? null,
        topic2: log.topics[2] ?? null,
        topic3: log.topics[3] ?? null,
        data: log.data,
      });
      if (IMPLEMENTATION_CHANGES.has(log.topics[0])) {
        rows.implementationChanges.push({ address, blockNumber, logIndex });
      }
    }
  }
}
