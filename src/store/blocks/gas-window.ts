import type { Queryable } from "../../db/client.ts";

/** Gas prices of the newest blocks; oldest block first, prices in wei. */
export interface GasWindow {
  blocks: GasBlock[];
  /** Percentiles of the tips of all transactions, weighted by gas used; null where none has paid. */
  tips: { safe: string; proposed: string; fast: string } | null;
}

/** Gas figures of a block. */
export interface GasBlock {
  number: number;
  gasLimit: string;
  gasUsed: string;
  /** Null on a chain without one. */
  baseFeePerGas: string | null;
  /** The lowest price above the base fee that one of its transactions paid; null where none did. */
  lowestPrice: string | null;
}

/** Reads the gas of the newest `length` blocks: percentiles of tips above the base fee, without unpaid transactions. */
export async function readGasWindow(sql: Queryable, length: number): Promise<GasWindow> {
  const blocks = await sql<GasBlock[]>`
    SELECT number, gas_limit, gas_used, base_fee_per_gas, (
        SELECT min(gas_price) FROM transactions_of_block(number)
        WHERE gas_price > coalesce(base_fee_per_gas, 0)
      ) AS lowest_price
    FROM blocks
    WHERE number <= (SELECT head_number FROM sync_state)
      AND number > (SELECT head_number FROM sync_state) - ${length}::bigint
    ORDER BY number`;
  const [tips = null] = await sql<NonNullable<GasWindow["tips"]>[]>`
    WITH paid AS (
      SELECT greatest(gas_price - coalesce(base_fee_per_gas, 0), 0) AS tip, t.gas_used
      FROM blocks b
      CROSS JOIN LATERAL transactions_of_block(b.number) t
      WHERE b.number <= (SELECT head_number FROM sync_state)
        AND b.number > (SELECT head_number FROM sync_state) - ${length}::bigint AND gas_price > 0
    ), ranked AS (
      SELECT tip, sum(gas_used) OVER (ORDER BY tip) AS sold, sum(gas_used) OVER () AS total FROM paid
    )
    SELECT min(tip) FILTER (WHERE sold * 100 >= total * 10) AS safe,
      min(tip) FILTER (WHERE sold * 100 >= total * 50) AS proposed,
      min(tip) FILTER (WHERE sold * 100 >= total * 90) AS fast
    FROM ranked HAVING count(*) > 0`;
  return { blocks, tips };
}
