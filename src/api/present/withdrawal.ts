import { z } from "zod";
import type { Withdrawal } from "../../store/withdrawals.ts";
import * as wire from "../wire.ts";

export const withdrawalRecord = z.object({
  withdrawalIndex: wire.decimal,
  validatorIndex: wire.decimal,
  address: wire.address,
  amount: wire.decimal.describe("In Gwei"),
});

/** The record of a withdrawal. */
export function presentWithdrawal(withdrawal: Withdrawal): z.output<typeof withdrawalRecord> {
  return {
    withdrawalIndex: String(withdrawal.withdrawalIndex),
    validatorIndex: String(withdrawal.validatorIndex),
    address: withdrawal.address,
    amount: withdrawal.amountGwei,
  };
}
