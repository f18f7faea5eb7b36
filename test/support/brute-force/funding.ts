import type { Address } from "viem";
import type { Oracle } from "../oracle/oracle.ts";
import { addressOf } from "./parameters.ts";
import { type Answerer, fail, list, succeed } from "./wire.ts";

/** EIP-7702: the delegation in place of code. */
const DELEGATION = "0xef0100";

/** Returns whether there is a contract at the address, also one that no transaction created. */
export function isContract({ addresses }: Oracle, address: Address): boolean {
  const code = addresses.get(address)?.code ?? "0x";
  return code !== "0x" && !code.startsWith(DELEGATION);
}

/** The first coins that another account gave. */
export const fundedby: Answerer = ({ oracle, dialect, parameters }) => {
  const text = parameters.get("address");
  if (text === undefined) return fail(dialect, "Query parameter 'address' is required");
  const address = addressOf(text);
  if (!address) return fail(dialect, "Invalid address format");
  const gifts = [
    ...oracle.transactions
      .filter(({ succeeded }) => succeeded !== false)
      .map((entry) => ({ ...entry, position: -1 })),
    ...(oracle.internalTransactions ?? []).filter(
      ({ effective, callType }) => effective && (callType === null || callType === "call"),
    ),
  ].filter(({ from, to, value }) => to === address && from !== address && value > 0n);
  const [first] = gifts.sort(
    (left, right) =>
      left.blockNumber - right.blockNumber ||
      left.transactionIndex - right.transactionIndex ||
      left.position - right.position,
  );
  const wasCreated = oracle.creations.some((creation) => creation.address === address);
  if (!first || wasCreated || isContract(oracle, address)) {
    return list(dialect, [], { blockscout: "No records found", etherscan: "No records found" });
  }
  const { blockNumber, transactionIndex, from, value } = first;
  const transaction = oracle.transactions.find(
    (known) => known.blockNumber === blockNumber && known.transactionIndex === transactionIndex,
  );
  return succeed({
    block: blockNumber,
    timeStamp: String(oracle.blocks.find(({ number }) => number === blockNumber)?.timestamp),
    fundingAddress: from,
    fundingTxn: transaction?.hash,
    value: String(value),
  });
};
