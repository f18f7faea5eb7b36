import { FROM_STORAGE, linkedMaker, PAYLOAD } from "./linked-maker.ts";

export default linkedMaker({
  title:
    "the address of a library takes what is behind it for what is pushed, and so makes code of a number",
  body: FROM_STORAGE,
  value: `0x${"11".repeat(26)}${PAYLOAD}000000`,
  code: `${"00".repeat(19)}7f`,
});
