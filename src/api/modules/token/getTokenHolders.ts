import { defineHolderList } from "./holder-list.ts";

export const getTokenHolders = defineHolderList({
  name: "getTokenHolders",
  summary: "Holders of a token, the largest first",
  rows: 10,
  fields: ["address", "value"],
});
