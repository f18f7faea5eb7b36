import { z } from "zod";
import type { Address } from "../../../core/evm/address.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import { quantityToDecimal } from "../../../core/evm/quantity.ts";
import type { VerifiedAbi } from "../../../store/contracts/verified/abis.ts";
import type { L1FeeOf } from "../../../store/lists/l1-fees.ts";
import type { TransactionLog } from "../../../store/lists/logs.ts";
import {
  MOST_AUTHORIZATIONS,
  type ReadDetails,
  type TransactionDetail,
} from "../../../store/lists/transactions.ts";
import {
  type AbiIndex,
  createDecodingBudget,
  type Decoded,
  decodeCall,
  decoded,
  decodeError,
  decodeLog,
  indexAbi,
} from "../../abi/decoding.ts";
import * as wire from "../wire.ts";
import { topicsOf } from "./log.ts";
import { l1FeesPaid } from "./transaction.ts";

/** Fields that `details` adds to a transaction. */
export const transactionDetails = z
  .object({
    blockHash: wire.hash,
    transactionIndex: wire.decimal,
    type: wire.decimal,
    nonce: wire.decimal,
    contractAddress: wire.addressOrEmpty,
    maxFeePerGas: wire.decimalOrEmpty,
    maxPriorityFeePerGas: wire.decimalOrEmpty,
    baseFeePerGas: wire.decimalOrEmpty,
    txreceipt_status: z.string().regex(/^[01]?$/),
    error: z.string().describe("Why it failed, in the tracer's words"),
    logsCount: wire.decimal,
    traced: z.boolean().describe("Whether internal transactions are indexed"),
    call: decoded.nullable(),
    revert: decoded.nullable(),
    logs: z.array(decoded.nullable()).describe("In the order of `logs`"),
    L1FeesPaid: l1FeesPaid.optional(),
    authorizations: z
      .array(
        z.object({
          authority: wire.addressOrEmpty.describe("The account, recovered from the signature"),
          delegate: wire.address.describe(
            "The contract whose code it runs from now on; 0x00…00 ends that",
          ),
          chainId: wire.decimal.describe("0: any chain"),
          nonce: wire.decimal,
          valid: z
            .boolean()
            .describe(
              "Signature, chain id and size of the nonce allow it; the account's nonce is not compared",
            ),
        }),
      )
      .optional()
      .describe(
        `Of EIP-7702, the first ${MOST_AUTHORIZATIONS}; only where the transaction has some`,
      ),
    chainFields: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        "Fields of transaction and receipt that only some chains have, by the node's names",
      ),
    contracts: z
      .array(z.object({ address: wire.address, name: z.string() }))
      .describe("Verified contracts among the receiver and those that logged"),
  })
  .meta({ id: "TransactionDetails" });

/** Presents a transaction's details; `reason` is its revert data. Within the budget the call comes first, then error and logs. */
export async function presentTransactionDetails(
  { facts, authorizations, abis }: ReadDetails,
  transaction: TransactionDetail,
  logs: readonly TransactionLog[],
  reason: Hex,
  l1FeeOf?: L1FeeOf,
): Promise<z.output<typeof transactionDetails>> {
  const indexed = await indexAbis(abis);
  const budget = createDecodingBudget();
  const ofAddress = (address: Address | null) => (address && indexed.get(address)) ?? [];
  const extra = facts.extra ?? {};
  const receiver = transaction.to ?? facts.createdContract;
  const everyAbi = [...indexed.values()].flat();
  return {
    blockHash: transaction.blockHash,
    transactionIndex: String(transaction.transactionIndex),
    type: String(facts.type),
    nonce: facts.nonce,
    contractAddress: facts.createdContract ?? "",
    maxFeePerGas: facts.maxFeePerGas ?? "",
    maxPriorityFeePerGas: facts.maxPriorityFeePerGas ?? "",
    baseFeePerGas: facts.baseFeePerGas ?? "",
    txreceipt_status: transaction.status === null ? "" : String(transaction.status),
    error: transaction.error ?? "",
    logsCount: String(facts.logs),
    traced: transaction.traced,
    call: decodeCall(ofAddress(transaction.to), transaction.input, budget),
    // An error may come from any contract on the way.
    revert:
      transaction.succeeded === false
        ? decodeError([...ofAddress(receiver), ...everyAbi], reason, budget)
        : null,
    logs: logs.map((log): Decoded | null =>
      decodeLog(ofAddress(log.address), { topics: topicsOf(log), data: log.data }, budget),
    ),
    ...(l1FeeOf && { L1FeesPaid: l1FeeOf(transaction) }),
    ...(authorizations.length > 0 && {
      authorizations: authorizations.map((one) => ({
        authority: one.authority ?? "",
        delegate: one.address,
        chainId: quantityToDecimal(one.chainId),
        nonce: quantityToDecimal(one.nonce),
        valid: one.valid,
      })),
    }),
    ...((extra.transaction || extra.receipt) && {
      chainFields: { ...extra.transaction, ...extra.receipt },
    }),
    contracts: listNames(abis),
  };
}

/** Indexes an ABI only once, even when several addresses share it. */
async function indexAbis(abis: readonly VerifiedAbi[]): Promise<Map<Address, AbiIndex[]>> {
  const known = new Map<string, AbiIndex>();
  const byAddress = new Map<Address, AbiIndex[]>();
  for (const { address, abi } of abis) {
    const index = known.get(abi) ?? (await indexAbi(abi));
    known.set(abi, index);
    byAddress.set(address, [...(byAddress.get(address) ?? []), index]);
  }
  return byAddress;
}

/** Returns names by address. A proxy without a name gets its implementation's, never a library's. */
function listNames(abis: readonly VerifiedAbi[]): { address: Address; name: string }[] {
  const names = new Map<Address, string>();
  for (const { address, contractName, isOfDelegation } of abis) {
    if (!isOfDelegation && !names.has(address)) names.set(address, contractName);
  }
  return [...names].map(([address, name]) => ({ address, name }));
}
