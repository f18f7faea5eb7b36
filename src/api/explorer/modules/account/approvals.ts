import { z } from "zod";
import type { Token } from "../../../../store/state/tokens/token.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, okPage } from "../../envelope.ts";
import { type Approval, KINDS, keyOfApproval, readApprovals } from "../../from-node/approvals.ts";
import { address, paging, word } from "../../params.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT } from "./list.ts";

const ROWS = 100;
const MOST_ROWS = 1000;
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
