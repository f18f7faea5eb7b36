/** Sections of a page by the names in other explorers' links. */
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

/** Pages by the paths in other explorers' links. */
export const OLD_PATHS: Readonly<Record<string, string>> = {
  "/transactions": "txs",
  "/contractsVerified": "contracts",
  "/verified-contracts": "contracts",
  "/search-results": "search",
};

/** Paths that name one id of a collection: `/nft/{address}/{id}`, `/token/{address}/instance/{id}`. */
const ID = /^(?:instance\/|inventory\/)?(\d+)(?:\/|$)/;

/** Maps the end of another explorer's path to a query or id, and the section's `#`. */
export function endOfLink(page: string, rest: string, query: string): string {
  const id = page === "token" ? ID.exec(rest)?.[1] : undefined;
  const word = (rest.split("/")[0] ?? "").replaceAll("_", "-");
  const part = Object.hasOwn(PARTS, word) ? PARTS[word] : "";
  return `${id === undefined ? query : `?a=${id}`}${part ? `#${part}` : ""}`;
}
