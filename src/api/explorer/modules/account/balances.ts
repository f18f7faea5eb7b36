import { z } from "zod";
import { type Address, isAddress, lowerAddress } from "../../../../core/evm/address.ts";
import { quantity } from "../../../../core/evm/quantity.ts";
import {
  listCoinAccounts,
  listCoinAccountsByAge,
} from "../../../../store/state/addresses/coin-balances.ts";
import { type Context, defineAction } from "../../action.ts";
import { failed, NO_RECORDS, ok, okPage } from "../../envelope.ts";
import {
  atBlock,
  INVALID_BLOCK,
  readBalanceAt,
  readCoinAccounts,
} from "../../from-node/accounts.ts";
import { address, blockNumber, listItems, listMissing, paging, text } from "../../params.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT, ADDRESS_HASH, atTag, tag } from "./list.ts";

type Account = { address: Address; balance: string | bigint };

/** A balance is never stale here. */
const fresh = { stale: [z.boolean(), () => false] } as const;
const holder = [wire.address, (row: Account) => row.address] as const;
const balance = [wire.decimal, (row: Account) => String(row.balance)] as const;

/** The balance of one of several accounts. */
export const account = wire.defineRecords<Account>(
  undefined,
  "Account",
)({ both: { account: holder, balance }, blockscout: fresh });

const MAXIMUM_ADDRESSES = 20;

/** One address or several separated by commas, each once; ignores those after the first 20, as in the reference. */
const addresses = text(ADDRESS_HASH)
  .transform((list) => listItems(list).slice(0, MAXIMUM_ADDRESSES))
  .refine((items) => items.length > 0 && items.every(isAddress), ADDRESS_HASH.invalid)
  .transform((items): Address[] => [...new Set(items.map(lowerAddress))])
  .describe("Address, or up to 20 separated by commas");

interface Asked {
  address: Address[];
  tag?: z.output<typeof tag>;
}

const nothing = async () => null;

const params = z.object({ address: addresses });

const unknown = failed("not-found", "Balance not found", { httpStatus: 404 });

const NEWEST = Number.POSITIVE_INFINITY;

const block = text({ invalid: "Invalid block" })
  .regex(/^(?:latest|earliest|pending|[+-]?\d+)$/, "Invalid block")
  .transform((value) => {
    if (value === "earliest") return 0;
    return value === "latest" || value === "pending" ? NEWEST : Number(value);
  })
  .describe("Number of a block, `latest`, `earliest` or `pending`; the newest when absent");

const ROWS = 10;

const seen = wire.defineRecords<Account & { firstBlock: number }>((row) => [
  row.firstBlock,
  row.address,
])({ both: { address: holder, balance }, blockscout: fresh });

export const balances = {
  eth_get_balance: defineAction({
    summary: "Coin balance of an indexed address as a hex quantity, now or after a block",
    envelope: "json-rpc",
    id: 0,
    params: z.object({ block: block.optional(), address: address(ADDRESS_HASH) }),
    result: wire.quantity,
    example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
    refuse: () => ({ httpStatus: 400 }),
    async handle(context, input) {
      const { address: party, block: blockNumber = NEWEST } = input;
      if (blockNumber < 0) return unknown;
      const wei = await readBalanceAt(context, party, blockNumber, { onlyKnown: true });
      return wei === undefined ? unknown : ok(quantity(wei));
    },
  }),
  balance: defineAction({
    summary: "Coin balance of an address in wei; of several addresses as balancemulti",
    params,
    etherscanParams: params.extend({ tag }),
    result: {
      blockscout: z.union([wire.decimal, z.array(account.blockscout.schema)]),
      etherscan: z.union([wire.decimal, z.array(account.etherscan.schema)]),
    },
    example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
    async handle(context, input) {
      const outcome = await presentAccounts(context, input);
      if (outcome.kind !== "ok") return outcome;
      const [only, ...others] = outcome.result;
      return only && others.length === 0 ? ok(String(only["balance"])) : outcome;
    },
  }),
  balancemulti: defineAction({
    summary: "Coin balances of up to 20 addresses in wei",
    params,
    etherscanParams: params.extend({ tag }),
    result: wire.listOf(account),
    example: {
      address:
        "0x976ea74026e726554db657fa54763abd0c3a0aa9,0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
    },
    handle: presentAccounts,
  }),
  listaccounts: defineAction({
    summary: "Addresses with their coin balances, in the order in which they were first seen",
    params: z.object(paging(ROWS)),
    result: wire.listOf(seen),
    empty: NO_RECORDS,
    example: {},
    cursor: "members",
    async handle(context) {
      const { page, dialect } = context;
      const accounts = await readCoinAccounts(context, (sql) => listCoinAccountsByAge(sql, page));
      return okPage(page, accounts, seen[dialect]);
    },
  }),
  balancehistory: defineAction({
    summary: "Coin balance of an address in wei after a block, where the node still has that state",
    params: z.object({
      address: address(ADDRESS_FORMAT),
      blockno: blockNumber({ invalid: INVALID_BLOCK }),
    }),
    missing: listMissing,
    result: wire.decimal,
    example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9", blockno: "10" },
    async handle(context, input) {
      return atBlock(context, input.blockno, nothing, async (block) => {
        const [wei] = await context.chain.fetchCoinBalances([input.address], block);
        return ok(String(wei ?? 0n));
      });
    },
  }),
};

/** Presents accounts with their balances: at the head, or after the block of a tag. */
async function presentAccounts(context: Context, { address: addresses, tag }: Asked) {
  const { chain, dialect } = context;
  if (tag === undefined) {
    const accounts = await readCoinAccounts(context, (sql) => listCoinAccounts(sql, addresses));
    return ok(accounts.map(account[dialect].present));
  }
  return atTag(context, tag, nothing, async (block) => {
    const balances = await chain.fetchCoinBalances(addresses, block);
    const accounts = addresses.map((address, at) => ({ address, balance: balances[at] ?? 0n }));
    return ok(accounts.map(account[dialect].present));
  });
}
