import { defineTokenTransferList } from "./token-transfers.ts";

export const tokennfttx = defineTokenTransferList("tokennfttx", 721);
