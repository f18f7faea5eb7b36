import { type Address, formatUnits } from "viem";
import { displayText } from "../compare/token-text.ts";
import { amountOf } from "../oracle/holdings.ts";
import type { Oracle, OracleToken } from "../oracle/oracle.ts";
import { isContract } from "./funding.ts";
import { addressOf, integer, pageOf, paging, WINDOW_TEXT } from "./parameters.ts";
import { type Answerer, fail, list, succeed } from "./wire.ts";

/** A token's name or symbol as shown; undefined when the contract has none. */
export function displayName(bytes: Buffer | null | undefined): string | undefined {
  return bytes ? displayText(bytes) : undefined;
}

/** The name of a standard on the wire. */
export function standardName(token: OracleToken): string {
  return `ERC-${token.standard}`;
}

/** The contract address that is asked about, or the text of what is wrong with it. */
function tokenAddress(text: string | undefined): Address | { error: string } {
  if (text === undefined) return { error: "Query parameter contract address is required" };
  return addressOf(text) ?? { error: "Invalid contract address hash" };
}

/** A token's description of itself. */
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

/** Holders of a token, the richest first. */
export function holdersOf(oracle: Oracle, token: Address): { address: Address; amount: bigint }[] {
  return oracle.holdings
    .filter((holding) => holding.token === token && amountOf(holding) > 0n)
    .map((holding) => ({ address: holding.owner, amount: amountOf(holding) }))
    .sort((left, right) => {
      if (left.amount !== right.amount) return left.amount > right.amount ? -1 : 1;
      return left.address > right.address ? -1 : 1;
    });
}

/** Owners of a token by what they hold, the richest first. */
export const getTokenHolders: Answerer = ({ oracle, dialect, parameters }) => {
  const address = tokenAddress(parameters.get("contractaddress"));
  if (typeof address === "object") return fail(dialect, address.error);
  const page = paging(parameters, { offset: 10, window: false });
  if (page === "too large") throw new Error("holders have no window");
  const holders = holdersOf(oracle, address).map(({ address: owner, amount }) => ({
    address: owner,
    value: String(amount),
  }));
  const empty = "No records found";
  return list(dialect, pageOf(holders, page), { blockscout: empty, etherscan: empty });
};

const MOST_ROWS = 1000n;

/** The richest owners in whole tokens, and whether they are contracts. */
export const topholders: Answerer = ({ oracle, dialect, parameters }) => {
  const address = tokenAddress(parameters.get("contractaddress"));
  if (typeof address === "object") return fail(dialect, address.error);
  const asked = integer(parameters.get("offset")) ?? 0n;
  const limit = Number(asked > MOST_ROWS ? MOST_ROWS : asked > 0n ? asked : 100n);
  const decimals = oracle.tokens.get(address)?.decimals ?? 0;
  const holders = holdersOf(oracle, address)
    .slice(0, limit)
    .map((holder) => ({
      TokenHolderAddress: holder.address,
      TokenHolderQuantity: formatUnits(holder.amount, decimals),
      TokenHolderAddressType: isContract(oracle, holder.address) ? "C" : "A",
    }));
  const empty = "No records found";
  return list(dialect, holders, { blockscout: empty, etherscan: empty });
};

/** The same owners under Etherscan's names. */
export const tokenholderlist: Answerer = ({ oracle, dialect, parameters }) => {
  const page = paging(parameters, { offset: 100 });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const address = tokenAddress(parameters.get("contractaddress"));
  if (typeof address === "object") return fail(dialect, address.error);
  const holders = holdersOf(oracle, address).map(({ address: owner, amount }) => ({
    TokenHolderAddress: owner,
    TokenHolderQuantity: String(amount),
  }));
  const empty = "No records found";
  return list(dialect, pageOf(holders, page), { blockscout: empty, etherscan: empty });
};

/** Number of owners. */
export const tokenholdercount: Answerer = ({ oracle, dialect, parameters }) => {
  const address = tokenAddress(parameters.get("contractaddress"));
  if (typeof address === "object") return fail(dialect, address.error);
  return succeed(String(holdersOf(oracle, address).length));
};

const UNCOLLECTED = [
  "description",
  "website",
  "email",
  "blog",
  "reddit",
  "slack",
  "facebook",
  "twitter",
  "bitcointalk",
  "github",
  "telegram",
  "wechat",
  "linkedin",
  "discord",
  "whitepaper",
];

/** A token's description of itself, in Etherscan's form. */
export const tokeninfo: Answerer = ({ oracle, dialect, parameters }) => {
  const address = tokenAddress(parameters.get("contractaddress"));
  if (typeof address === "object") return fail(dialect, address.error);
  const token = oracle.tokens.get(address);
  const record = token && {
    contractAddress: address,
    tokenName: displayName(token.name) ?? "",
    symbol: displayName(token.symbol) ?? "",
    divisor: String(token.decimals ?? ""),
    tokenType: `ERC${token.standard}`,
    totalSupply: String(token.totalSupply ?? ""),
    blueCheckmark: "false",
    ...Object.fromEntries(UNCOLLECTED.map((name) => [name, ""])),
    tokenPriceUSD: "0.000000000000000000",
  };
  const empty = "No records found";
  return list(dialect, record ? [record] : [], { blockscout: empty, etherscan: empty });
};
