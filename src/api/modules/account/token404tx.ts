import { defineTokenTransferList } from "./token-transfers.ts";

export const token404tx = defineTokenTransferList("token404tx", 404);
