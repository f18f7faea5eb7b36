/** Sections of a page by the names that other explorers use in their links. */
const PARTS: Readonly<Record<string, string>> = {
  logs: "logs",
  "internal-transactions": "internal",
  "token-transfers": "transfers",
  "raw-trace": "internal",
  state: "",
  transactions: "transactions",
  txs: "transactions",
  tokens: "tokens",
  tokentxns: "transfers",
  contract: "code",
  contracts: "code",
  "contract-code": "code",
  "read-contract": "read",
  code: "code",
  holders: "holders",
  "token-holders": "holders",
  inventory: "holders",
  instance: "transfers",
};

/** Pages by the paths that other explorers use. */
export const OLD_PATHS: Readonly<Record<string, string>> = {
  "/transactions": "txs",
  "/contractsVerified": "contracts",
  "/verified-contracts": "contracts",
  "/search-results": "search",
};

/** The section of a page that a longer path means, with its `#`; empty for the whole page. */
export function partOf(rest: string): string {
  const word = (rest.split("/")[0] ?? "").replaceAll("_", "-");
  const part = Object.hasOwn(PARTS, word) ? PARTS[word] : "";
  return part ? `#${part}` : "";
}
