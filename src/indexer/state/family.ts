import type { Chain } from "../../chain/chain.ts";
import type { AskOptions } from "../../chain/options.ts";
import type { BlockReference } from "../../chain/questions.ts";
import type { Address } from "../../core/evm/address.ts";
import type { Queryable, Transaction } from "../../db/client.ts";
import type { SignedRange } from "../../store/state/tokens/signs.ts";
import type { ContractScope } from "../../store/state/tokens/state.ts";

/** Tables whose rows follow from blocks and the node's answers. Publishing, roll-back, reset, reading and audit walk `families.ts`. */
export interface StateFamily<Key = unknown, Row = unknown> {
  name: string;
  /** The tables that the family alone writes. A reset empties them. */
  tables: readonly string[];
  /** Applies recorded blocks that follow the published ones. Statements are sent at once, before the next family's. */
  apply(sql: Transaction, range: SignedRange): Promise<void>;
  /** Undoes `apply` at the end of the chain, before the rows are deleted; the returned function runs afterwards. */
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
