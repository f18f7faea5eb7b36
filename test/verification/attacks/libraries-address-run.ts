import { FROM_STORAGE, linkedMaker } from "./linked-maker.ts";

export default linkedMaker({
  title: "the address of a library is code, which stands among data and can be jumped into",
  body: FROM_STORAGE,
});
