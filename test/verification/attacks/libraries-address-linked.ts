import { FROM_STORAGE, linkedMaker } from "./linked-maker.ts";

export default linkedMaker({
  title: "the address of a library that the settings linked is code, and can be jumped into",
  body: FROM_STORAGE,
  isLinked: true,
});
