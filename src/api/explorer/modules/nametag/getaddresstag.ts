import { z } from "zod";
import { type Address, isAddress, lowerAddress } from "../../../../core/evm/address.ts";
import { pathNameOf } from "../../../serving/served-chain.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, ok } from "../../envelope.ts";
import { listItems, text } from "../../params.ts";
import * as wire from "../../wire.ts";

const MAXIMUM_ADDRESSES = 100;
const ADDRESS = {
  required: "Query parameter 'address' is required",
  invalid: "Invalid address format",
};

/** Source: docs/wire.md, "Labels". */
export const getaddresstag = defineAction({
  name: "getaddresstag",
  summary: "The operator's own names of addresses (LABELS_FILE)",
  dialect: "etherscan",
  params: z.object({
    address: text(ADDRESS)
      .transform((list) => listItems(list))
      .refine((items) => items.length > 0 && items.every(isAddress), {
        error: ADDRESS.invalid,
        abort: true,
      })
      .refine(
        (items) => items.length <= MAXIMUM_ADDRESSES,
        `A maximum of ${MAXIMUM_ADDRESSES} addresses is allowed`,
      )
      .transform((items): Address[] => [...new Set(items.map(lowerAddress))])
      .describe(`Address, or up to ${MAXIMUM_ADDRESSES} separated by commas`),
  }),
  result: z.array(
    z.object({
      address: wire.address,
      nametag: z.string(),
      internal_nametag: z.literal(""),
      url: z.string(),
      shortdescription: z.string(),
      notes_1: z.literal(""),
      notes_2: z.literal(""),
      labels: z.array(z.string()),
      labels_slug: z.array(z.string()),
      reputation: z.literal(0),
      other_attributes: z.array(z.never()),
      lastupdatedtimestamp: z.int().describe("Unix seconds of the file's last change"),
    }),
  ),
  empty: NO_RECORDS,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  servedWhileLoading: true,
  async handle({ labels }, { address }) {
    const { find, changedAt } = labels();
    return ok(
      address.flatMap((each) => {
        const label = find(each);
        if (!label) return [];
        const { name, tags, url, note } = label;
        return {
          address: each,
          nametag: name,
          internal_nametag: "" as const,
          url,
          shortdescription: note,
          notes_1: "" as const,
          notes_2: "" as const,
          labels: tags,
          labels_slug: tags.map(pathNameOf),
          reputation: 0 as const,
          other_attributes: [],
          lastupdatedtimestamp: changedAt,
        };
      }),
    );
  },
});
