import { z } from "zod";
import type { OwnedToken } from "../../../../store/state/token-balances/holdings.ts";
import type { Token } from "../../../../store/state/tokens/token.ts";
import { defineAction } from "../../action.ts";
import { failed, NO_RECORDS, ok, okPage } from "../../envelope.ts";
import { atBlock, holdingAt, INVALID_BLOCK, NOT_REPORTED } from "../../from-node/accounts.ts";
import { type Approval, KINDS, keyOfApproval, readApprovals } from "../../from-node/approvals.ts";
import { readHolding } from "../../from-node/holdings.ts";
import { keyOfOwned, readOwnedIds, readOwnedTokens } from "../../from-node/members.ts";
import { address, blockNumber, listMissing, paging, word } from "../../params.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT, allRows, atTag, tag, tokenContract } from "./list.ts";

const HELD = {
  contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35",
  address: "0x976ea74026e726554db657fa54763abd0c3a0aa9",
};
const params = z.object({ contractaddress: tokenContract, address: address(ADDRESS_FORMAT) });

const owned = wire.defineRecords<OwnedToken>(keyOfOwned)({
  both: {
    balance: [wire.decimal, (row) => row.amount],
    contractAddress: [wire.address, (row) => row.token],
    name: [z.string().nullable(), (row) => row.name],
    decimals: [wire.decimalOrEmpty, (row) => String(row.decimals ?? "")],
    symbol: [z.string().nullable(), (row) => row.symbol],
    type: [wire.tokenType, (row) => `ERC-${row.standard}` as const],
    id: [wire.decimal.optional(), (row) => row.tokenId ?? undefined],
  },
  etherscan: {
    name: [z.string(), (row) => row.name ?? ""],
    symbol: [z.string(), (row) => row.symbol ?? ""],
  },
});

const held = wire.defineRecord<OwnedToken>(keyOfOwned)({
  TokenAddress: [wire.address, ({ token }) => token],
  TokenName: [z.string(), ({ name }) => name ?? ""],
  TokenSymbol: [z.string(), ({ symbol }) => symbol ?? ""],
  TokenQuantity: [wire.decimal, ({ amount }) => amount],
});

const priced = wire.defineRecord<OwnedToken>(keyOfOwned)({
  ...held.fields,
  TokenDivisor: [wire.decimalOrEmpty, (row) => String(row.decimals ?? "")],
  TokenPriceUSD: [z.string(), () => wire.UNKNOWN_PRICE],
});

/** Common parts of Etherscan's lists of an address's tokens. */
const common = {
  params: z.object({ address: address(ADDRESS_FORMAT), ...paging(100) }),
  empty: NO_RECORDS,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  cursor: "owner",
} as const;

const MOST_ROWS = 1000;

export const holdings = {
  tokenbalance: defineAction({
    summary: "What an address holds of a token: an amount, or the number of tokens",
    params,
    etherscanParams: params.extend({ tag }),
    missing: listMissing,
    result: wire.decimal,
    example: HELD,
    async handle(context, { contractaddress: token, address: owner, ...asked }) {
      if ("tag" in asked && asked.tag !== undefined) {
        return atTag(context, asked.tag, ...holdingAt(context, token, owner));
      }
      const amount = await readHolding(context, token, owner);
      return amount === null ? failed("state-unavailable", NOT_REPORTED) : ok(String(amount));
    },
  }),
  tokenlist: defineAction({
    summary: "Tokens that an address holds, those of ERC-1155 by id",
    params: z.object({
      address: address({ ...ADDRESS_FORMAT, required: "Query parameter address is required" }),
      ...allRows,
    }),
    result: wire.listOf(owned),
    empty: { blockscout: "No tokens found", etherscan: NO_RECORDS },
    example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
    anyPage: true,
    cursor: "owner",
    async handle(context, input) {
      const { page, dialect } = context;
      const tokens = await readOwnedTokens(context, input.address, [20, 404, 721, 1155], page);
      return okPage(page, tokens, owned[dialect]);
    },
  }),
  addresstokenbalance: defineAction({
    ...common,
    summary: "ERC-20 tokens that an address holds",
    result: z.array(priced.schema),
    async handle(context, input) {
      const tokens = await readOwnedTokens(context, input.address, [20], context.page);
      return okPage(context.page, tokens, priced);
    },
  }),
  addresstokennftbalance: defineAction({
    ...common,
    summary: "ERC-721 tokens that an address holds, and how many of each",
    result: z.array(held.schema),
    async handle(context, input) {
      const tokens = await readOwnedTokens(context, input.address, [721], context.page);
      return okPage(context.page, tokens, held);
    },
  }),
  addresstokennftinventory: defineAction({
    summary: "Ids that an address holds of an ERC-721 token, ascending",
    params: params.extend(paging(100, MOST_ROWS)),
    missing: listMissing,
    result: z.array(z.object({ TokenAddress: wire.address, TokenId: wire.decimal })),
    empty: NO_RECORDS,
    example: { ...HELD, contractaddress: "0xa15bb66138824a1c7167f5e85b957d04dd34e468" },
    cursor: "owner",
    async handle(context, { contractaddress, address: owner }) {
      const ids = await readOwnedIds(context, contractaddress, owner, context.page);
      if (ids.kind !== "ok") return ids;
      const page = okPage(context.page, ids.result, {
        keyOf: ({ id }) => [id],
        present: ({ id, isOwned }) =>
          isOwned ? [{ TokenAddress: contractaddress, TokenId: id }] : [],
      });
      return page.kind === "ok" ? { ...page, result: page.result.flat() } : page;
    },
  }),
  tokenbalancehistory: defineAction({
    summary: "What an address held of a token after a block, where the node still has that state",
    params: params.extend({ blockno: blockNumber({ invalid: INVALID_BLOCK }) }),
    missing: listMissing,
    result: wire.decimal,
    example: { ...HELD, blockno: "10" },
    async handle(context, { contractaddress: token, address: owner, blockno }) {
      return atBlock(context, blockno, ...holdingAt(context, token, owner));
    },
  }),
};

const ROWS = 100;
/** Smallest allowance that is shown as unlimited; tokens with 96-bit amounts use their own maximum. */
const UNLIMITED = 2n ** 255n;
const NARROW_MAXIMUM = 2n ** 96n - 1n;

type Listed = Approval & { token: Token | undefined; holding: bigint | undefined };

const listed = wire.defineRecords<Listed>(keyOfApproval)({
  both: {
    contractAddress: [wire.address, ({ log }) => log.address],
    tokenName: [z.string().nullable(), ({ token }) => token?.name ?? null],
    tokenSymbol: [z.string().nullable(), ({ token }) => token?.symbol ?? null],
    tokenDecimal: [wire.decimalOrEmpty, ({ token }) => String(token?.decimals ?? "")],
    tokenType: [
      z.enum([...wire.tokenType.options, ""]),
      ({ token }) => (token ? (`ERC-${token.standard}` as const) : ""),
    ],
    kind: [z.enum(KINDS), ({ kind }) => kind],
    spender: [wire.address, ({ spender }) => spender],
    value: [wire.decimalOrEmpty, ({ value }) => String(value ?? "")],
    isUnlimited: [
      wire.flag,
      ({ kind, value = 0n }) =>
        kind === "operator" || value >= UNLIMITED || value === NARROW_MAXIMUM ? "1" : "0",
    ],
    tokenID: [wire.decimalOrEmpty, ({ id }) => (id ? String(BigInt(id)) : "")],
    isProven: [wire.flag, ({ isProven }) => (isProven ? "1" : "0")],
    blockNumber: [wire.decimal, ({ log }) => String(log.blockNumber)],
    timeStamp: [wire.decimal, ({ log }) => String(log.timestampSeconds)],
    transactionHash: [wire.hash, ({ log }) => log.transactionHash],
    logIndex: [wire.decimal, ({ log }) => String(log.logIndex)],
    holding: [wire.decimalOrEmpty, ({ holding }) => String(holding ?? "")],
  },
  etherscan: {
    tokenName: [z.string(), ({ token }) => token?.name ?? ""],
    tokenSymbol: [z.string(), ({ token }) => token?.symbol ?? ""],
  },
});

export const approvals = defineAction({
  summary:
    "Addresses that may move an address's tokens, confirmed by the tokens, newest approval first",
  params: z.object({
    address: address(ADDRESS_FORMAT),
    contractaddress: address({ invalid: "Invalid contract address format" })
      .optional()
      .describe("Only this token"),
    spender: address({ invalid: "Invalid spender format" })
      .optional()
      .describe("Only approvals of this address"),
    kind: word(KINDS, { invalid: "Invalid kind format" })
      .optional()
      .describe("Only amounts (`allowance`), single ids (`token`) or everything (`operator`)"),
    ...paging(ROWS, MOST_ROWS),
  }),
  result: wire.listOf(listed),
  empty: { blockscout: "No approvals found", etherscan: NO_RECORDS },
  example: { address: "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc" },
  // Not `owner`: a transfer must not end this walk.
  cursor: "members",
  async handle(context, { address: owner, contractaddress: token, spender, kind }) {
    const found = await readApprovals(context, owner, { token, spender, kind });
    const rows = found.rows.map((row) => {
      const { address } = row.log;
      const token = found.known.get(address)?.token;
      return { ...row, token, holding: found.holdings.get(address) };
    });
    const page = okPage(context.page, rows, listed[context.dialect]);
    return page.kind === "ok" && found.next ? { ...page, next: found.next } : page;
  },
});
