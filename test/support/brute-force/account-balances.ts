import type { Address } from "viem";
import { amountOf } from "../oracle/holdings.ts";
import type { Oracle } from "../oracle/oracle.ts";
import {
  addressOf,
  type Dialect,
  pageOf,
  paging,
  tokenAndOwner,
  WINDOW_TEXT,
} from "./parameters.ts";
import { displayName, standardName } from "./token.ts";
import { type Answerer, fail, list, succeed, type WireAnswer } from "./wire.ts";

const MOST_ADDRESSES = 20;

function balanceOf(oracle: Oracle, address: Address): string {
  return String(oracle.addresses.get(address)?.balance ?? oracle.endowments.get(address) ?? 0n);
}

/** The distinct addresses of a comma-separated list, in its order; undefined when one is malformed. */
function addressList(text: string): Address[] | undefined {
  const items = text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
    .slice(0, MOST_ADDRESSES);
  const addresses = items.map(addressOf);
  return addresses.length > 0 && addresses.every((address) => address !== undefined)
    ? [...new Set(addresses)]
    : undefined;
}

function several(oracle: Oracle, dialect: Dialect, addresses: readonly Address[]): WireAnswer {
  return succeed(
    addresses.map((account) => ({
      account,
      balance: balanceOf(oracle, account),
      ...(dialect === "blockscout" && { stale: false }),
    })),
  );
}

function balances(alwaysList: boolean): Answerer {
  return ({ oracle, dialect, parameters }) => {
    const text = parameters.get("address");
    if (text === undefined) return fail(dialect, "Query parameter 'address' is required");
    const addresses = addressList(text);
    if (!addresses) return fail(dialect, "Invalid address hash");
    const [only] = addresses;
    return only && addresses.length === 1 && !alwaysList
      ? succeed(balanceOf(oracle, only))
      : several(oracle, dialect, addresses);
  };
}

/** Coin balance of one address, or of several as `balancemulti` has them. */
export const balance = balances(false);

/** Coin balances of several addresses. */
export const balancemulti = balances(true);

/** Coin balance at the head as a JSON-RPC quantity; addresses that were never seen have none. */
export const ethGetBalance: Answerer = ({ oracle, parameters }) => {
  const answer = (httpStatus: number, outcome: object): WireAnswer => ({
    httpStatus,
    body: { jsonrpc: "2.0", ...outcome, id: 0 },
  });
  const text = parameters.get("address");
  if (text === undefined) return answer(400, { error: "Query parameter 'address' is required" });
  if (!["latest", "pending", undefined].includes(parameters.get("block"))) {
    return answer(400, { error: "Invalid block" });
  }
  const address = addressOf(text);
  if (!address) return answer(400, { error: "Invalid address hash" });
  const known = oracle.addresses.get(address);
  return known
    ? answer(200, { result: `0x${known.balance.toString(16)}` })
    : answer(404, { error: "Balance not found" });
};

/** Every address by the block that named it first. */
export const listaccounts: Answerer = ({ oracle, dialect, parameters }) => {
  const page = paging(parameters, { offset: 10 });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const accounts = [...oracle.addresses]
    .sort(([left, { firstBlock: leftBlock }], [right, { firstBlock: rightBlock }]) =>
      leftBlock === rightBlock ? (left < right ? -1 : 1) : leftBlock - rightBlock,
    )
    .map(([address, known]) => ({
      address,
      balance: String(known.balance),
      ...(dialect === "blockscout" && { stale: false }),
    }));
  const empty = "No records found";
  return list(dialect, pageOf(accounts, page), { blockscout: empty, etherscan: empty });
};

/** The holding of one owner in one token. */
export const tokenbalance: Answerer = ({ oracle, dialect, parameters }) => {
  const named = tokenAndOwner(parameters);
  if (typeof named === "string") return fail(dialect, named);
  const { token, owner } = named;
  const holding = oracle.holdings.find((known) => known.token === token && known.owner === owner);
  if (holding && typeof holding.balance !== "bigint") {
    return fail(dialect, "The contract does not tell what was held");
  }
  return succeed(String(holding ? amountOf(holding) : 0n));
};

function compareIds(left: bigint | null, right: bigint | null): number {
  if (left === right) return 0;
  return (left ?? 0n) < (right ?? 0n) ? -1 : 1;
}

/** Every token that one owner holds; multi-tokens id by id. */
export const tokenlist: Answerer = ({ oracle, dialect, parameters }) => {
  const text = parameters.get("address");
  if (text === undefined) return fail(dialect, "Query parameter address is required");
  const owner = addressOf(text);
  if (!owner) return fail(dialect, "Invalid address format");
  const page = paging(parameters, { offset: 10_000, window: false });
  if (page === "too large") throw new Error("tokenlist has no window");
  const unknown = dialect === "blockscout" ? null : "";
  const isMulti = (token: Address): boolean => oracle.tokens.get(token)?.standard === 1155;
  const held = [
    ...oracle.holdings.filter(({ token }) => !isMulti(token)),
    ...oracle.idHoldings.filter(({ token }) => isMulti(token)),
  ]
    .filter((holding) => holding.owner === owner && amountOf(holding) > 0n)
    .sort((left, right) =>
      left.token === right.token
        ? compareIds(left.id, right.id)
        : left.token < right.token
          ? -1
          : 1,
    )
    .flatMap((holding) => {
      const token = oracle.tokens.get(holding.token);
      if (!token) return [];
      return {
        balance: String(amountOf(holding)),
        contractAddress: holding.token,
        name: displayName(token.name) ?? unknown,
        decimals: String(token.decimals ?? ""),
        symbol: displayName(token.symbol) ?? unknown,
        type: standardName(token),
        ...(holding.id !== null && { id: String(holding.id) }),
      };
    });
  return list(dialect, pageOf(held, page), {
    blockscout: "No tokens found",
    etherscan: "No records found",
  });
};

/** Blocks whose fees went to an address, the newest first. */
export const getminedblocks: Answerer = ({ oracle, dialect, parameters }) => {
  const text = parameters.get("address");
  if (text === undefined) return fail(dialect, "Query parameter 'address' is required");
  const miner = addressOf(text);
  if (!miner) return fail(dialect, "Invalid address format");
  const page = paging(parameters, { offset: 10_000, window: false });
  if (page === "too large") throw new Error("getminedblocks has no window");
  const wantsUncles = dialect === "etherscan" && parameters.get("blocktype") === "uncles";
  // Without a static reward an uncle has no reward.
  const produced = wantsUncles
    ? oracle.blocks
        .flatMap(({ uncles }) => uncles.map((uncle) => ({ ...uncle, reward: 0n })))
        .sort((left, right) => left.number - right.number)
    : oracle.blocks;
  const mined = produced
    .filter((block) => block.miner === miner)
    .reverse()
    .map((block) => ({
      blockNumber: String(block.number),
      timeStamp: String(block.timestamp),
      ...(dialect === "etherscan" && { blockReward: String(block.reward) }),
    }));
  return list(dialect, pageOf(mined, page), {
    blockscout: "No blocks found",
    etherscan: "No transactions found",
  });
};
