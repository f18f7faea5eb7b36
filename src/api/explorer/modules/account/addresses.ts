import { type Address, isAddress, lowerAddress } from "../../../../core/evm/address.ts";
import { listItems, text } from "../../params.ts";
import { ADDRESS_HASH } from "./list.ts";

const MAXIMUM_ADDRESSES = 20;

/** One address or several separated by commas, each once; ignores those after the first 20, as in the reference. */
export const addresses = text(ADDRESS_HASH)
  .transform((list) => listItems(list).slice(0, MAXIMUM_ADDRESSES))
  .refine((items) => items.length > 0 && items.every(isAddress), ADDRESS_HASH.invalid)
  .transform((items): Address[] => [...new Set(items.map(lowerAddress))])
  .describe("Address, or up to 20 separated by commas");
