import { setImmediate as nextTurn } from "node:timers/promises";
import { keccak256, stringToBytes } from "viem/utils";
import { PageTooLarge } from "../../store/large-pages.ts";

interface Parameter {
  type?: unknown;
  components?: unknown;
}

interface AbiEntry {
  type?: unknown;
  name?: unknown;
  inputs?: unknown;
}

const KINDS = ["function", "event", "error"] as const;
/** Most characters of an ABI; no larger one is accepted any more. Hashing takes 30 ms a megabyte. */
const MAXIMUM_ABI = 2_000_000;
/** Characters that are hashed before other requests get a turn. */
const AT_ONCE = 100_000;

/** Signatures of an ABI by kind, with their hashes. Throws `PageTooLarge`. */
export async function presentSignatures(abi: string) {
  if (abi.length > MAXIMUM_ABI) throw new PageTooLarge();
  const entries = JSON.parse(abi) as AbiEntry[];
  const signatures = Object.fromEntries(KINDS.map((kind) => [kind, [] as object[]]));
  let hashed = 0;
  for (const { type, name, inputs } of entries) {
    const list = KINDS.some((kind) => kind === type) ? signatures[String(type)] : undefined;
    if (list === undefined || typeof name !== "string") continue;
    const signature = `${name}(${typesOf(inputs)})`;
    const hash = keccak256(stringToBytes(signature));
    list.push({ signature, signatureHash32: hash, signatureHash4: hash.slice(0, 10) });
    // Every signature has a fixed cost, however short it is.
    hashed += signature.length + 200;
    if (hashed > AT_ONCE) {
      hashed = 0;
      await nextTurn();
    }
  }
  return signatures;
}

function typesOf(parameters: unknown): string {
  return (Array.isArray(parameters) ? (parameters as Parameter[]) : []).map(typeOf).join(",");
}

/** A struct is the tuple of its members, `tuple[2][]` an array of such. */
function typeOf({ type, components }: Parameter): string {
  const text = String(type);
  return text.startsWith("tuple") ? `(${typesOf(components)})${text.slice("tuple".length)}` : text;
}
