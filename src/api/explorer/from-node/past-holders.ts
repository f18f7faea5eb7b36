import type { Address } from "../../../core/evm/address.ts";
import type { Queryable } from "../../../db/client.ts";
import type { Holder } from "../../../store/state/token-balances/holdings.ts";
import {
  countPastTransfers,
  listPastHolders,
} from "../../../store/state/token-balances/past-holders.ts";
import { getToken } from "../../../store/state/tokens/token.ts";
import type { Context } from "../action.ts";
import { type Failure, failed, type Outcome, ok } from "../envelope.ts";
import { atBlock, type PastBlock } from "./history.ts";

/** Most transfers that one answer sums. */
const MOST_TRANSFERS = 200_000;
/** Most balances that one answer compares with the contract. */
const MOST_BALANCES = 2_000;
const TOO_MANY = "The token has too many transfers to add up its holders at a block";
const TOO_LONG = "Too many balances to compare with the contract, please use smaller pages";
const EARLIER = "The transfers before the first indexed block are not known";
const OTHERWISE = "The contract's balances at this block are not the sums of its transfers";
const TOTAL_SUPPLY = "0x18160ddd";

type Found = Awaited<ReturnType<typeof listPastHolders>> & { isCounted: boolean };

/**
 * Returns a page of a token's holders after a block, by amount and address, descending: the sums of its transfers, where the contract
 * reports the same at that block, and for ERC-20 the same supply.
 */
export function readPastHolders(
  context: Context,
  token: Address,
  blockNumber: number,
): Promise<Outcome<Holder[]>> {
  const read = async (sql: Queryable): Promise<Found | Failure> => {
    const standard = (await getToken(sql, token))?.standard;
    if (standard === undefined) return { holders: [], total: "0", isCounted: false };
    const counted = await countPastTransfers(sql, token, blockNumber, MOST_TRANSFERS + 1);
    if (counted.lacksEarlier) return failed("state-unavailable", EARLIER);
    if (counted.transfers > MOST_TRANSFERS) return failed("too-large", TOO_MANY);
    const list = { token, standard, block: blockNumber };
    return {
      ...(await listPastHolders(sql, list, context.page)),
      isCounted: standard === 20 && counted.transfers > 0,
    };
  };
  return atBlock(context, blockNumber, read, (block, found) =>
    compare(context, token, block, found),
  );
}

async function compare(
  { chain }: Context,
  token: Address,
  block: PastBlock,
  { holders, total, isCounted }: Found,
): Promise<Outcome<Holder[]>> {
  // Compares the whole balance, or that of each id.
  const balances = holders.flatMap(({ owner, amount, byId }) =>
    (byId?.split(",") ?? [`:${amount}`]).map((pair) => {
      const [id = "", held = "0"] = pair.split(":");
      return { owner, id: id === "" ? undefined : BigInt(id), amount: BigInt(held) };
    }),
  );
  if (balances.length > MOST_BALANCES) return failed("too-large", TOO_LONG);
  const queries = balances.map(({ owner, id }) => ({
    token,
    owner,
    ...(id !== undefined && { id }),
  }));
  const [amounts, [supply]] = await Promise.all([
    queries.length > 0 ? chain.fetchTokenBalances(queries, block) : [],
    isCounted ? chain.fetchCalls([{ to: token, data: TOTAL_SUPPLY }], block) : [],
  ]);
  const isSupply = typeof supply === "string" && /^0x[0-9a-f]{64}$/.test(supply);
  const isSame =
    balances.every(({ amount }, index) => amounts[index] === amount) &&
    (!isSupply || holders.length === 0 || BigInt(supply) === BigInt(total));
  return isSame ? ok(holders) : failed("unsupported", OTHERWISE);
}
