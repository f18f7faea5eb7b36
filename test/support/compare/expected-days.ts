import { DEPOSIT_TYPE, type OracleBlock } from "../oracle/decode.ts";
import type { Oracle } from "../oracle/oracle.ts";
import { l1FeesOf, text } from "./expected-chain.ts";
import type { TextRow } from "./rows.ts";

function dayOf({ timestamp }: OracleBlock): string {
  return new Date(timestamp * 1000).toISOString().slice(0, 10);
}

function total(values: readonly (number | bigint | string)[]): bigint {
  return values.reduce<bigint>((sum, value) => sum + BigInt(value), 0n);
}

/** The rows of daily_statistics: one per UTC day that has blocks. */
export function expectedDays(oracle: Oracle): TextRow[] {
  const firstBlocks = [...oracle.addresses.values()].map(({ firstBlock }) => firstBlock);
  return [...Map.groupBy(oracle.blocks, dayOf)].map(([day, blocks]) => {
    const numbers = new Set(blocks.map(({ number }) => number));
    const times = blocks.map(({ timestamp }) => timestamp);
    const prices = oracle.transactions
      .filter(({ blockNumber }) => numbers.has(blockNumber))
      .map(({ gasPrice }) => gasPrice)
      .sort((left, right) => (left < right ? -1 : 1));
    const withdrawn = blocks.flatMap(({ withdrawals }) => withdrawals.map(({ amount }) => amount));
    const uncles = blocks.flatMap((block) =>
      block.uncles.map((uncle) => ({ age: block.number - uncle.number })),
    );
    return {
      day,
      block_count: text(blocks.length),
      first_timestamp: text(Math.min(...times)),
      last_timestamp: text(Math.max(...times)),
      transaction_count: text(prices.length),
      fees: text(total(blocks.map(({ fees }) => fees))),
      rewards: text(total(blocks.map(({ reward }) => reward))),
      burnt_fees: text(
        total(blocks.map((block) => (block.baseFeePerGas ?? 0n) * paidGas(oracle, block))),
      ),
      l1_fees: text(total(blocks.map(({ number }) => l1FeesOf(oracle.transactions, number) ?? 0))),
      gas_used: text(total(blocks.map(({ gasUsed }) => gasUsed))),
      gas_limit: text(total(blocks.map(({ gasLimit }) => gasLimit))),
      block_bytes: text(total(blocks.map(({ size }) => size))),
      gas_price_minimum: text(prices[0]),
      gas_price_maximum: text(prices.at(-1)),
      gas_price_sum: text(total(prices)),
      withdrawn_gwei: text(total(withdrawn)),
      uncle_count: text(uncles.length),
      // Eight eighths of a block's reward, less one for each block that the uncle is older.
      uncle_eighths: text(total(uncles.map(({ age }) => 8 - age))),
      new_addresses: text(firstBlocks.filter((block) => numbers.has(block)).length),
    };
  });
}

/** The paid gas of a block. */
function paidGas({ transactions }: Oracle, { number }: OracleBlock): bigint {
  const paying = transactions.filter(
    ({ blockNumber, type }) => blockNumber === number && type !== DEPOSIT_TYPE,
  );
  return total(paying.map(({ gasUsed }) => gasUsed));
}
