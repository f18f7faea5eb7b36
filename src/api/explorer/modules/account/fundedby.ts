import { z } from "zod";
import { getFunding } from "../../../../store/state/addresses/funding.ts";
import { defineAction } from "../../action.ts";
import { failed, NO_RECORDS, ok } from "../../envelope.ts";
import { readContracts } from "../../from-node/contracts.ts";
import { mayHaveBeenFunded, notIndexed } from "../../from-node/transactions/earlier-blocks.ts";
import { address } from "../../params.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT } from "./list.ts";

export const fundedby = defineAction({
  name: "fundedby",
  summary: "First transfer of value to an account that is no contract",
  params: z.object({ address: address(ADDRESS_FORMAT) }),
  result: z.union([
    z.object({
      block: z.number(),
      timeStamp: wire.decimal,
      fundingAddress: wire.address,
      fundingTxn: wire.hash,
      value: wire.decimal,
    }),
    z.array(z.never()),
  ]),
  empty: NO_RECORDS,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  async handle(context, input) {
    const { funding, head } = await context.read(async (sql, served) => ({
      funding: await getFunding(sql, input.address),
      head: await served,
    }));
    if (!funding) return ok([]);
    const presence = { address: input.address, isContract: funding.codeUnknown ? null : false };
    if ((await readContracts(context, [presence], head)).size > 0) return ok([]);
    if (await mayHaveBeenFunded(context.chain, input.address, head))
      return failed("not-found", notIndexed(head));
    return ok({
      block: funding.blockNumber,
      timeStamp: String(funding.timestampSeconds),
      fundingAddress: funding.from,
      fundingTxn: funding.transactionHash,
      value: funding.value,
    });
  },
});
