import { z } from "zod";

/** What is read of an explorer's envelope. */
export const envelope = z.object({
  status: z.unknown().optional(),
  message: z.string().catch(""),
  result: z.unknown().optional(),
});

/** What an answer says in words: Etherscan's dialect has them in `result`, and so has a status that is no failure. */
export function textOf({ message, result }: z.output<typeof envelope>): string {
  return /^(?:NOT)?OK$/.test(message) ? String(result) : message;
}
