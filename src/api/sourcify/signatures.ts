import { PageTooLarge } from "../../store/lists/large-pages.ts";
import { hashSignatures, readAbi } from "../abi/abi.ts";

/** Most characters of an ABI, the limit of new ones. */
const MAXIMUM_ABI = 2_000_000;

/** Presents the signatures of an ABI by kind, with their hashes. Throws `PageTooLarge`. */
export async function presentSignatures(abi: string) {
  if (abi.length > MAXIMUM_ABI) throw new PageTooLarge();
  const signatures = { function: [] as object[], event: [] as object[], error: [] as object[] };
  for await (const { kind, signature, hash } of hashSignatures(readAbi(abi))) {
    signatures[kind].push({ signature, signatureHash32: hash, signatureHash4: hash.slice(0, 10) });
  }
  return signatures;
}
