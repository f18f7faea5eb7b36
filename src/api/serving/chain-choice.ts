import { RequestError } from "../../core/errors.ts";
import { type InputValue, lookUp, type ParsedRequest } from "../http/input/form.ts";
import type { ServedChain } from "./served-chain.ts";

/** `chainId` throws `RequestError` until it is known. */
type Identified = Pick<ServedChain, "chainId">;

/** Etherscan's spelling, and the one that Blockscout documents for the same path. */
const NAMES = ["chainid", "chain_id"];
const WRONG_CHAIN =
  "Missing or unsupported chainid parameter (required for v2 api), please see chainlist for the list of supported chainids";

/**
 * The chain that a request in Etherscan's dialect names. Without an id it is the only chain; with several chains the id
 * is required. An empty id counts as absent: one client sends the name without a value. Ids that differ are refused. Throws
 * `RequestError`. Source: docs/wire.md, "Chains".
 */
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

/** The chain with the id. If none matches and a chain does not know its id yet, throws that chain's error. */
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
