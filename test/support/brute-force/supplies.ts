import { formatUnits, zeroAddress } from "viem";
import { DEPOSIT_TYPE } from "../oracle/decode.ts";
import type { Oracle } from "../oracle/oracle.ts";
import { addressOf } from "./parameters.ts";
import { type Answerer, fail, succeed } from "./wire.ts";

const WEI_PER_GWEI = 10n ** 9n;

function coinSupply({ addresses }: Oracle): bigint {
  return [...addresses.values()].reduce((total, { balance }) => total + balance, 0n);
}

/** Sum of all coin balances in wei. */
export const ethsupply: Answerer = ({ oracle }) => succeed(String(coinSupply(oracle)));

/** The same with what was burnt and withdrawn. */
export const ethsupply2: Answerer = ({ oracle }) => {
  const baseFees = new Map(oracle.blocks.map((block) => [block.number, block.baseFeePerGas ?? 0n]));
  const burnt = oracle.transactions
    .filter(({ type }) => type !== DEPOSIT_TYPE)
    .map(({ blockNumber, gasUsed }) => (baseFees.get(blockNumber) ?? 0n) * gasUsed);
  const withdrawn = oracle.blocks.flatMap(({ withdrawals }) =>
    withdrawals.map(({ amount }) => amount * WEI_PER_GWEI),
  );
  const total = (values: readonly bigint[]) =>
    String(values.reduce((sum, value) => sum + value, 0n));
  return succeed({
    EthSupply: String(coinSupply(oracle)),
    Eth2Staking: "0",
    BurntFees: total(burnt),
    WithdrawnTotal: total(withdrawn),
  });
};

/** Sum of all coin balances but that of the zero address, in coins. */
export const coinsupply: Answerer = ({ oracle }) => {
  const zero = oracle.addresses.get(zeroAddress)?.balance ?? 0n;
  return succeed(formatUnits(coinSupply(oracle) - zero, 18));
};

/** Aggregators on chain have no supply. */
export const ethsupplyexchange: Answerer = () => succeed("0");

/** Total supply of a token. */
export const tokensupply: Answerer = ({ oracle, dialect, parameters }) => {
  const text = parameters.get("contractaddress");
  if (text === undefined) return fail(dialect, "Query parameter contract address is required");
  const address = addressOf(text);
  if (!address) return fail(dialect, "Invalid contract address format");
  const token = oracle.tokens.get(address);
  if (!token) return fail(dialect, "Contract address not found");
  return succeed(token.totalSupply === null ? null : String(token.totalSupply));
};
