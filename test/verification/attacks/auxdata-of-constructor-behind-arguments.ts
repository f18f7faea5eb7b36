import { codeInHashOfConstructor } from "./constructor-hash.ts";

export default codeInHashOfConstructor(
  "a constructor runs the metadata of a contract that it makes, and one byte too many follows its arguments",
  "00",
);
