import { codeInHashOfChild } from "./child-hash.ts";

export default codeInHashOfChild("0.4.11");
