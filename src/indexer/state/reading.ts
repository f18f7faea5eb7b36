import type { Chain } from "../../chain/chain.ts";
import type { AskOptions } from "../../chain/options.ts";
import type { BlockReference } from "../../chain/questions.ts";
import { chunk } from "../../core/async.ts";
import type { Address } from "../../core/evm/address.ts";
import type { Transaction } from "../../db/client.ts";
import type { SignedRange } from "../../store/state/tokens/signs.ts";
import type { ContractScope } from "../../store/state/tokens/state.ts";
import { noteUnresponsive } from "../../store/state/tokens/unresponsive.ts";
import type { ChainState, StateFamily, StateReading } from "./family.ts";

/** State to read from the node. */
export type StateKeys = readonly { reading: StateReading; keys: readonly unknown[] }[];

/** Answers of the node and the contracts at one block. */
export interface StateValues {
  block: BlockReference;
  rows: readonly { reading: StateReading; rows: readonly unknown[] }[];
  /** Contracts that are not read from now on: the sum of their transfers counts. */
  unresponsive: readonly Address[];
}

/** Returns the state that the recorded blocks of a range may have changed, to be read at the block `at`. */
export function listTouchedKeys({ sql, families }: ChainState, range: SignedRange, at: number) {
  return listKeys(families, (reading) => reading.listTouched(sql, range, at));
}

/** Returns pending state, at most about `limit` keys of each family; of one contract only its own. */
export function listPendingKeys(
  { sql, families }: ChainState,
  scope: ContractScope,
  limit: number,
): Promise<StateKeys> {
  const asked = families.filter(({ reading }) => "except" in scope || reading?.contractOf);
  return listKeys(asked, (reading) => reading.listPending(sql, scope, limit));
}

/** Returns the state of contracts to read without a sign of change. */
export function listSampledKeys({ sql, families }: ChainState, contracts: readonly Address[]) {
  return listKeys(families, async (reading) => (await reading.listSampled?.(sql, contracts)) ?? []);
}

function listKeys(
  families: readonly StateFamily[],
  list: (reading: StateReading) => Promise<unknown[]>,
): Promise<StateKeys> {
  return Promise.all(
    listReadings(families).map(async ({ reading }) => ({ reading, keys: await list(reading) })),
  );
}

/** Returns the number of pending rows, by family, each counted up to `limit`. */
export async function countPending({ sql, families }: ChainState, limit: number) {
  const counted = listReadings(families).map(async ({ name, reading }) => {
    const [row] = await sql<[{ count: number }]>`
      SELECT count(*) FROM (${reading.selectPending(sql)} LIMIT ${limit}) AS pending`;
    return [name, row.count] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}

function listReadings(families: readonly StateFamily[]): { name: string; reading: StateReading }[] {
  return families.flatMap(({ name, reading }) => (reading ? [{ name, reading }] : []));
}

/** Returns the keys without those of the given contracts. */
export function withoutContracts(keys: StateKeys, contracts: ReadonlySet<Address>): StateKeys {
  if (contracts.size === 0) return keys;
  return keys.map(({ reading, keys }) => ({
    reading,
    keys: keys.filter((key) => !reading.contractOf || !contracts.has(reading.contractOf(key))),
  }));
}

/** Returns the contracts that answer the keys. */
export function contractsOf(keys: StateKeys): Set<Address> {
  return new Set(
    keys.flatMap(({ reading, keys }) => keys.flatMap((key) => reading.contractOf?.(key) ?? [])),
  );
}

/** Splits the keys into batches of at most `size`, each of one family. */
export function inBunches(keys: StateKeys, size: number): StateKeys[] {
  return keys.flatMap(({ reading, keys }) =>
    chunk(keys, size).map((some) => [{ reading, keys: some }]),
  );
}

/** Returns the number of keys. */
export function countKeys(keys: StateKeys): number {
  return keys.reduce((sum, { keys }) => sum + keys.length, 0);
}

/** Reads the keys at a block; reads missed by the contracts in `unanswered` stay pending. Throws `ChainError`. */
export async function fetchState(
  chain: Chain,
  keys: StateKeys,
  block: BlockReference,
  ask: AskOptions,
): Promise<{ values: StateValues; unanswered: Set<Address> }> {
  const answers = await Promise.all(
    keys.map(async ({ reading, keys }) => ({
      reading,
      ...(await reading.fetch(chain, keys, block, ask)),
    })),
  );
  return {
    values: { block, rows: answers, unresponsive: [] },
    unanswered: new Set(answers.flatMap(({ unanswered }) => unanswered)),
  };
}

/** Writes the values, whose keys are stored by now. */
export async function writeState(sql: Transaction, { block, rows, unresponsive }: StateValues) {
  // Batches are written together, so that an owner's ids are summed once.
  const readings = [...Map.groupBy(rows, ({ reading }) => reading)];
  await Promise.all([
    ...readings.map(([reading, bunches]) =>
      reading.write(
        sql,
        block.number,
        bunches.flatMap((bunch) => bunch.rows),
      ),
    ),
    unresponsive.length > 0 && noteUnresponsive(sql, unresponsive, true),
  ]);
}
