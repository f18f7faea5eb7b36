import { z } from "zod";
import { addressOfWord, ZERO_ADDRESS } from "../../../core/evm/address.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import {
  listUserOperations,
  type UserOperationEntry,
  type UserOperationFilter,
} from "../../../store/lists/user-operations.ts";
import { withHead } from "../../reading/snapshot.ts";
import { defineAction } from "../action.ts";
import { failed, NO_RECORDS, okPage } from "../envelope.ts";
import { refuseEarlier } from "../from-node/transactions/unindexed.ts";
import { address, blocksOf, hash, listMissing, paging, word } from "../params.ts";
import * as wire from "../wire.ts";
import { ADDRESS_FORMAT, listing } from "./account/list.ts";

// User operations (ERC-4337), from the logs of EntryPoints. Source: docs/wire.md, "User operations".

/** The deployments that are the same on every chain. */
const VERSIONS: Readonly<Record<string, string>> = {
  "0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789": "0.6",
  "0x0000000071727de22e5e9d8baf0edac6f37da032": "0.7",
  "0x4337084d9e255ff0702461cf8895ce9e3b5ff108": "0.8",
  "0x433709009b8330fda32311df1c2afa402ed8d009": "0.9",
};

const wordAt = ({ data }: { data: Hex }, index: number) =>
  BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`);
const addressIn = (topic: Hex | null) => addressOfWord(topic ?? "0x");

const operation = wire.defineRecord<UserOperationEntry>((row) => [row.blockNumber, row.logIndex])({
  userOpHash: [wire.hash, (row) => row.topic1 ?? "0x"],
  sender: [wire.address, (row) => addressIn(row.topic2)],
  paymaster: [
    wire.addressOrEmpty,
    (row) => (addressIn(row.topic3) === ZERO_ADDRESS ? "" : addressIn(row.topic3)),
  ],
  bundler: [wire.address, (row) => row.bundler],
  entryPoint: [wire.address, (row) => row.address],
  entryPointVersion: [z.string(), (row) => VERSIONS[row.address] ?? ""],
  nonce: [wire.decimal, (row) => String(wordAt(row, 0))],
  isError: [wire.flag, (row) => (wordAt(row, 1) === 0n ? "1" : "0")],
  actualGasCost: [wire.decimal, (row) => String(wordAt(row, 2))],
  actualGasUsed: [wire.decimal, (row) => String(wordAt(row, 3))],
  transactionHash: [wire.hash, (row) => row.transactionHash],
  logIndex: [wire.decimal, (row) => String(row.logIndex)],
  blockNumber: [wire.decimal, (row) => String(row.blockNumber)],
  blockHash: [wire.hash, (row) => row.blockHash],
  timeStamp: [wire.decimal, (row) => String(row.timestampSeconds)],
});

const entrypoint = address({ invalid: "Invalid entrypoint format" })
  .optional()
  .describe("Only operations of this EntryPoint: any contract can emit its events");
const common = {
  result: z.array(operation.schema),
  empty: { blockscout: "No user operations found", etherscan: NO_RECORDS },
  cursor: "history",
  changesWithHead: true,
} as const;

const ROLES = ["sender", "paymaster", "bundler"] as const;

export const userops = defineAction({
  ...common,
  summary: "User operations (ERC-4337) of an account, of a paymaster or of a bundler",
  params: z.object({
    address: address(ADDRESS_FORMAT),
    role: word(ROLES, { invalid: "Invalid role" })
      .default("sender")
      .describe("The address sent the operation, paid for it, or sent its transaction"),
    entrypoint,
    ...listing,
  }),
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  async handle({ read, page, order }, input) {
    const { role, address: party, entrypoint: entryPoint } = input;
    const filter = { blocks: blocksOf(input), entryPoint, [role]: party } as UserOperationFilter;
    const rows = await read((sql) => listUserOperations(sql, filter, order, page));
    return okPage(page, rows, operation);
  },
});

const MOST_ROWS = 1000;
const NEITHER = "txhash or userophash";

export const listuserops = defineAction({
  ...common,
  summary: "User operations (ERC-4337) of a transaction, or the one of a hash",
  params: z.object({
    txhash: hash({ invalid: "Invalid txhash format" }).optional().describe("Transaction"),
    userophash: hash({ invalid: "Invalid userophash format" })
      .optional()
      .describe("User operation; ignored when a transaction is given"),
    entrypoint,
    ...paging(100, MOST_ROWS),
  }),
  example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
  async handle({ read, chain, page }, { txhash, userophash, entrypoint: entryPoint }) {
    if (txhash === undefined && userophash === undefined)
      return failed("missing-parameter", listMissing([NEITHER]), { parameter: "txhash" });
    const which = txhash ? { transaction: txhash } : { hash: userophash ?? "0x" };
    const { found: rows, head } = await withHead(read, (sql) =>
      listUserOperations(sql, { ...which, entryPoint }, "asc", page),
    );
    const earlier = txhash && rows.length === 0 && (await refuseEarlier(chain, txhash, head));
    return earlier || okPage(page, rows, operation);
  },
});
