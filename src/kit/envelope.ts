import { z } from "zod";

/** The used fields of an explorer's envelope. */
export const envelope = z.object({
  status: z.unknown().optional(),
  message: z.string().catch(""),
  result: z.unknown().optional(),
});

/** Returns an answer's text: Etherscan's dialect has it in `result`, as has a status without failure. */
export function textOf({ message, result }: z.output<typeof envelope>): string {
  return /^(?:NOT)?OK$/.test(message) ? String(result) : message;
}
