import type { FastifyInstance, FastifyRequest } from "fastify";
import { actionsIn, moduleSummaries } from "../explorer/registry.ts";
import { send } from "../http/answer.ts";
import { baseOf } from "../serving/chains.ts";
import { chainTitle, knownChainId } from "../serving/served-chain.ts";

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
