import { describesItself, standardOf } from "../../../chain/state/token-standard.ts";
import type { Address } from "../../../core/evm/address.ts";
import { getToken, type Token } from "../../../store/state/tokens/token.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import type { Context } from "../action.ts";
import { answered } from "./accounts.ts";

/** Returns a token as its contract describes itself at the head, else as stored; undefined if not indexed. Throws `ChainError`. */
export async function readToken(
  { read, chain }: Context,
  address: Address,
): Promise<Token | undefined> {
  const found = await read(async (sql, served) => {
    const token = await getToken(sql, address);
    return token && { token, head: await served };
  }, "one statement");
  if (!found) return undefined;
  return describeToken(chain, found.token, found.head);
}

/** Returns a token as its contract describes itself at the head, else as stored. Throws `ChainError`. */
export async function describeToken(chain: Context["chain"], token: Token, head: ServedHead) {
  if (token.supplyBlock === head.number && token.metadataBlock === head.number) return token;
  const [[supply], [metadata]] = await Promise.all([
    chain.fetchTotalSupplies([token.address], head),
    chain.fetchTokenMetadata([token.address], head),
  ]);
  const reported = answered(metadata);
  const totalSupply = answered(supply)?.toString() ?? null;
  const { name, symbol, decimals } = describesItself(reported) ? reported : token;
  const standard = standardOf(token.standard, reported);
  return { ...token, name, symbol, decimals, totalSupply, standard, cataloged: true };
}
