import { inOneForm } from "../../core/evm/authorization.ts";
import { isNothing } from "../../core/json/record.ts";
import type { FetchedBlock, RawAuthorization, RawTransaction } from "../types.ts";
import { withOddity } from "./oddity.ts";

/**
 * Fills in fields that types of other chains lack: a transaction with `calls` in place of `to`, `value` and `input` (Tempo's
 * 0x76, 0x06 of EIP-8141, 0x79 of EIP-8130), and `data` where `input` has that name. Their own fields stay. Authorizations
 * (EIP-7702) come in one spelling.
 */
export function completeTransactions(fetched: FetchedBlock): FetchedBlock {
  const { transactions } = fetched.block;
  if (!transactions.some((one) => lacksFields(one) || Array.isArray(one.authorizationList))) {
    return fetched;
  }
  const completed = {
    ...fetched,
    block: { ...fetched.block, transactions: transactions.map(complete) },
  };
  const isOdd = transactions.some((one) => !(Number(one.type) > LAST_TYPE) && lacksFields(one));
  return isOdd ? withOddity(completed, { kind: "odd-field", reason: LACKS_FIELDS }) : completed;
}

/** The newest type of the specification: those up to it have all fields. */
const LAST_TYPE = 4;
const LACKS_FIELDS = "a transaction has no input, value, nonce or gas";

function lacksFields({ input, value, nonce, gas }: RawTransaction): boolean {
  return isNothing(input) || isNothing(value) || isNothing(nonce) || isNothing(gas);
}

function complete(transaction: RawTransaction & { data?: unknown }): RawTransaction {
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
