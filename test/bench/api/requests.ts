import type { Hex } from "../../../src/core/evm/hex.ts";
import type { Sql } from "../../../src/db/client.ts";

/** A question to the API. */
export interface Question {
  name: string;
  parameters: Readonly<Record<string, string>> & { module: string; action: string };
}

/** The questions that are measured, and what the database has for them. */
export interface Questions {
  /** A page of 50 rows, or one answer, of what everybody asks for. */
  hot: Question[];
  /** The first page of the transactions of the hottest address, of one with about 50, and the last page to be had. */
  pages: { hottest: Question; ordinary: Question; last: Question };
  /** Transactions of the hottest address. */
  hottestCount: number;
}

const ROWS = 50;
const WINDOW = 10_000;
const ORDINARY_COUNT = 50;

/** Path and query of a question. */
export function pathOf({ parameters }: Question): string {
  return `/api?${new URLSearchParams(parameters)}`;
}

/** Chooses the busiest address, token and event of a database for the questions. */
export async function chooseQuestions(sql: Sql): Promise<Questions> {
  const [hottest] = await sql<[{ address: Hex; count: number }]>`
    SELECT address, count(*) FROM address_transactions GROUP BY 1 ORDER BY 2 DESC LIMIT 1`;
  const [ordinary] = await sql<[{ address: Hex }]>`
    SELECT address FROM address_transactions GROUP BY 1
    ORDER BY abs(count(*) - ${ORDINARY_COUNT}), 1 LIMIT 1`;
  const [event] = await sql<[{ address: Hex; topic0: Hex }]>`
    SELECT address, topic0 FROM logs WHERE topic0 IS NOT NULL
    GROUP BY 1, 2 ORDER BY count(*) DESC LIMIT 1`;
  const [token] = await sql<[{ address: Hex }]>`
    SELECT address FROM tokens WHERE standard = 20 ORDER BY holder_count DESC LIMIT 1`;
  const [transaction] = await sql<[{ hash: Hex }]>`
    SELECT hash FROM transactions JOIN sync_state ON block_number = head_number / 2 LIMIT 1`;
  const [verified] = await sql<[{ address: Hex }]>`SELECT address FROM verified_contracts`;

  const page = { page: "1", offset: String(ROWS), sort: "desc" };
  const { address } = hottest;
  const lastPage = Math.max(1, Math.floor(Math.min(hottest.count, WINDOW) / ROWS));
  const txlist = { module: "account", action: "txlist", ...page };
  const first = { name: "txlist", parameters: { ...txlist, address } };
  const all = { fromBlock: "0", toBlock: "latest" };
  return {
    hot: [
      first,
      { name: "tokentx", parameters: { ...txlist, action: "tokentx", address } },
      { name: "txlistinternal", parameters: { ...txlist, action: "txlistinternal", address } },
      {
        name: "getLogs by address and topic0",
        parameters: { module: "logs", action: "getLogs", ...all, ...event, ...page },
      },
      {
        name: "getTokenHolders",
        parameters: {
          module: "token",
          action: "getTokenHolders",
          contractaddress: token.address,
          ...page,
        },
      },
      {
        name: "gettxinfo",
        parameters: { module: "transaction", action: "gettxinfo", txhash: transaction.hash },
      },
      { name: "balance", parameters: { module: "account", action: "balance", address } },
      {
        name: "getabi",
        parameters: { module: "contract", action: "getabi", address: verified.address },
      },
      { name: "eth_block_number", parameters: { module: "block", action: "eth_block_number" } },
    ],
    pages: {
      hottest: first,
      ordinary: { name: "txlist", parameters: { ...txlist, address: ordinary.address } },
      last: { name: "txlist", parameters: { ...txlist, address, page: String(lastPage) } },
    },
    hottestCount: hottest.count,
  };
}
