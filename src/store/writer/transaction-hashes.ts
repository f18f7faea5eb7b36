import { hasRows } from "../../db/client.ts";
import { failureCodeOf } from "../../db/failures.ts";
import { type ChainTableName, chainTables } from "./chain-tables.ts";
import { type TermWriter, writeAs } from "./writer.ts";

const LOCK_NOT_AVAILABLE = "55P03";
/** Time limit of the wait for the table's lock: later queries of the table wait behind it. */
const LOCK_TIMEOUT = "2s";

/** Returns the tables to record into. On one server a view replaces `transaction_hashes` once its index exists. */
export async function listRecordedTables(writer: TermWriter): Promise<readonly ChainTableName[]> {
  const names = Object.keys(chainTables) as ChainTableName[];
  const hasTable = await hasRows(writer.sql`
    SELECT FROM pg_class WHERE oid = 'transaction_hashes'::regclass AND relkind <> 'v'`);
  const hasHashes = hasTable && !(await replaceTable(writer));
  return hasHashes ? names : names.filter((name) => name !== "transactionHashes");
}

/** Replaces the table with the view; returns false if the index is missing, or the table stays locked. */
async function replaceTable(writer: TermWriter): Promise<boolean> {
  const [index] = await writer.sql`
    SELECT FROM pg_index
    WHERE indexrelid = to_regclass('transactions_hash') AND indisvalid AND NOT is_distributed()`;
  if (!index) return false;
  try {
    await writeAs(writer, async (transaction) => {
      await transaction`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`;
      await transaction`DROP TABLE transaction_hashes`;
      await transaction`
        CREATE VIEW transaction_hashes AS SELECT hash, block_number, transaction_index FROM transactions`;
      await transaction`DELETE FROM deferred_indexes WHERE name = 'transaction_hashes_hash'`;
    });
    return true;
  } catch (error) {
    if (failureCodeOf(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
