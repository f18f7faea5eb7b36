import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Answer, endOf, send } from "../api/http/answer.ts";
import { unknownPath } from "../api/http/failures.ts";
import { lookUp } from "../api/http/input/form.ts";
import { queryInput } from "../api/http/input/request.ts";
import type { RateLimiter } from "../api/http/rate-limit.ts";
import { inTime } from "../api/reading/bounds.ts";
import { type ReadQuery, resultOnOneState } from "../api/reading/snapshot.ts";
import { baseOf as originOf } from "../api/serving/chains.ts";
import {
  chainTitle,
  decideChain,
  knownChainId,
  type ServedChain,
  type ServedChains,
} from "../api/serving/served-chain.ts";
import { isAddress } from "../core/evm/address.ts";
import { isHash, lowerHex } from "../core/evm/hex.ts";
import { listContractsByName } from "../store/lists/names.ts";
import { type AnswerPage, type Asked, firstRequests, pendingRequest } from "./answers.ts";
import type { Assets } from "./assets.ts";
import { describe, isSubject, LISTS, type PageKind, plainContent, sentenceIn } from "./previews.ts";
import { baseOf, renderLimit, renderShell, SECURITY_HEADERS, type ShellContent } from "./shell.ts";

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
const OLD_PATHS: Readonly<Record<string, string>> = {
  "/transactions": "txs",
  "/contractsVerified": "contracts",
  "/verified-contracts": "contracts",
  "/search-results": "search",
};

/** Paths that name one id of a collection: `/nft/{address}/{id}`, `/token/{address}/instance/{id}`. */
const ID = /^(?:instance\/|inventory\/)?(\d+)(?:\/|$)/;

/** Maps the end of another explorer's path to a query or id, and the section's `#`. */
function endOfLink(page: string, rest: string, query: string): string {
  const id = page === "token" ? ID.exec(rest)?.[1] : undefined;
  const word = (rest.split("/")[0] ?? "").replaceAll("_", "-");
  const part = Object.hasOwn(PARTS, word) ? PARTS[word] : "";
  return `${id === undefined ? query : `?a=${id}`}${part ? `#${part}` : ""}`;
}

/** Kinds of pages by the first part of their path; EIP-3091 names the first four. */
const THINGS: Readonly<Record<string, PageKind>> = {
  tx: "transaction",
  address: "address",
  block: "block",
  token: "token",
};
/** Other explorers' names of the first part. */
const OLD_THINGS: Readonly<Record<string, string>> = {
  transaction: "tx",
  accounts: "address",
  account: "address",
  contract: "address",
  blocks: "block",
  tokens: "token",
  nft: "token",
};
/** Time limit of a link's preview: the page itself asks the API. */
const PATIENCE_MS = 2000;
const LONGEST_SUBJECT = 200;
/** Bounds of the answers that come with a document. */
const FIRST_PATIENCE_MS = 400;
const LONGEST_FIRST = 60_000;

/** Adds the pages of the chain's things and lists, the search, old links, and the page for unknown paths. */
export function addSubjects(
  app: FastifyInstance,
  { chains: allChains, publicUrl }: { chains: ServedChains; publicUrl: string | undefined },
  getAssets: () => Promise<Assets>,
  limiter: RateLimiter,
  answerPage: AnswerPage,
): void {
  const limited = {
    onRequest: limiter.admitPage((request, seconds) =>
      wantsPage(request)
        ? page(429, renderLimit(`${rootOf(request)}pages/theme.css`, seconds))
        : undefined,
    ),
  };

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    content: ShellContent,
    httpStatus = 200,
  ): Promise<FastifyReply> {
    if (httpStatus === 404 && !wantsPage(request)) throw unknownPath();
    const base = rootOf(request);
    const [served, ...others] = request.chains;
    // Every page is one chain's.
    if (others.length > 0 && httpStatus === 200) {
      return reply.redirect(`${base}${knownChainId(served)}${request.url}`, 302);
    }
    const assets = await getAssets();
    const all = allChains();
    const chain = {
      chains:
        all.length === 1 ? [] : all.map((one) => [String(knownChainId(one)), chainTitle(one)]),
      name: chainTitle(served),
      chainId: knownChainId(served) ?? null,
      coinSymbol: served.coinSymbol,
      hasPrice: served.priceFeeds.usd !== undefined,
      hasLabels: knownChainId(served) !== undefined && served.labels().changedAt > 0,
    };
    const folder = `pages/${assets.digest}`;
    const from = (publicUrl ?? originOf(request)) + request.originalUrl;
    const files = {
      folder,
      picture: URL.parse(`${base}${folder}/preview.png`, from)?.href ?? "",
      answers: await answerFirst(request, firstRequests(content, chain), endOf(reply)),
    };
    const sentence = await sentenceIn(files.answers, chain.coinSymbol);
    const description = [content.description, sentence].filter(Boolean).join(" ");
    reply.headers({ ...SECURITY_HEADERS, "cache-control": "no-cache" });
    reply.header("vary", "accept, accept-encoding");
    return send(
      reply,
      page(httpStatus, renderShell(base, { ...content, description }, chain, files)),
    );
  }

  /** Answers the first requests of a page, as a pair of requests and answers; an empty list when that takes long. */
  async function answerFirst(
    request: FastifyRequest,
    asked: readonly Asked[],
    signal: AbortSignal,
  ): Promise<string> {
    if (asked.length === 0) return "[]";
    const answers = answerPage(request, asked, signal);
    const text = await inTime(answers, FIRST_PATIENCE_MS).catch(() => undefined);
    return text === undefined || text.length > LONGEST_FIRST
      ? "[]"
      : `[${JSON.stringify(asked)},${text}]`;
  }

  /** Describes the page of a transaction that waits in the node's pool. */
  async function lookInPool(
    request: FastifyRequest,
    reply: FastifyReply,
    kind: PageKind,
    hash: string,
  ): Promise<ShellContent | undefined> {
    if (kind !== "transaction") return undefined;
    const answers = answerPage(request, [pendingRequest(hash)], endOf(reply));
    const text = await inTime(answers, PATIENCE_MS).catch(() => "[]");
    return JSON.parse(text)[0]?.answer?.[0]?.result ? plainContent(kind, hash) : undefined;
  }

  /** Reads the facts of a page's subject; undefined when the index has no such subject. */
  function look({ sql }: ServedChain, kind: PageKind, subject: string) {
    const plain = plainContent(kind, subject);
    return readSoon<ShellContent | undefined>(sql, plain, async (snapshot, served) => {
      const head = await served;
      return head ? describe(snapshot, kind, subject, head.number) : plain;
    });
  }

  /** Returns whether a label, a token or a verified contract has a name with this prefix. */
  async function isName({ sql, labels }: ServedChain, text: string): Promise<boolean> {
    if (labels().search(text).length > 0) return true;
    return readSoon(sql, true, async (snapshot) => {
      const found = await listContractsByName(snapshot, text, { limit: 1, skip: 0 });
      return found.length > 0;
    });
  }

  function unknown(subject: string): ShellContent {
    const title = "Nothing here";
    return { page: "unknown", subject, title, description: "There is no such page." };
  }

  /** Redirects a path of other explorers to the page of the same subject, with the link's query. */
  function leadOn(path: string, page: string): void {
    app.get<{ Params: { subject: string; "*"?: string } }>(path, (request, reply) => {
      const { subject, "*": rest = "" } = request.params;
      const end = endOfLink(page, rest, queryOf(request));
      const location = `${rootOf(request)}${page}/${encodeURIComponent(subject)}${end}`;
      return reply.redirect(location, 302);
    });
  }

  for (const kind of Object.keys(LISTS) as (keyof typeof LISTS)[]) {
    const [, , url] = LISTS[kind];
    if (url === null) continue;
    app.get(url, limited, async (request, reply) => {
      const [pathname = ""] = request.originalUrl.split(/[?#]/, 1);
      // Without a slash at the end of `/{chain}` relative links would lead to another chain's files.
      if (url === "/" && !pathname.endsWith("/")) {
        return reply.redirect(`${pathname.slice(pathname.lastIndexOf("/") + 1)}/`, 302);
      }
      return answer(request, reply, plainContent(kind, ""));
    });
  }
  for (const [name, kind] of Object.entries(THINGS)) {
    app.get<{ Params: { subject: string } }>(
      `/${name}/:subject`,
      limited,
      async (request, reply) => {
        const subject = request.params.subject.toLowerCase().slice(0, LONGEST_SUBJECT);
        const found = isSubject(kind, subject)
          ? ((await look(decideChain(request), kind, subject)) ??
            (await lookInPool(request, reply, kind, subject)))
          : undefined;
        const content = found ?? { ...unknown(subject), subject: `${name} ${subject}` };
        return answer(request, reply, content, found ? 200 : 404);
      },
    );
    leadOn(`/${name}/:subject/*`, name);
  }
  for (const [old, name] of Object.entries(OLD_THINGS)) {
    leadOn(`/${old}/:subject`, name);
    leadOn(`/${old}/:subject/*`, name);
  }
  for (const [old, path] of Object.entries(OLD_PATHS)) {
    app.get(old, (request, reply) =>
      reply.redirect(`${rootOf(request)}${path}${queryOf(request)}`, 302),
    );
  }
  app.get("/search", limited, async (request, reply) => {
    const sought = lookUp(queryInput(request), "q");
    const given = typeof sought === "string" ? sought : "";
    const text = given.replaceAll("\0", "").trim().slice(0, LONGEST_SUBJECT);
    const path = await find(decideChain(request), text);
    if (path !== undefined) return reply.redirect(`${rootOf(request)}${path}`, 302);
    const isKnown = text === "" || (await isName(decideChain(request), text));
    return answer(request, reply, plainContent("search", text), isKnown ? 200 : 404);
  });

  /** Returns the path of the only subject that a text can mean; undefined without one. */
  async function find(chain: ServedChain, text: string): Promise<string | undefined> {
    const number = text.replaceAll(/[,_' ]/g, "").replace(/^#/, "");
    if (isSubject("block", number) && !isHash(number)) return `block/${number}`;
    if (/^0x[0-9a-f]{1,12}$/i.test(number)) return `block/${Number(number)}`;
    const hex = lowerHex(`0x${text.replace(/^0x/i, "")}`);
    if (isAddress(hex)) return `address/${hex}`;
    if (!isHash(hex)) return undefined;
    if (await look(chain, "transaction", hex)) return `tx/${hex}`;
    // The page of an unknown transaction shows it once it is mined.
    return (await look(chain, "block", hex)) ? `block/${hex}` : `tx/${hex}`;
  }

  app.unknownPage = async (request, reply) => {
    const [pathname = ""] = request.url.split(/[?#]/, 1);
    return answer(request, reply, unknown(pathname.slice(0, LONGEST_SUBJECT)), 404);
  };
}

/** Returns a query's result; `otherwise` while the index does not answer: then the page itself shows the cause. */
async function readSoon<Found>(sql: ServedChain["sql"], otherwise: Found, query: ReadQuery<Found>) {
  const reading = resultOnOneState(sql, (read) => read(query));
  const state = await inTime(reading, PATIENCE_MS).catch(() => undefined);
  return state === undefined ? otherwise : state.result;
}

function page(httpStatus: number, body: string): Answer {
  return { httpStatus, contentType: "text/html; charset=utf-8", body };
}

/** Returns whether a browser requests a page: it accepts HTML by name, programs accept anything. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return String(headers.accept ?? "").includes("text/html");
}

function queryOf({ url }: FastifyRequest): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start);
}

/** Returns the relative path to the root of the chain. A part may contain an encoded slash, so parts count as they were sent. */
function rootOf({ originalUrl, url }: FastifyRequest): string {
  const [pathname = ""] = url.split(/[?#]/, 1);
  const parts = pathname.split("/").filter((part) => part !== "");
  return baseOf(originalUrl, parts.length);
}
