import { z } from "zod";
import { int64ToDecimal } from "../../../core/evm/quantity.ts";
import type { Withdrawal } from "../../../store/blocks/withdrawals.ts";
import * as wire from "../wire.ts";

export const withdrawalRecord = z.object({
  withdrawalIndex: wire.decimal,
  validatorIndex: wire.decimal,
  address: wire.address,
  amount: wire.decimal.describe("In Gwei"),
});

/** Presents a withdrawal. */
export function presentWithdrawal(withdrawal: Withdrawal): z.output<typeof withdrawalRecord> {
  return {
    withdrawalIndex: int64ToDecimal(withdrawal.withdrawalIndex),
    validatorIndex: int64ToDecimal(withdrawal.validatorIndex),
    address: withdrawal.address,
    amount: withdrawal.amountGwei,
  };
}
