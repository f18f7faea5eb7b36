import { z } from "zod";
import { quantityToDecimal } from "../../../../core/evm/quantity.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { address, MAXIMUM_OFFSET, offset, page, side, windowCheck } from "../../params.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT, NO_TRANSACTIONS } from "./list.ts";

export const pendingtxlist = defineAction({
  name: "pendingtxlist",
  summary: "Transactions of an address that wait in the node's pool, where it shows its pool",
  params: z.object({
    address: address(ADDRESS_FORMAT),
    page,
    offset: offset(MAXIMUM_OFFSET),
    filter_by: side,
  }),
  result: z.array(
    z.object({
      hash: wire.hash,
      nonce: wire.decimal,
      from: wire.address,
      to: wire.addressOrEmpty,
      value: wire.decimal,
      gas: wire.decimal,
      gasPrice: wire.decimal,
      input: wire.data,
      contractAddress: z.literal(""),
      cumulativeGasUsed: z.literal(""),
      gasUsed: z.literal(""),
    }),
  ),
  empty: NO_TRANSACTIONS,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  check: windowCheck(),
  async handle({ mempool, page: { limit, skip } }, { address: party, filter_by }) {
    const own = await mempool(party, filter_by);
    return ok(
      own.slice(skip, skip + limit).map((transaction) => ({
        hash: transaction.hash,
        nonce: quantityToDecimal(transaction.nonce),
        from: transaction.from,
        to: transaction.to ?? "",
        value: quantityToDecimal(transaction.value),
        gas: quantityToDecimal(transaction.gas),
        gasPrice: quantityToDecimal(transaction.gasPrice ?? transaction.maxFeePerGas ?? "0x0"),
        input: transaction.input,
        contractAddress: "" as const,
        cumulativeGasUsed: "" as const,
        gasUsed: "" as const,
      })),
    );
  },
});
