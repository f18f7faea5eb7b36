import { amountOf } from "../oracle/holdings.ts";
import {
  addressOf,
  blockFilter,
  isAscending,
  pageOf,
  paging,
  tokenAndOwner,
  WINDOW_TEXT,
} from "./parameters.ts";
import { displayName } from "./token.ts";
import { type Answerer, fail, list } from "./wire.ts";

const EMPTY = { blockscout: "No records found", etherscan: "No records found" } as const;

/** An address's holdings of the tokens of a standard, by the address of the token. */
function heldTokens(standard: 20 | 721): Answerer {
  return ({ oracle, dialect, parameters }) => {
    const page = paging(parameters, { offset: 100 });
    if (page === "too large") return fail(dialect, WINDOW_TEXT);
    const text = parameters.get("address");
    if (text === undefined) return fail(dialect, "Query parameter 'address' is required");
    const owner = addressOf(text);
    if (!owner) return fail(dialect, "Invalid address format");
    const held = oracle.holdings
      .filter((holding) => holding.owner === owner && amountOf(holding) > 0n)
      .sort((left, right) => (left.token < right.token ? -1 : 1))
      .flatMap((holding) => {
        const token = oracle.tokens.get(holding.token);
        if (token?.standard !== standard) return [];
        return {
          TokenAddress: token.address,
          TokenName: displayName(token.name) ?? "",
          TokenSymbol: displayName(token.symbol) ?? "",
          TokenQuantity: String(amountOf(holding)),
          ...(standard === 20 && {
            TokenDivisor: String(token.decimals ?? ""),
            TokenPriceUSD: "0.000000000000000000",
          }),
        };
      });
    return list(dialect, pageOf(held, page), EMPTY);
  };
}

export const addresstokenbalance = heldTokens(20);
export const addresstokennftbalance = heldTokens(721);

/** Ids that an address owns of an ERC-721 token. */
export const addresstokennftinventory: Answerer = ({ oracle, dialect, parameters }) => {
  const page = paging(parameters, { offset: 100, maximum: 1000 });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const named = tokenAndOwner(parameters);
  if (typeof named === "string") return fail(dialect, named);
  const { token, owner } = named;
  const owned = /^0x0{40}$/.test(owner)
    ? []
    : oracle.nftOwners.filter((known) => known.token === token && known.owner === owner);
  const ids = owned
    .map(({ id }) => id)
    .sort((left, right) => (left < right ? -1 : 1))
    .map((id) => ({ TokenAddress: token, TokenId: String(id) }));
  return list(dialect, pageOf(ids, page), EMPTY);
};

/** Withdrawals from the consensus layer to an address. */
export const txsBeaconWithdrawal: Answerer = ({ oracle, dialect, parameters }) => {
  const page = paging(parameters, { offset: 10_000 });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const text = parameters.get("address");
  if (text === undefined) return fail(dialect, "Query parameter 'address' is required");
  const receiver = addressOf(text);
  if (!receiver) return fail(dialect, "Invalid address format");
  const inBlocks = blockFilter(parameters);
  const rows = oracle.blocks
    .filter(({ number }) => inBlocks(number))
    .flatMap(({ number, timestamp, withdrawals }) =>
      withdrawals
        .filter(({ address }) => address === receiver)
        .map(({ index, validatorIndex, address, amount }) => ({
          withdrawalIndex: String(index),
          validatorIndex: String(validatorIndex),
          address,
          amount: String(amount),
          blockNumber: String(number),
          timestamp: String(timestamp),
        })),
    );
  if (!isAscending(parameters, dialect)) rows.reverse();
  return list(dialect, pageOf(rows, page), {
    blockscout: "No records found",
    etherscan: "No transactions found",
  });
};
