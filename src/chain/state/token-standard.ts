import type { TokenMetadata } from "../questions.ts";

type TokenStandard = 20 | 404 | 721 | 1155;

/** Returns the standard that the contract claims, else that of its events. Some Vyper ERC-20s have a `balanceOf` with an id. */
export function standardOf(
  shape: TokenStandard,
  { claimed, byOwner, byId, decimals }: TokenMetadata,
): TokenStandard {
  if (claimed === 1155 && byId) return 1155;
  if (byId && (!byOwner || shape === 1155)) return 1155;
  // Some answer of known ids or accounts only.
  if (!byOwner) return claimed ?? shape;
  if (shape === 404) return 404;
  if (claimed === 721) return 721;
  // Without ERC-165, the lack of decimals marks a collection.
  if (decimals) return 20;
  if (decimals === null) return shape === 1155 ? 721 : shape;
  return shape === 1155 ? 20 : shape;
}

/** Returns whether a contract describes itself at all. */
export function describesItself(metadata: TokenMetadata): boolean {
  const { name, symbol, decimals, claimed, byOwner, byId } = metadata;
  return byOwner || byId || [name, symbol, decimals, claimed].some((fact) => fact !== null);
}
