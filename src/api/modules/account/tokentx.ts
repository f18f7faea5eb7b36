import { defineTokenTransferList } from "./token-transfers.ts";

export const tokentx = defineTokenTransferList("tokentx", 20);
