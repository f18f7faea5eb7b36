import type { Chain } from "../../chain/chain.ts";
import type { AskOptions } from "../../chain/options.ts";
import type { BlockReference } from "../../chain/questions.ts";
import type { Address } from "../../core/evm/address.ts";
import type { Fragment, Queryable, Transaction } from "../../db/client.ts";
import type { SignedRange } from "../../store/state/tokens/signs.ts";
import type { ContractScope } from "../../store/state/tokens/state.ts";

/** Tables whose rows follow from blocks and the node's answers. Publishing, roll-back, reset, reading and audit walk `families.ts`. */
export interface StateFamily<Key = unknown, Row = unknown> {
  name: string;
  /** Tables that only this family writes. A reset empties them. */
  tables: readonly string[];
  /** Applies recorded blocks that follow the published ones. Statements are sent at once, before the next family's. */
  apply(sql: Transaction, range: SignedRange): Promise<void>;
  /** Undoes `apply` at the end of the chain, before the rows are deleted; the returned function runs afterwards. */
  revert(sql: Transaction, range: SignedRange): Promise<AfterDeletion | undefined>;
  /** State read from the node; undefined when the blocks suffice. */
  reading?: StateReading<Key, Row>;
  /** Compares some rows, chosen at random, with the node's state at the served head. Absent where the audit does not apply. */
  audit?(at: AuditedState): Promise<StateAudit>;
}

/** Input of an audit of state. */
interface AuditedState {
  sql: Queryable;
  chain: Chain;
  head: BlockReference;
  sample: number;
  ask: AskOptions;
}

export interface StateAudit {
  checked: number;
  /** A description of each differing row. */
  differences: string[];
  /** Marks differing state as pending. */
  mend?: ((transaction: Transaction) => Promise<void>) | undefined;
}

export type AfterDeletion = () => Promise<void>;

/** State that only the node has. A key is one thing to read, a row its answer. */
export interface StateReading<Key = unknown, Row = unknown> {
  /** The contract that answers a key. Absent when the node answers without a contract. */
  contractOf?(key: Key): Address;
  /** Returns the keys that the recorded blocks of a range may have changed, or that were read in it; they are read at block `at`. */
  listTouched(sql: Queryable, range: SignedRange, at: number): Promise<Key[]>;
  /** Returns pending keys at the head, at most about `limit`. */
  listPending(sql: Queryable, scope: ContractScope, limit: number): Promise<Key[]>;
  /** Returns keys of contracts to read without a sign of change; a sample of many. */
  listSampled?(sql: Queryable, contracts: readonly Address[]): Promise<Key[]>;
  /** Adds the keys of sampled rows that are not stored. */
  addSampled?(sql: Transaction, rows: readonly Row[]): Promise<void>;
  /** Selects the pending rows. */
  selectPending(sql: Queryable): Fragment;
  /** Reads the keys at a block. Throws `ChainError`. */
  fetch(
    chain: Chain,
    keys: readonly Key[],
    block: BlockReference,
    ask: AskOptions,
  ): Promise<StateAnswers<Row>>;
  /** Writes rows for a block, after `apply` has added their keys. */
  write(sql: Transaction, blockNumber: number, rows: readonly Row[]): Promise<void>;
}

interface StateAnswers<Row> {
  rows: Row[];
  /** Contracts with an unanswered read, which stays pending. */
  unanswered: Address[];
}

/** The families of a chain, and its database. */
export interface ChainState {
  sql: Queryable;
  families: readonly StateFamily[];
}

/** Returns all tables of the families. */
export function tablesOf(families: readonly StateFamily[]): string[] {
  return families.flatMap(({ tables }) => tables);
}
