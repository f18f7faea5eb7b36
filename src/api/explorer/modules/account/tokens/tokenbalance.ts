import { z } from "zod";
import { defineAction } from "../../../action.ts";
import { failed, ok } from "../../../envelope.ts";
import { readHolding } from "../../../from-node/holdings.ts";
import { listIdsOf, readHoldingAt, UNTOLD } from "../../../from-node/token-history.ts";
import { address, listMissing } from "../../../params.ts";
import * as wire from "../../../wire.ts";
import { ADDRESS_FORMAT, tokenContract } from "../list.ts";
import { atTag, tag } from "../tag.ts";

const params = z.object({
  contractaddress: tokenContract,
  address: address(ADDRESS_FORMAT),
});

export const tokenbalance = defineAction({
  name: "tokenbalance",
  summary: "What an address holds of a token: an amount, or the number of tokens",
  params,
  etherscanParams: params.extend({ tag }),
  missing: listMissing,
  result: wire.decimal,
  example: {
    contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35",
    address: "0x976ea74026e726554db657fa54763abd0c3a0aa9",
  },
  async handle(context, { contractaddress: token, address: owner, ...asked }) {
    if ("tag" in asked && asked.tag !== undefined) {
      return atTag(
        context,
        asked.tag,
        (sql) => listIdsOf(sql, token, owner),
        (block, ids) => readHoldingAt(context, { token, owner }, block, ids),
      );
    }
    const amount = await readHolding(context, token, owner);
    return amount === null ? failed("state-unavailable", UNTOLD) : ok(String(amount));
  },
});
