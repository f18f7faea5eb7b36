import type { Logger } from "pino";
import { keccak256 } from "viem/utils";
import type { Chain } from "../chain/chain.ts";
import { type Address, ZERO_ADDRESS } from "../core/evm/address.ts";
import { isContractCode } from "../core/evm/contract-code.ts";
import type { Sql } from "../db/client.ts";
import {
  getUnindexedCode,
  listUnindexedCodes,
  saveSeen,
  type UnindexedCode,
} from "../store/contracts/verified/present-codes.ts";
import { isFullyVerified } from "../store/contracts/verified/verified-contract.ts";
import { getServedHead } from "../store/sync-state.ts";
import { failByNode } from "./errors.ts";
import { repeat } from "./rounds.ts";

type CodeSource = { sql: Sql; chain: Pick<Chain, "fetchCodes"> };

/** Returns whether the present code is fully matched. Throws `VerificationError` of code `node`. */
export async function isStillFullyVerified(source: CodeSource, address: Address): Promise<boolean> {
  const { sql } = source;
  if (!(await isFullyVerified(sql, address))) return false;
  const code = await getUnindexedCode(sql, address);
  if (code === undefined) return true;
  await compareCodes(source, [code]).catch(failByNode);
  return isFullyVerified(sql, address);
}

/** Stores replaced codes, and the block of codes that are back or whose block was rolled back. Throws `ChainError`. */
async function compareCodes({ sql, chain }: CodeSource, verified: readonly UnindexedCode[]) {
  const head = await getServedHead(sql);
  if (!head) return;
  const addresses = verified.map(({ address }) => address);
  const present = await chain.fetchCodes(addresses, head);
  for (const [index, code] of verified.entries()) {
    const there = present[index] ?? "0x";
    // A self-destructed contract keeps its source.
    if (!isContractCode(there)) continue;
    if (keccak256(there) !== code.codeHash) await saveSeen(sql, code);
    else if (code.isReplaced || !code.isAnchored) await saveSeen(sql, code, head);
  }
}

const PAUSE_MS = 60_000;
/** Nodes may charge for each. */
const COMPARED_AT_ONCE = 50;

/** Compares verified codes of unknown creation with the present ones, 50 a minute, until aborted. */
export function keepCodesCompared(
  source: CodeSource,
  log: Pick<Logger, "warn">,
  signal: AbortSignal,
): Promise<void> {
  let last = ZERO_ADDRESS;
  const compareNext = async () => {
    const codes = await listUnindexedCodes(source.sql, last, COMPARED_AT_ONCE);
    last = (codes.length === COMPARED_AT_ONCE && codes.at(-1)?.address) || ZERO_ADDRESS;
    if (codes.length > 0) await compareCodes(source, codes);
  };
  return repeat(compareNext, PAUSE_MS, [log, "verified codes cannot be compared"], signal);
}
