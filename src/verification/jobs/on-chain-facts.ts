import { keccak256 } from "viem/utils";
import type { Chain } from "../../chain/chain.ts";
import type { Head } from "../../chain/questions.ts";
import { sleep } from "../../core/async.ts";
import type { Address } from "../../core/evm/address.ts";
import { isContractCode } from "../../core/evm/contract-code.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { Sql } from "../../db/client.ts";
import { getBlockReference } from "../../store/blocks/blocks.ts";
import { type CreationFacts, getCreationFacts } from "../../store/contracts/creations.ts";
import { readUntorn } from "../../store/snapshot.ts";
import { failByNode, VerificationError } from "../errors.ts";

/** Facts on chain for a verification. */
export interface OnChainFacts {
  runtimeCode: Hex;
  codeHash: Hex;
  /** Null without an indexed creation: the contract is older than the index, or there are no traces. */
  creation: CreationFacts | null;
  block: { number: number; hash: Hex };
}

export type FactsSource = { sql: Sql; chain: Pick<Chain, "fetchHead" | "fetchCodes"> };

const PATIENCE_MS = 15_000;
/** An index at the head lags by less than a second. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** Reads code from the node and creation from the index, once it has the block. Throws `VerificationError`. */
export async function fetchOnChainFacts(
  source: FactsSource,
  address: Address,
  signal: AbortSignal,
): Promise<OnChainFacts> {
  const end = performance.now() + PATIENCE_MS;
  let seen = await fetchExistingCode(source, address);
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const outcome = await compareWithIndex(source, address, seen);
    if (typeof outcome === "object") return outcome;
    if (performance.now() > end || signal.aborted) {
      throw new VerificationError({ code: outcome === "replaced" ? "not-indexed" : outcome });
    }
    await sleep(pause, signal);
    if (outcome !== "not-indexed") seen = await fetchExistingCode(source, address);
  }
}

/** The code of a contract, and the head of the read. */
type SeenCode = Pick<OnChainFacts, "runtimeCode"> & { head: Head };

async function fetchExistingCode({ chain }: FactsSource, address: Address): Promise<SeenCode> {
  const { head, runtimeCode } = await fetchContractCode(chain, address);
  if (runtimeCode === null) throw new VerificationError({ code: "no-code" });
  return { head, runtimeCode };
}

/** `replaced`: the index has another block in place of that head. */
async function compareWithIndex(
  { sql }: FactsSource,
  address: Address,
  { head, runtimeCode }: SeenCode,
): Promise<OnChainFacts | "not-indexed" | "replaced" | "deployed-code"> {
  const codeHash = keccak256(runtimeCode);
  const read = await readUntorn(sql, async (snapshot, served) => ({
    served,
    recorded: await getBlockReference(snapshot, head.number),
    creation: await getCreationFacts(snapshot, address),
  }));
  if (!read) return "not-indexed";
  const { served, recorded, creation } = read;
  if (creation && (creation.codeHash === null || creation.codeHash === codeHash)) {
    const block = { number: creation.blockNumber, hash: creation.blockHash };
    return { runtimeCode, codeHash, creation, block };
  }
  if (served === undefined || served.number < head.number) return "not-indexed";
  if (recorded?.hash !== head.hash) return "replaced";
  if (creation) return "deployed-code";
  return { runtimeCode, codeHash, creation: null, block: { number: head.number, hash: head.hash } };
}

/** Reads a contract's code at the node's head; null when there is none. Throws `VerificationError` of code `node`. */
export async function fetchContractCode(chain: FactsSource["chain"], address: Address) {
  const head = await chain.fetchHead().catch(failByNode);
  const [code = "0x"] = await chain.fetchCodes([address], head).catch(failByNode);
  return { head, runtimeCode: isContractCode(code) ? code : null };
}
