import { RequestError } from "../../core/errors.ts";
import { type InputValue, lookUp, type ParsedRequest } from "../http/input/form.ts";
import type { ServedChain } from "./served-chain.ts";

/** `chainId` throws `RequestError` until it is known. */
type Identified = Pick<ServedChain, "chainId">;

/** Etherscan's spelling, and the one in Blockscout's documentation of the same path. */
const NAMES = ["chainid", "chain_id"];
const WRONG_CHAIN =
  "Missing or unsupported chainid parameter (required for v2 api), please see chainlist for the list of supported chainids";

/** Returns the chain that a request names; required with several. Throws `RequestError`. Source: docs/wire.md, "Chains". */
export function chooseChain<Chain extends Identified>(
  chains: readonly Chain[],
  { query, body }: Pick<ParsedRequest, "query" | "body">,
): Chain {
  const [id, ...more] = [query, body].flatMap((part) => {
    const filled = new Map([...part].filter(([, value]) => value !== ""));
    return NAMES.map((name) => lookUp(filled, name)).filter((sent) => sent !== undefined);
  });
  const [first, ...others] = chains;
  if (first && id === undefined && others.length === 0) return first;
  const isOne = id !== undefined && more.every((other) => other === id);
  const chosen = isOne ? findChain(chains, id) : undefined;
  if (!chosen) throw new RequestError(200, "wrong-chain", WRONG_CHAIN);
  return chosen;
}

/** Finds the chain with the id. Without a match throws the error of a chain whose id is unknown, if any. */
function findChain<Chain extends Identified>(
  chains: readonly Chain[],
  id: InputValue,
): Chain | undefined {
  let unknown: unknown;
  for (const chain of chains) {
    try {
      if (String(chain.chainId()) === id) return chain;
    } catch (error) {
      unknown ??= error;
    }
  }
  if (unknown !== undefined) throw unknown;
  return undefined;
}
