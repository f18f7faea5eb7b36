import { z } from "zod";
import { defineAction } from "../../../action.ts";
import { atBlock, INVALID_BLOCK } from "../../../from-node/history.ts";
import { listIdsOf, readHoldingAt } from "../../../from-node/token-history.ts";
import { address, blockNumber, listMissing } from "../../../params.ts";
import * as wire from "../../../wire.ts";
import { ADDRESS_FORMAT, tokenContract } from "../list.ts";

export const tokenbalancehistory = defineAction({
  name: "tokenbalancehistory",
  summary: "What an address held of a token after a block, where the node still has that state",
  params: z.object({
    contractaddress: tokenContract,
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
    return atBlock(
      context,
      blockno,
      (sql) => listIdsOf(sql, token, owner),
      (block, ids) => readHoldingAt(context, { token, owner }, block, ids),
    );
  },
});
