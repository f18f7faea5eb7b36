import type { Chain } from "../../chain/chain.ts";
import type { AskOptions } from "../../chain/options.ts";
import type { BlockReference } from "../../chain/questions.ts";
import type { Address } from "../../core/evm/address.ts";
import type { Queryable, Transaction } from "../../db/client.ts";
import type { SignedRange } from "../../store/state/tokens/signs.ts";
import type { ContractScope } from "../../store/state/tokens/state.ts";

/**
 * A family of state: tables whose rows follow from the blocks, and from what the node says of a block. Publishing,
 * rolling back, resetting, reading from the node, counting and the audit walk the list of families (`families.ts`) and
 * know none of them by name.
 */
export interface StateFamily<Key = unknown, Row = unknown> {
  name: string;
  /** The tables that the family alone writes. A reset empties them. */
  tables: readonly string[];
  /**
   * Applies the recorded blocks of a range; they follow the published ones. The statements are sent at once: the next family's
   * follow them, and the written state.
   */
  apply(sql: Transaction, range: SignedRange): Promise<void>;
  /**
   * Undoes `apply` for a range at the end of the chain. It runs before the rows of the blocks are deleted, the returned
   * function afterwards.
   */
  revert(sql: Transaction, range: SignedRange): Promise<AfterDeletion | undefined>;
  /** What the node is asked for; undefined when the blocks tell everything. */
  reading?: StateReading<Key, Row>;
  /** Compares some rows, chosen at random, with the node's state at the served head. Absent where nothing is compared. */
  audit?(at: AuditedState): Promise<StateAudit>;
}

/** What an audit of state compares. */
interface AuditedState {
  sql: Queryable;
  chain: Chain;
  head: BlockReference;
  /** The number of rows to compare. */
  sample: number;
  ask: AskOptions;
}

export interface StateAudit {
  /** The number of rows that were compared. */
  checked: number;
  /** Those that differ, in words. */
  differences: string[];
  /** Has what differs read again. */
  mend?: ((transaction: Transaction) => Promise<void>) | undefined;
}

export type AfterDeletion = () => Promise<void>;

/** State that only the node can tell. A key names one thing to read, a row is the node's answer to it. */
export interface StateReading<Key = unknown, Row = unknown> {
  /** The contract that answers for a key. Absent when the node answers without running a contract. */
  contractOf?(key: Key): Address;
  /** Keys that the recorded blocks of a range may have changed, or that were read in it; they are read at block `at`. */
  listTouched(sql: Queryable, range: SignedRange, at: number): Promise<Key[]>;
  /** Keys that are still to be read at the head, at most about `limit`. */
  listPending(sql: Queryable, scope: ContractScope, limit: number): Promise<Key[]>;
  /** Keys of contracts that are read without a sign of change; of many some. */
  listSampled?(sql: Queryable, contracts: readonly Address[]): Promise<Key[]>;
  /** The number of rows that are still to be read, counted up to `limit`. */
  countPending(sql: Queryable, limit: number): Promise<number>;
  /** Asks for the keys at a block. Throws `ChainError`. */
  fetch(
    chain: Chain,
    keys: readonly Key[],
    block: BlockReference,
    ask: AskOptions,
  ): Promise<StateAnswers<Row>>;
  /** Writes rows that are true at a block; `apply` has made their keys known. */
  write(sql: Transaction, blockNumber: number, rows: readonly Row[]): Promise<void>;
}

interface StateAnswers<Row> {
  rows: Row[];
  /** Contracts that left something unanswered. It stays "to be read". */
  unanswered: Address[];
}

/** All tables of the families. */
export function tablesOf(families: readonly StateFamily[]): string[] {
  return families.flatMap(({ tables }) => tables);
}
