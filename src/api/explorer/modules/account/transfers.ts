import { z } from "zod";
import { listTokenTransfers, type TokenStandard } from "../../../../store/lists/token-transfers.ts";
import { defineAction } from "../../action.ts";
import { nameCalls } from "../../call-names.ts";
import { failed, okPage } from "../../envelope.ts";
import { address, blocksOf, windowCheck } from "../../params.ts";
import { listOf } from "../../present/record.ts";
import { tokenTransferOf } from "../../present/token-transfer.ts";
import { ADDRESS_FORMAT, listing, NO_TRANSACTIONS, orderOf, toParty, withParties } from "./list.ts";

const NEITHER = "Query parameter address or contractaddress is required";

const params = z.object({
  address: address(ADDRESS_FORMAT)
    .optional()
    .describe("Sender or receiver; required without `contractaddress`"),
  contractaddress: address({ invalid: "Invalid contract address format" })
    .optional()
    .describe("Token contract; required without `address`"),
  ...listing,
});

/** The lists of transfers, one for each token standard. */
export const tokenTransferLists = [
  defineTokenTransferList("tokentx", 20),
  defineTokenTransferList("tokennfttx", 721),
  defineTokenTransferList("token1155tx", 1155),
  defineTokenTransferList("token404tx", 404),
];

function defineTokenTransferList(name: string, standard: TokenStandard) {
  const record = tokenTransferOf(standard);
  return defineAction({
    name,
    summary: `ERC-${standard} transfers from or to an address, of a token, or both`,
    params,
    etherscanParams: withParties(params),
    result: listOf(record),
    empty: { blockscout: "No token transfers found", etherscan: NO_TRANSACTIONS },
    example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
    check: windowCheck(),
    cursor: "history",
    async handle({ read, dialect, page }, input) {
      const who = toParty(input);
      const { contractaddress: token } = input;
      const blocks = blocksOf(input);
      const order = orderOf(input.sort, dialect);
      const filter =
        who !== undefined
          ? { standard, blocks, token, ...who }
          : token !== undefined
            ? { standard, blocks, token }
            : undefined;
      if (!filter) return failed("missing-parameter", NEITHER, { parameter: "address" });
      const named = await read(
        async (sql) =>
          nameCalls(
            sql,
            await listTokenTransfers(sql, filter, order, page),
            ({ transactionTo, input: data }) => ({ to: transactionTo, input: data }),
          ),
        "statements of one head",
      );
      return okPage(page, named, record[dialect]);
    },
  });
}
