import { z } from "zod";
import type { Dialect } from "../envelope.ts";
import type { BalancedAccount } from "../from-node/accounts.ts";
import * as wire from "../wire.ts";

const account = z.object({ account: wire.address, balance: wire.decimal });

/** The balance of one of several accounts. */
export const accountRecord = {
  blockscout: account.extend({ stale: z.boolean() }).meta({ id: "BlockscoutAccount" }),
  etherscan: account.meta({ id: "EtherscanAccount" }),
};

/** Presents an account; a balance is never stale here. */
export function presentAccount({ address, balance }: BalancedAccount, dialect: Dialect) {
  return { account: address, balance, ...(dialect === "blockscout" && { stale: false }) };
}
