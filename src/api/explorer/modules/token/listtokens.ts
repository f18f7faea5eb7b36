import { z } from "zod";
import { listTokens } from "../../../../store/lists/names.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, okPage } from "../../envelope.ts";
import { paging, windowCheck } from "../../params.ts";
import * as wire from "../../wire.ts";
import { namedContract, presentNames } from "../contract/listbyname.ts";

const ROWS = 25;
const MOST_ROWS = 1000;

export const listtokens = defineAction({
  name: "listtokens",
  summary: "Tokens, newest first",
  params: z.object(paging(ROWS, MOST_ROWS)),
  result: z.array(
    namedContract.extend({
      tokenDecimal: wire.decimalOrEmpty,
      holdersCount: wire.decimal,
      firstBlock: wire.decimal.describe("The block of its first event"),
    }),
  ),
  empty: { blockscout: "No tokens found", etherscan: NO_RECORDS },
  example: {},
  check: windowCheck(MOST_ROWS),
  cursor: "members",
  async handle({ read, page }) {
    const tokens = await read((sql) => listTokens(sql, page));
    return okPage(
      page,
      tokens,
      ({ firstBlock, address }) => [firstBlock, address],
      (token) => ({
        ...presentNames(token),
        tokenDecimal: String(token.decimals ?? ""),
        holdersCount: String(token.holderCount),
        firstBlock: String(token.firstBlock),
      }),
    );
  },
});
