import { z } from "zod";
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

const record = z.object({
  contractAddress: wire.address,
  tokenName: z.string().nullable(),
  tokenSymbol: z.string().nullable(),
  tokenDecimal: wire.decimalOrEmpty,
  tokenType: z.enum(["ERC-20", "ERC-404", "ERC-721", "ERC-1155", ""]),
  kind: z.enum(KINDS),
  spender: wire.address,
  value: wire.decimalOrEmpty,
  isUnlimited: wire.flag,
  tokenID: wire.decimalOrEmpty,
  isProven: wire.flag,
  blockNumber: wire.decimal,
  timeStamp: wire.decimal,
  transactionHash: wire.hash,
  logIndex: wire.decimal,
  holding: wire.decimalOrEmpty,
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
  result: {
    blockscout: z.array(record),
    etherscan: z.array(record.extend({ tokenName: z.string(), tokenSymbol: z.string() })),
  },
  empty: { blockscout: "No approvals found", etherscan: NO_RECORDS },
  example: { address: "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc" },
  // Not `owner`: a transfer must not end this walk.
  cursor: "members",
  async handle(context, { address: owner, contractaddress: token, spender, kind }) {
    const found = await readApprovals(context, owner, { token, spender, kind });
    const unknown = context.dialect === "etherscan" ? "" : null;
    const present = ({ log, value, ...row }: Approval) => {
      const token = found.known.get(log.address)?.token;
      const isUnlimited =
        row.kind === "operator" || (value && (value >= UNLIMITED || value === NARROW_MAXIMUM));
      return {
        contractAddress: log.address,
        tokenName: token?.name ?? unknown,
        tokenSymbol: token?.symbol ?? unknown,
        tokenDecimal: String(token?.decimals ?? ""),
        tokenType: token ? (`ERC-${token.standard}` as const) : ("" as const),
        kind: row.kind,
        spender: row.spender,
        value: String(value ?? ""),
        isUnlimited: isUnlimited ? ("1" as const) : ("0" as const),
        tokenID: row.id ? String(BigInt(row.id)) : "",
        isProven: row.isProven ? ("1" as const) : ("0" as const),
        blockNumber: String(log.blockNumber),
        timeStamp: String(log.timestampSeconds),
        transactionHash: log.transactionHash,
        logIndex: String(log.logIndex),
        holding: String(found.holdings.get(log.address) ?? ""),
      };
    };
    const page = okPage(context.page, found.rows, { keyOf: keyOfApproval, present });
    return page.kind === "ok" && found.next ? { ...page, next: found.next } : page;
  },
});
