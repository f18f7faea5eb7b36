import { defineTokenTransferList } from "./token-transfers.ts";

export const token1155tx = defineTokenTransferList("token1155tx", 1155);
