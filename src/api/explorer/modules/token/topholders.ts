import { z } from "zod";
import { formatUnits } from "../../../../core/decimal.ts";
import { listContractsAmong } from "../../../../store/contracts/creations.ts";
import { getToken } from "../../../../store/state/tokens/token.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, ok } from "../../envelope.ts";
import { readContracts } from "../../from-node/contracts.ts";
import { readHolders } from "../../from-node/holders.ts";
import { positive } from "../../params.ts";
import * as wire from "../../wire.ts";
import { contractaddress } from "./contract-address.ts";

const ROWS = 100;
const MOST_ROWS = 1000;

export const topholders = defineAction({
  name: "topholders",
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
        token: await getToken(sql, input.contractaddress),
        presences: await listContractsAmong(sql, owners),
      }),
    );
    const { token, presences } = extra;
    if (!token) return ok([]);
    const shown = new Set(holders.map(({ owner }) => owner));
    const contracts = await readContracts(
      context,
      presences.filter(({ address }) => shown.has(address)),
      head,
    );
    return ok(
      holders.map(({ owner, amount }) => ({
        TokenHolderAddress: owner,
        TokenHolderQuantity: formatUnits(amount, token.decimals ?? 0),
        TokenHolderAddressType: contracts.has(owner) ? ("C" as const) : ("A" as const),
      })),
    );
  },
});
