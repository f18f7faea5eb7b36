import type { FastifyInstance, FastifyRequest } from "fastify";
import type { SoftwareVersion } from "../../core/software-version.ts";
import type { Dialect } from "../explorer/envelope.ts";
import { actionsIn, moduleSummaries } from "../explorer/registry.ts";
import { type Answer, jsonAnswer, send } from "../http/answer.ts";
import { unknownPath } from "../http/failures.ts";
import { baseOf } from "../serving/chains.ts";
import {
  type ChainsOption,
  chainTitle,
  knownChainId,
  type ServedChain,
} from "../serving/served-chain.ts";
import { describeActions } from "./actions.ts";
import { otherRoutes, restRoutes, sourcifyRoutes } from "./other-routes.ts";
import { createComponents, errorResponses, explorerFailure, rpcFailure } from "./schemas.ts";

type DocumentOptions = Pick<SoftwareVersion, "version">;

/** The parts of the document that the program itself reads. */
export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, object>>;
  tags: { name: string; description: string }[];
  components: Readonly<Record<"schemas" | "responses" | "securitySchemes", Record<string, object>>>;
}

type ApiServer = Record<"url" | "description", string>;

const REFERENCE = /"#\/components\/(schemas|responses)\/([^"]+)"/g;

const THIS_SERVER: ApiServer = { url: "/", description: "This server" };
const BASES: readonly [path: string, dialect: Dialect][] = [
  ["/api", "blockscout"],
  ["/v2/api", "etherscan"],
];

const DESCRIPTION = `
Every action is under \`/api\` as Blockscout answers it and under \`/v2/api\` as Etherscan does, by GET or by POST with
its parameters in the query, in JSON or in a form. \`/api?module=account&action=txlist&…\`, the form that clients of
explorers send, is the same as \`/api/account/txlist?…\`. A server of several chains serves each of them below
\`/{chain}\`, by id or name; \`/api\` itself is about the first, and \`/v2/api\` needs \`chainid\`.

An answer has \`status\` "1" and a \`result\`, or \`status\` "0" and a \`message\` that tells why there is none. Amounts are
whole numbers as text, in the smallest unit; addresses and hashes are in lower case. No key is needed.`.trim();

const API_KEY = { type: "apiKey", description: "Counts requests by key" };

const OTHER_TAGS: Readonly<Record<string, string>> = {
  "eth-rpc": "JSON-RPC, from the index where it can, else from the node",
  ots: "JSON-RPC that the block explorer Otterscan is built on",
  sourcify: "Sourcify's API v2: verified sources, and verification, for tools that speak it",
  operations: "For operators of the server",
};

/** Adds `/openapi.json`. The document is built on the first request, and again when the chains change. */
export function addDocumentation(
  app: FastifyInstance,
  options: DocumentOptions & ChainsOption & { publicUrl: string | undefined },
): void {
  type Made = { whole: ApiDocument; answers: Map<string, Answer> };
  let made: (Made & { servers: string }) | undefined;
  const current = (): Made => {
    const servers = listServers(options.chains(), options.publicUrl);
    const key = JSON.stringify(servers);
    if (made?.servers !== key) {
      const whole = describeApi(options, servers);
      made = { servers: key, whole, answers: new Map([["", jsonAnswer(whole)]]) };
    }
    return made;
  };
  app.get("/openapi.json", (_request, reply) => send(reply, current().answers.get("") as Answer));
  app.get<{ Params: { file: string } }>("/openapi/:file", (request, reply) => {
    const [, module = ""] = /^(\w+)\.json$/.exec(request.params.file) ?? [];
    if (!Object.hasOwn(moduleSummaries, module)) throw unknownPath();
    const { whole, answers } = current();
    const answer = answers.get(module) ?? jsonAnswer(describeModule(whole, module));
    answers.set(module, answer);
    return send(reply, answer);
  });
}

/** Returns the part of the document for one module, with the components that it uses. */
function describeModule(whole: ApiDocument, module: string): ApiDocument {
  const ofModule = ([path]: [string, unknown]) =>
    BASES.some(([base]) => path.startsWith(`${base}/${module}/`));
  const paths = Object.fromEntries(Object.entries(whole.paths).filter(ofModule));
  const { schemas, responses, ...others } = whole.components;
  const all = { schemas, responses } as Record<string, Record<string, object>>;
  const kept: Record<string, Record<string, object>> = { schemas: {}, responses: {} };
  const keep = (part: unknown): void => {
    for (const [, kind = "", name = ""] of JSON.stringify(part).matchAll(REFERENCE)) {
      const component = all[kind]?.[name];
      if (!component || kept[kind]?.[name]) continue;
      kept[kind] = { ...kept[kind], [name]: component };
      keep(component);
    }
  };
  keep(paths);
  const tags = whole.tags.filter(({ name }) => name === module);
  return { ...whole, tags, paths, components: { ...others, ...kept } as ApiDocument["components"] };
}

/** Returns the document's servers: for all chains, and for each of several. */
function listServers(chains: readonly ServedChain[], publicUrl: string | undefined): ApiServer[] {
  const ofAll = publicUrl === undefined ? THIS_SERVER : { ...THIS_SERVER, url: publicUrl };
  if (chains.length === 1) return [ofAll];
  const ofChains = chains.map((chain) => ({
    url: `${publicUrl ?? ""}/${knownChainId(chain)}`,
    description: chainTitle(chain),
  }));
  return [ofAll, ...ofChains];
}

/** Describes the API as an OpenAPI 3.1 document: the actions from the registry, and the other routes. */
export function describeApi(
  { version }: DocumentOptions,
  servers: readonly ApiServer[] = [THIS_SERVER],
): ApiDocument {
  const components = createComponents();
  components.add("ExplorerFailure", explorerFailure);
  components.add("RpcFailure", rpcFailure);
  const actions = BASES.map(([base, dialect]) => describeActions(base, dialect, components));
  const routes = [...otherRoutes, ...restRoutes, ...sourcifyRoutes];
  const others = routes.map(({ path, method, schemas = {}, tag, ...route }) => {
    for (const [name, schema] of Object.entries(schemas)) components.add(name, schema);
    return { [path]: { [method]: { tags: [tag], ...route } } };
  });
  const tags = Object.entries({ ...moduleSummaries, ...OTHER_TAGS });
  return {
    openapi: "3.1.0",
    info: {
      title: "Periscope",
      version,
      summary: "Block explorer API in the dialects of Blockscout and Etherscan",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers,
    security: [{}, { apikey: [] }, { header: [] }],
    tags: tags.map(([name, description]) => ({ name, description })),
    paths: Object.assign({}, ...actions, ...others),
    components: {
      schemas: components.schemas,
      responses: errorResponses,
      securitySchemes: {
        apikey: { ...API_KEY, in: "query", name: "apikey" },
        header: { ...API_KEY, in: "header", name: "x-api-key" },
      },
    },
  } as ApiDocument;
}

export interface GuideOptions {
  publicUrl: string | undefined;
  /** True if pages of the chain's things may be indexed by search engines. */
  robotsAllowed: boolean;
}

const TEXT_TYPE = "text/plain; charset=utf-8";
const API_PATHS = ["/api", "/v2"];
const PAGE_PATHS = ["/tx/", "/block/", "/address/", "/token/"];

const RULES = [
  "An answer is `{status, message, result}`: `status` 1 and the result, or 0 and why there is none. The header `x-periscope-error` has a code of every failure.",
  "An answer is of one block, which the header `x-periscope-block` names: number and hash.",
  "Amounts are whole numbers as text in the smallest unit; divide by 10^decimals. Addresses and hashes are in lower case.",
  "Lists have `page` and `offset`, up to the 10,000th row. A narrower `startblock` and `endblock` reach the rest.",
  "No key is needed. With status 429 wait for `retry-after` seconds.",
];

/** Adds `/llms.txt` and `/robots.txt`. */
export function addGuides(app: FastifyInstance, options: GuideOptions): void {
  const kept = { "cache-control": "max-age=3600" };
  app.get("/llms.txt", (request, reply) =>
    send(reply.headers(kept), plain(guideFor(request, options))),
  );
  app.get("/robots.txt", (_request, reply) =>
    send(reply.headers(kept), plain(robots(options.robotsAllowed))),
  );
}

function plain(body: string) {
  return { httpStatus: 200, contentType: TEXT_TYPE, body };
}

function robots(robotsAllowed: boolean): string {
  const paths = robotsAllowed ? API_PATHS : [...API_PATHS, ...PAGE_PATHS];
  const lines = paths.flatMap((path) => [`Disallow: ${path}`, `Disallow: /*${path}`]);
  return `User-agent: *\n${lines.join("\n")}\n`;
}

/** Writes the guide for language models, in the form of llmstxt.org. */
function guideFor(request: FastifyRequest, { publicUrl }: GuideOptions): string {
  const { chains } = request;
  const root = publicUrl ?? baseOf(request);
  const isNamed = request.url !== request.originalUrl;
  const base = isNamed ? `${root}/${knownChainId(chains[0])}` : root;
  const link = (name: string, path: string, words: string) =>
    `- [${name}](${base}${path}): ${words}`;
  const modules = Object.entries(moduleSummaries).map(([module, summary]) => {
    const names = actionsIn("etherscan").filter((each) => each.module === module);
    const actions = names.map(({ action }) => `\`${action.name}\` (${action.summary})`).join(", ");
    return link(module, `/openapi/${module}.json`, `${summary}. ${actions}`);
  });
  const served = chains.map((chain) => {
    const id = knownChainId(chain);
    return link(
      chainTitle(chain),
      isNamed || chains.length === 1 ? "/health" : `/${id}/health`,
      `chain ${id}`,
    );
  });
  return [
    "# Periscope",
    "",
    "> The explorer of an EVM chain: an index that answers in the dialects of Blockscout and Etherscan, for reading.",
    "",
    ...RULES.map((rule) => `- ${rule}`),
    "",
    "## Bases",
    link(
      "Etherscan's dialect",
      "/v2/chainlist",
      `${base}/v2/api/{module}/{action}, with \`chainid\` where several chains are served`,
    ),
    link(
      "Blockscout's dialect",
      "/openapi.json",
      `${base}/api/{module}/{action}; the whole description is large`,
    ),
    link("MCP", "/mcp", "tools for agents, by POST"),
    link("Sourcify", "/sourcify/chains", "verified sources, API v2"),
    link("Documentation", "/docs", "every action, to be tried"),
    "",
    "## Chains",
    ...served,
    "",
    "## Actions",
    ...modules,
    "",
  ].join("\n");
}
