import type { FastifyRequest } from "fastify";
import type { Dialect } from "../api/explorer/envelope.ts";
import { findAction } from "../api/explorer/registry.ts";
import type { Answer } from "../api/http/answer.ts";
import { methodNotAllowed, unknownPath } from "../api/http/failures.ts";
import { foldFields, parseUrlEncoded } from "../api/http/input/form.ts";
import type { RateLimiter } from "../api/http/rate-limit.ts";
import { chooseChain } from "../api/serving/chains.ts";
import { answerTo } from "../api/serving/front.ts";
import { decideChain } from "../api/serving/served-chain.ts";
import type { Answerers } from "../api/serving/server.ts";
import type { ShellChain, ShellContent } from "./shell.ts";

/** A request of the API by its path below the chain's root; with a body it is JSON-RPC. */
export interface Asked {
  path: string;
  body?: string | undefined;
}

/** Answers several requests of one page; the result is JSON text, an entry for each in their order. */
export type AnswerPage = (
  request: FastifyRequest,
  asked: readonly Asked[],
  signal: AbortSignal,
) => Promise<string>;

const DIALECTS: Readonly<Record<string, Dialect>> = { api: "blockscout", "v2/api": "etherscan" };
const RPC_PATH = "api/eth-rpc";
/** Attempts to read all answers at one head, which may move between two of them. */
const ATTEMPTS = 3;
/** Most characters of an answer; a page requests a longer one by itself. */
const LONGEST_ANSWER = 2_000_000;
const TOO_LONG = '{"status":0}';

/** Creates the function that answers several requests of a page at once, by the API's own dispatcher. */
export function createPageAnswers(
  { dispatch, answerRpc }: Answerers,
  limiter: RateLimiter,
): AnswerPage {
  async function run(request: FastifyRequest, { path, body }: Asked, signal: AbortSignal) {
    const [pathname = "", query = ""] = path.split("?");
    if (pathname === RPC_PATH && body !== undefined) {
      const caller = limiter.clientOf(request, new Map());
      return answerRpc(JSON.parse(body), decideChain(request), { caller, signal });
    }
    const dialect = Object.hasOwn(DIALECTS, pathname) ? DIALECTS[pathname] : undefined;
    if (dialect === undefined) throw unknownPath();
    const input = foldFields(parseUrlEncoded(Buffer.from(query)));
    const parsed = { input, query: input, body: new Map(), id: undefined };
    const { action } = findAction(input, dialect);
    if (action.isSubmission) throw methodNotAllowed();
    const named =
      dialect === "etherscan" && !action.ofNoChain
        ? chooseChain(request.chains, parsed)
        : undefined;
    const client = limiter.clientOf(request, input);
    const chain = decideChain(request, named);
    return dispatch(action, parsed, dialect, chain, { client, signal, known: [] });
  }

  const answerOne = (request: FastifyRequest, asked: Asked, signal: AbortSignal): Promise<Answer> =>
    run(request, asked, signal).catch((error) => answerTo(error, request, `/${asked.path}`));

  return async (request, asked, signal) => {
    for (let attempt = 1; ; attempt++) {
      const answers = await Promise.all(asked.map((one) => answerOne(request, one, signal)));
      const heads = new Set(answers.flatMap(({ block }) => block?.hash ?? []));
      if (heads.size <= 1 || attempt === ATTEMPTS) return `[${answers.map(textOf).join(",")}]`;
    }
  };
}

function textOf({ httpStatus, contentType, body, block }: Answer): string {
  if (body.length > LONGEST_ANSWER) return TOO_LONG;
  const head = block ? `"block":"${block.number};${block.hash}",` : "";
  const answer = contentType.startsWith("application/json") ? body : JSON.stringify(body);
  return `{"status":${httpStatus},${head}"answer":${answer}}`;
}

type Parameters = Readonly<Record<string, string>>;

const FIRST_PAGE = { page: "1", offset: "25" };
const BLOCKS_AT_HOME = "50";
const TRANSACTIONS_AT_HOME = "10";
/** Pages with amounts of coins in dollars. */
const PRICED = new Set(["home", "transaction", "block", "address"]);

/**
 * Returns the requests of a page that do not depend on the part that it shows, by paths relative to its chain's root. They
 * equal those of its module (`browser/base/api.js`) letter by letter: the page recognises answers by them.
 */
export function firstRequests(
  content: ShellContent,
  { chainId, hasPrice }: Pick<ShellChain, "chainId" | "hasPrice">,
): readonly Asked[] {
  const asked = requestsOf(content, chainId);
  const isPriced = hasPrice && PRICED.has(content.page);
  return isPriced ? [...asked, action("stats", "coinprice", {})] : asked;
}

function requestsOf({ page, subject = "" }: ShellContent, chainId: number | null): Asked[] {
  const etherscan = (module: string, name: string, parameters: Parameters) =>
    action(module, name, parameters, chainId);
  switch (page) {
    case "home":
      return [
        action("block", "listblocks", { offset: BLOCKS_AT_HOME }),
        etherscan("transaction", "listtransactions", { offset: TRANSACTIONS_AT_HOME }),
      ];
    case "blocks":
      return [action("block", "listblocks", FIRST_PAGE)];
    case "transactions":
      return [etherscan("transaction", "listtransactions", FIRST_PAGE)];
    case "transaction":
      return [
        action("transaction", "gettxinfo", { txhash: subject, details: "true" }),
        action("transaction", "listtransfers", { txhash: subject, ...FIRST_PAGE }),
        etherscan("account", "txlistinternal", {
          txhash: subject,
          sort: "asc",
          include_zero_value: "true",
          names: "true",
        }),
        action("transaction", "listuserops", { txhash: subject, ...FIRST_PAGE }),
      ];
    case "block":
      return [action("block", "getblock", { block: subject })];
    case "token":
      return [
        action("token", "getToken", { contractaddress: subject }),
        action("token", "tokenholdercount", { contractaddress: subject }),
      ];
    case "address":
      return [
        action("account", "balance", { address: subject }),
        rpc(["eth_getTransactionCount", [subject, "latest"]], ["eth_getCode", [subject, "latest"]]),
        action("contract", "getcontractcreation", { contractaddresses: subject }),
        action("contract", "getabi", { address: subject }),
        etherscan("account", "txlist", { address: subject, sort: "desc", ...FIRST_PAGE }),
      ];
    default:
      return [];
  }
}

/** Returns the request for a transaction that may wait in the node's pool. */
export function pendingRequest(hash: string): Asked {
  return rpc(["eth_getTransactionByHash", [hash]]);
}

function action(
  module: string,
  name: string,
  parameters: Parameters,
  chainId?: number | null,
): Asked {
  const chain = chainId ? { chainid: String(chainId) } : {};
  const path = chainId === undefined ? "api" : "v2/api";
  return {
    path: `${path}?${new URLSearchParams({ ...chain, module, action: name, ...parameters })}`,
  };
}

function rpc(...calls: readonly (readonly [method: string, params: readonly unknown[]])[]): Asked {
  const body = calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }));
  return { path: "api/eth-rpc", body: JSON.stringify(body) };
}
