import { formatUnits } from "viem/utils";
import { z } from "zod";
import { listContractsAmong } from "../../../store/contracts/creations.ts";
import { getToken, type Token } from "../../../store/state/tokens/token.ts";
import { type Definition, defineAction } from "../action.ts";
import { failed, NO_RECORDS, ok, okPage } from "../envelope.ts";
import { INVALID_BLOCK, readContracts } from "../from-node/accounts.ts";
import {
  describeToken,
  readHolderCount,
  readHolders,
  readPastHolders,
  readToken,
} from "../from-node/members.ts";
import { address, blockNumber, paging, positive } from "../params.ts";
import * as wire from "../wire.ts";
import { UNKNOWN_PRICE } from "../wire.ts";
import { listtokens } from "./contract/lists.ts";

/** The token of an action of this module. */
const contractaddress = address({
  required: "Query parameter contract address is required",
  invalid: "Invalid contract address hash",
}).describe("Token contract");

const described = wire.defineRecord<Token>()({
  cataloged: [z.boolean(), (token) => token.cataloged],
  contractAddress: [wire.address, (token) => token.address],
  decimals: [wire.decimalOrEmpty, (token) => String(token.decimals ?? "")],
  name: [z.string(), (token) => token.name ?? ""],
  symbol: [z.string(), (token) => token.symbol ?? ""],
  totalSupply: [wire.decimalOrEmpty, (token) => token.totalSupply ?? ""],
  type: [wire.tokenType, (token) => `ERC-${token.standard}` as const],
});

/** Facts that Etherscan's staff collects. */
const UNCOLLECTED = Object.fromEntries(
  "description website email blog reddit slack facebook twitter bitcointalk github telegram wechat linkedin discord whitepaper"
    .split(" ")
    .map((name) => [name, [z.string(), () => ""] as const]),
);

const inEtherscansForm = wire.defineRecord<Token>()({
  contractAddress: [wire.address, (token) => token.address],
  tokenName: [z.string(), (token) => token.name ?? ""],
  symbol: [z.string(), (token) => token.symbol ?? ""],
  divisor: [wire.decimalOrEmpty, (token) => String(token.decimals ?? "")],
  tokenType: [
    z.enum(["ERC20", "ERC404", "ERC721", "ERC1155"]),
    (token) => `ERC${token.standard}` as const,
  ],
  totalSupply: [wire.decimalOrEmpty, (token) => token.totalSupply ?? ""],
  blueCheckmark: [z.string(), () => "false"],
  ...UNCOLLECTED,
  tokenPriceUSD: [z.string(), () => UNKNOWN_PRICE],
});

const ROWS = 100;
const MOST_ROWS = 1000;

export const tokens = {
  getToken: defineAction({
    summary: "Name, symbol, decimals, supply and standard of a token",
    params: z.object({ contractaddress }),
    result: described.schema,
    example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    async handle(context, input) {
      const token = await readToken(context, input.contractaddress);
      if (!token) return failed("not-found", "Contract address not found");
      return ok(described.present(token));
    },
  }),
  getTokenHolders: defineHolderList({
    summary: "Holders of a token, the largest first",
    rows: 10,
    anyPage: true,
    fields: ["address", "value"],
    atBlock: {
      blockno: blockNumber({ invalid: INVALID_BLOCK })
        .optional()
        .describe(
          "Block to list the holders after, where the node still has that state; default: the newest",
        ),
    },
  }),
  tokeninfo: defineAction({
    summary: "A token in Etherscan's form",
    params: z.object({ contractaddress }),
    result: z.array(inEtherscansForm.schema),
    empty: NO_RECORDS,
    example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    async handle(context, input) {
      const token = await readToken(context, input.contractaddress);
      return ok(token ? [inEtherscansForm.present(token)] : []);
    },
  }),
  tokenholderlist: defineHolderList({
    summary: "Holders of a token in Etherscan's form, the largest first",
    rows: 100,
    fields: ["TokenHolderAddress", "TokenHolderQuantity"],
  }),
  tokenholdercount: defineAction({
    summary: "Number of holders of a token",
    params: z.object({ contractaddress }),
    result: wire.decimal,
    example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    async handle(context, input) {
      return ok(String(await readHolderCount(context, input.contractaddress)));
    },
  }),
  topholders: defineAction({
    summary: "The largest holders of a token, in whole tokens",
    params: z.object({
      contractaddress,
      offset: positive
        .transform((rows) => Math.min(rows, MOST_ROWS))
        .default(ROWS)
        .catch(ROWS)
        .meta({ description: "Holders to list", maximum: MOST_ROWS }),
    }),
    result: z.array(
      z.object({
        TokenHolderAddress: wire.address,
        TokenHolderQuantity: wire.decimalFraction,
        TokenHolderAddressType: z.enum(["A", "C"]),
      }),
    ),
    empty: NO_RECORDS,
    example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    async handle(context, input) {
      const page = { limit: input.offset, skip: 0 };
      const { head, holders, extra } = await readHolders(
        context,
        input.contractaddress,
        page,
        async (sql, owners) => ({
          found: await getToken(sql, input.contractaddress),
          presences: await listContractsAmong(sql, owners),
        }),
      );
      const { found, presences } = extra;
      if (!found) return ok([]);
      const token = await describeToken(context.chain, found, head);
      const shown = new Set(holders.map(({ owner }) => owner));
      const contracts = await readContracts(
        context,
        presences.filter(({ address }) => shown.has(address)),
        head,
      );
      return ok(
        holders.map(({ owner, amount }) => ({
          TokenHolderAddress: owner,
          TokenHolderQuantity: formatUnits(BigInt(amount), token.decimals ?? 0),
          TokenHolderAddressType: contracts.has(owner) ? ("C" as const) : ("A" as const),
        })),
      );
    },
  }),
  listtokens,
};

/** Declares a list of a token's holders, the largest first. `fields` names the owner and the amount in a record. */
function defineHolderList({
  rows,
  fields: [owner, amount],
  atBlock = {},
  ...list
}: Pick<Definition, "summary" | "anyPage"> & {
  rows: number;
  fields: [string, string];
  atBlock?: { blockno?: z.ZodType<number | undefined> };
}) {
  return defineAction({
    ...list,
    params: z.object({ contractaddress, ...paging(rows), ...atBlock }),
    result: z.array(z.object({ [owner]: wire.address, [amount]: wire.decimal })),
    empty: NO_RECORDS,
    example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    cursor: "token",
    async handle(context, input) {
      const token = input.contractaddress;
      const { blockno } = input as { blockno?: number };
      const listed =
        blockno === undefined
          ? ok((await readHolders(context, token, context.page, async () => null)).holders)
          : await readPastHolders(context, token, blockno);
      if (listed.kind !== "ok") return listed;
      return okPage(context.page, listed.result, {
        keyOf: (holder) => [holder.amount, holder.owner],
        present: (holder) => ({ [owner]: holder.owner, [amount]: holder.amount }),
      });
    },
  });
}
