import { isAddress, lowerAddress } from "../core/evm/address.ts";
import { isHash, lowerHex } from "../core/evm/hex.ts";
import type { Queryable } from "../db/client.ts";
import { getBlock } from "../store/blocks/blocks.ts";
import { listContractNames } from "../store/contracts/verified/lookup.ts";
import { getTransaction } from "../store/lists/transactions.ts";
import { getToken } from "../store/state/tokens/token.ts";
import type { ShellContent } from "./shell.ts";

/** The sentence about a transaction, which its page shows too. */
const SENTENCE = new URL("./browser/decoding/sentence.js", import.meta.url).href;
const BLOCK_NUMBER = /^\d{1,15}$/;
const LATEST = "latest";

/** Titles, descriptions and paths of the lists; the search has a path of its own. */
export const LISTS = {
  home: [
    "Explorer",
    "Blocks, transactions, addresses, tokens and verified contracts of the chain.",
    "/",
  ],
  blocks: ["Blocks", "The newest blocks of the chain.", "/blocks"],
  transactions: ["Transactions", "The newest transactions of the chain.", "/txs"],
  contracts: ["Contracts", "Contracts of the chain, verified or not.", "/contracts"],
  accounts: ["Accounts", "Addresses of the chain with their balances.", "/accounts"],
  tokens: ["Tokens", "Tokens of the chain, the newest first.", "/tokens"],
  search: ["Search", "Find a transaction, an address, a block, a token or a contract.", null],
} as const;

/** The kinds of pages. */
export type PageKind = keyof typeof LISTS | "transaction" | "address" | "block" | "token";

/** Returns whether a path names a possible subject, in any letter case. */
export function isSubject(kind: PageKind, subject: string): boolean {
  if (kind === "transaction") return isHash(subject);
  if (kind === "address" || kind === "token") return isAddress(subject);
  if (kind === "block") return isHash(subject) || BLOCK_NUMBER.test(subject) || subject === LATEST;
  return true;
}

/** Returns title and description of a page without reading the index. */
export function plainContent(kind: PageKind, subject: string): ShellContent {
  if (kind in LISTS) {
    const [title, description] = LISTS[kind as keyof typeof LISTS];
    return { page: kind, subject, title, description };
  }
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  const isNumber = kind === "block" && BLOCK_NUMBER.test(subject);
  const title = `${name} ${isNumber ? Number(subject) : subject}`;
  const description = `${name} ${subject} as this server indexed it.`;
  return { page: kind, subject, title, description };
}

/** Returns title and description with facts of the index; undefined when the subject does not exist in it. */
export async function describe(
  sql: Queryable,
  kind: PageKind,
  subject: string,
  head: number,
): Promise<ShellContent | undefined> {
  const plain = plainContent(kind, subject);
  if (kind === "transaction") {
    const transaction = await getTransaction(sql, lowerHex(subject));
    if (!transaction) return undefined;
    const { succeeded, blockNumber } = transaction;
    const outcome = succeeded === false ? "Failed" : succeeded ? "Succeeded" : "Mined";
    return { ...plain, description: `${outcome} in block ${blockNumber}.` };
  }
  if (kind === "block") {
    const number = subject === LATEST ? head : Number(subject);
    const block = await getBlock(sql, isHash(subject) ? { hash: lowerHex(subject) } : { number });
    if (!block) return undefined;
    const time = new Date(block.timestampSeconds * 1000).toISOString().replace(".000", "");
    const description = `${block.transactionCount} transactions, ${block.gasUsed} gas used, ${time}.`;
    return { ...plain, title: `Block ${block.number}`, description };
  }
  if (kind === "token") {
    const token = await getToken(sql, lowerAddress(subject));
    if (!token) return undefined;
    const name = token.name || "Token without a name";
    const symbol = token.symbol ? ` (${token.symbol})` : "";
    const description = `ERC-${token.standard} token at ${token.address}.`;
    return { ...plain, title: `${name}${symbol}`, description };
  }
  if (kind === "address") {
    const [contract] = await listContractNames(sql, [lowerAddress(subject)]);
    if (!contract) return plain;
    return { ...plain, title: contract.name, description: `Verified contract at ${subject}.` };
  }
  return plain;
}

/** Returns what a transaction did, from the answers that come with its page; empty without them. */
export async function sentenceIn(answers: string, coinSymbol: string): Promise<string> {
  const [, [transaction, transfers] = []] = JSON.parse(answers);
  if (!transaction?.answer?.result?.details) return "";
  const { textOf } = await import(SENTENCE);
  return textOf(transaction.answer.result, transfers.answer?.result ?? [], coinSymbol);
}
