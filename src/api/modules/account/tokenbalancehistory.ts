import { z } from "zod";
import type { Queryable } from "../../../db/client.ts";
import { getHolding, listTokenIds } from "../../../store/token-balances/holdings.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { answered } from "../../live/answered.ts";
import { atIndexedBlock, INVALID_BLOCK } from "../../live/history.ts";
import { READABLE_BALANCES, stillReading } from "../../live/holdings.ts";
import { address, blockNumber, listMissing } from "../../params.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT } from "./list.ts";

export const tokenbalancehistory = defineAction({
  name: "tokenbalancehistory",
  summary: "What an address held of a token after a block, where the node still has that state",
  envelope: "explorer",
  params: z.object({
    contractaddress: address({ invalid: "Invalid contractaddress format" }).describe(
      "Token contract",
    ),
    address: address(ADDRESS_FORMAT),
    blockno: blockNumber({ invalid: INVALID_BLOCK }),
  }),
  missing: listMissing,
  result: wire.decimal,
  example: {
    contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35",
    address: "0x976ea74026e726554db657fa54763abd0c3a0aa9",
    blockno: "10",
  },
  async handle(context, { contractaddress: token, address: owner, blockno }) {
    const listIds = async (sql: Queryable) => {
      const holding = await getHolding(sql, token, owner);
      return holding?.standard === 1155
        ? listTokenIds(sql, token, owner, READABLE_BALANCES + 1)
        : undefined;
    };
    return atIndexedBlock(context, blockno, listIds, async (block, ids) => {
      if (ids && ids.length > READABLE_BALANCES) throw stillReading();
      const queries = ids
        ? ids.map((id) => ({ token, owner, id: BigInt(id) }))
        : [{ token, owner }];
      const amounts =
        queries.length > 0 ? await context.chain.fetchTokenBalances(queries, block) : [];
      return ok(
        String(amounts.reduce<bigint>((sum, amount) => sum + (answered(amount) ?? 0n), 0n)),
      );
    });
  },
});
