import { z } from "zod";
import type { TokenStandard, TokenTransferEntry } from "../../../store/lists/token-transfers.ts";
import type { CallName } from "../call-names.ts";
import type { Dialect } from "../envelope.ts";
import * as wire from "../wire.ts";

const before = {
  blockNumber: wire.decimal,
  timeStamp: wire.decimal,
  hash: wire.hash,
  nonce: wire.decimal,
  blockHash: wire.hash,
  from: wire.address,
  contractAddress: wire.address,
  to: wire.address,
};
const behind = {
  tokenName: z.string().nullable(),
  tokenSymbol: z.string().nullable(),
  tokenDecimal: wire.decimalOrEmpty,
  transactionIndex: wire.decimal,
  gas: wire.decimal,
  gasPrice: wire.decimal,
  gasUsed: wire.decimal,
  cumulativeGasUsed: wire.decimal,
  input: wire.data,
  confirmations: wire.decimal,
  methodId: z.string().regex(/^(0x)?([0-9a-f]{8})?$/),
  functionName: z.string(),
};
const amounts: Readonly<Record<TokenStandard, z.ZodRawShape>> = {
  20: { value: wire.decimal },
  404: { tokenID: wire.decimalOrEmpty, value: wire.decimal },
  721: { tokenID: wire.decimal },
  1155: { tokenID: wire.decimal, tokenValue: wire.decimal },
};

/** A token transfer on the wire. Its optional keys depend on standard and dialect. */
export interface TokenTransferRecord extends z.output<z.ZodObject<typeof before & typeof behind>> {
  tokenID?: string;
  value?: string;
  tokenValue?: string;
  logIndex?: string;
}

/** Returns the schema of a transfer of a standard. */
export function tokenTransferRecord(standard: TokenStandard): {
  blockscout: z.ZodType<TokenTransferRecord>;
  etherscan: z.ZodType<TokenTransferRecord>;
} {
  const shape = { ...before, ...amounts[standard], ...behind };
  const texts = { tokenName: z.string(), tokenSymbol: z.string() };
  return {
    blockscout: z.object(shape).meta({ id: `BlockscoutErc${standard}Transfer` }),
    etherscan: z
      .object({ ...shape, ...texts, logIndex: wire.decimal })
      .meta({ id: `EtherscanErc${standard}Transfer` }),
  };
}

/** Presents a token transfer; `call` is its transaction's call. */
export function presentTokenTransfer(
  row: TokenTransferEntry,
  standard: TokenStandard,
  dialect: Dialect,
  call: CallName | undefined,
): TokenTransferRecord {
  const isEtherscan = dialect === "etherscan";
  const unknownText = isEtherscan ? "" : null;
  const unknownDecimals = isEtherscan && standard === 721 ? "0" : "";
  return {
    blockNumber: String(row.blockNumber),
    timeStamp: String(row.timestampSeconds),
    hash: row.transactionHash,
    nonce: row.nonce,
    blockHash: row.blockHash,
    from: row.from,
    contractAddress: row.token,
    to: row.to,
    ...presentAmount(row, standard),
    tokenName: row.tokenName ?? unknownText,
    tokenSymbol: row.tokenSymbol ?? unknownText,
    tokenDecimal: row.tokenDecimals === null ? unknownDecimals : String(row.tokenDecimals),
    transactionIndex: String(row.transactionIndex),
    gas: row.gas,
    gasPrice: row.gasPrice,
    gasUsed: row.gasUsed,
    cumulativeGasUsed: row.cumulativeGasUsed,
    input: row.input,
    confirmations: String(row.confirmations),
    methodId: (isEtherscan ? call?.selector : call?.selector.slice(2)) ?? "",
    functionName: call?.functionName ?? "",
    ...(isEtherscan && { logIndex: String(row.logIndex) }),
  };
}

function presentAmount({ tokenId, amount }: TokenTransferEntry, standard: TokenStandard) {
  switch (standard) {
    case 20:
      return { value: amount ?? "0" };
    case 404:
      return { tokenID: tokenId ?? "", value: amount ?? "0" };
    case 721:
      return { tokenID: tokenId ?? "" };
    case 1155:
      return { tokenID: tokenId ?? "", tokenValue: amount ?? "0" };
  }
}
