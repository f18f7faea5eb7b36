import { inOneForm } from "../../core/evm/authorization.ts";
import type { FetchedBlock, RawAuthorization, RawTransaction } from "../types.ts";

/**
 * Fills in fields that types of other chains lack: a transaction with `calls` in place of `to`, `value` and `input` (Tempo's
 * 0x76, 0x06 of EIP-8141, 0x79 of EIP-8130), and `data` where `input` has that name. Their own fields stay. Authorizations
 * (EIP-7702) come in one spelling.
 */
export function completeTransactions(fetched: FetchedBlock): FetchedBlock {
  const { transactions } = fetched.block;
  if (transactions.every(isComplete)) return fetched;
  return {
    ...fetched,
    block: { ...fetched.block, transactions: transactions.map(completed) },
  };
}

/** The newest type of the specification: those up to it have all fields. */
const LAST_TYPE = 4;

function isComplete({
  type,
  input,
  value,
  nonce,
  gas,
  authorizationList,
}: RawTransaction): boolean {
  return (
    !Array.isArray(authorizationList) &&
    (!(Number(type) > LAST_TYPE) ||
      [input, value, nonce, gas].every((field) => typeof field === "string"))
  );
}

function completed(transaction: RawTransaction & { data?: unknown }): RawTransaction {
  if (isComplete(transaction)) return transaction;
  const { data, authorizationList } = transaction;
  return {
    ...transaction,
    ...(Array.isArray(authorizationList) && {
      authorizationList: inOneForm(authorizationList) as RawAuthorization[],
    }),
    input: transaction.input ?? (typeof data === "string" ? (data as `0x${string}`) : "0x"),
    value: transaction.value ?? "0x0",
    nonce: transaction.nonce ?? "0x0",
    gas: transaction.gas ?? "0x0",
  };
}
