import type { Program } from "./attack.ts";

/** Yul that constructs a contract by the first statements, and answers calls by the others. */
export function yulShop({
  construction = "",
  runtime,
}: {
  construction?: string;
  runtime: string;
}): Program {
  const source = `object "Shop" {
    code {
        datacopy(0, dataoffset("Runtime"), datasize("Runtime"))
        ${construction}
        return(0, datasize("Runtime"))
    }
    object "Runtime" {
        code {
            ${runtime}
            return(0, 32)
        }
    }
}`;
  return { language: "Yul", sources: { "Shop.yul": source }, contract: "Shop.yul:Shop" };
}

/** An instruction of the author's own: PUSH1 pushes the PUSH of what the compiler writes next, so that the value is run; PUSH0 does not. */
export function verbatim(author: "PUSH1" | "PUSH0"): string {
  return `let x := verbatim_0i_1o(hex"${author === "PUSH1" ? "60" : "5f"}")`;
}
