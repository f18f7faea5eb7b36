import { z } from "zod";
import type { Address } from "../../../../core/evm/address.ts";
import { pathNameOf } from "../../../serving/served-chain.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, ok } from "../../envelope.ts";
import type { Label } from "../../labels.ts";
import { addresses } from "../../params.ts";
import * as wire from "../../wire.ts";

const MAXIMUM_ADDRESSES = 100;
const ADDRESS = {
  required: "Query parameter 'address' is required",
  invalid: "Invalid address format",
};

const tagged = wire.defineRecord<Label & { at: Address; changedAt: number }>()({
  address: [wire.address, (row) => row.at],
  nametag: [z.string(), (row) => row.name],
  internal_nametag: [z.literal(""), () => "" as const],
  url: [z.string(), (row) => row.url],
  shortdescription: [z.string(), (row) => row.note],
  notes_1: [z.literal(""), () => "" as const],
  notes_2: [z.literal(""), () => "" as const],
  labels: [z.array(z.string()), (row) => row.tags],
  labels_slug: [z.array(z.string()), (row) => row.tags.map(pathNameOf)],
  reputation: [z.literal(0), () => 0 as const],
  other_attributes: [z.array(z.never()), () => []],
  lastupdatedtimestamp: [
    z.int().describe("Unix seconds of the file's last change"),
    (row) => row.changedAt,
  ],
});

/** Source: docs/wire.md, "Labels". */
export const getaddresstag = defineAction({
  summary: "The operator's own names of addresses (LABELS_FILE)",
  dialect: "etherscan",
  params: z.object({
    address: addresses(ADDRESS, 1, MAXIMUM_ADDRESSES).describe(
      `Address, or up to ${MAXIMUM_ADDRESSES} separated by commas`,
    ),
  }),
  result: z.array(tagged.schema),
  empty: NO_RECORDS,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  servedWhileLoading: true,
  async handle({ labels }, { address }) {
    const { find, changedAt } = labels();
    return ok(
      address.flatMap((each) => {
        const label = find(each);
        return label ? tagged.present({ ...label, at: each, changedAt }) : [];
      }),
    );
  },
});
