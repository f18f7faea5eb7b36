import { z } from "zod";
import { defineAction } from "../../../action.ts";
import { NO_RECORDS, okPage } from "../../../envelope.ts";
import { readOwnedIds } from "../../../from-node/owned-ids.ts";
import { address, listMissing, paging, windowCheck } from "../../../params.ts";
import * as wire from "../../../wire.ts";
import { ADDRESS_FORMAT, tokenContract } from "../list.ts";

const ROWS = 100;
const MOST_ROWS = 1000;

export const addresstokennftinventory = defineAction({
  name: "addresstokennftinventory",
  summary: "Ids that an address holds of an ERC-721 token, ascending",
  params: z.object({
    contractaddress: tokenContract,
    address: address(ADDRESS_FORMAT),
    ...paging(ROWS, MOST_ROWS),
  }),
  missing: listMissing,
  result: z.array(z.object({ TokenAddress: wire.address, TokenId: wire.decimal })),
  empty: NO_RECORDS,
  example: {
    address: "0x976ea74026e726554db657fa54763abd0c3a0aa9",
    contractaddress: "0xa15bb66138824a1c7167f5e85b957d04dd34e468",
  },
  check: windowCheck(MOST_ROWS),
  cursor: "owner",
  async handle(context, { contractaddress, address: owner }) {
    const ids = await readOwnedIds(context, contractaddress, owner, context.page);
    if (ids.kind !== "ok") return ids;
    const page = okPage(
      context.page,
      ids.result,
      ({ id }) => [id],
      (row) => row,
    );
    if (page.kind !== "ok") return page;
    const owned = page.result.filter(({ isOwned }) => isOwned);
    return {
      ...page,
      result: owned.map(({ id }) => ({ TokenAddress: contractaddress, TokenId: id })),
    };
  },
});
