import type { Address } from "viem";
import { displayText } from "../compare/token-text.ts";
import type { OracleHolding } from "../oracle/holdings.ts";
import type { OracleToken } from "../oracle/oracle.ts";
import { addressOf, pageOf, paging } from "./parameters.ts";
import { type Answerer, fail, list, succeed } from "./wire.ts";

/** A token's name or symbol as it is shown; undefined when the contract tells none. */
export function displayName(bytes: Buffer | null | undefined): string | undefined {
  return bytes ? displayText(bytes) : undefined;
}

/** The name of a standard on the wire. */
export function standardName(token: OracleToken): string {
  return `ERC-${token.standard}`;
}

/** What is held: the contract's word, or, where it gives none, the sum of the transfers. */
export function amountOf({ balance, sum }: OracleHolding): bigint {
  return balance ?? sum;
}

/** The contract address that is asked about, or the text of what is wrong with it. */
function tokenAddress(text: string | undefined): Address | { error: string } {
  if (text === undefined) return { error: "Query parameter contract address is required" };
  return addressOf(text) ?? { error: "Invalid contract address hash" };
}

/** What a token tells of itself. */
export const getToken: Answerer = ({ oracle, dialect, parameters }) => {
  const address = tokenAddress(parameters.get("contractaddress"));
  if (typeof address === "object") return fail(dialect, address.error);
  const token = oracle.tokens.get(address);
  if (!token) return fail(dialect, "Contract address not found");
  return succeed({
    cataloged: true,
    contractAddress: address,
    decimals: String(token.decimals ?? ""),
    name: displayName(token.name) ?? "",
    symbol: displayName(token.symbol) ?? "",
    totalSupply: String(token.totalSupply ?? ""),
    type: standardName(token),
  });
};

/** Owners of a token by what they hold, the richest first. */
export const getTokenHolders: Answerer = ({ oracle, dialect, parameters }) => {
  const address = tokenAddress(parameters.get("contractaddress"));
  if (typeof address === "object") return fail(dialect, address.error);
  const page = paging(parameters, { offset: 10, window: false });
  if (page === "too large") throw new Error("holders have no window");
  const holders = oracle.holdings
    .filter((holding) => holding.token === address && amountOf(holding) > 0n)
    .map((holding) => ({ address: holding.owner, amount: amountOf(holding) }))
    .sort((left, right) => {
      if (left.amount !== right.amount) return left.amount > right.amount ? -1 : 1;
      return left.address > right.address ? -1 : 1;
    })
    .map(({ address: owner, amount }) => ({ address: owner, value: String(amount) }));
  const empty = "No records found";
  return list(dialect, pageOf(holders, page), { blockscout: empty, etherscan: empty });
};
