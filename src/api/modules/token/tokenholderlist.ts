import { windowCheck } from "../../params.ts";
import { defineHolderList } from "./holder-list.ts";

export const tokenholderlist = defineHolderList({
  name: "tokenholderlist",
  summary: "Holders of a token in Etherscan's form, the largest first",
  rows: 100,
  fields: ["TokenHolderAddress", "TokenHolderQuantity"],
  check: windowCheck(),
});
