import type { FastifyInstance } from "fastify";
import { type Dialect, jsonAnswer } from "../explorer/envelope.ts";
import { moduleSummaries } from "../explorer/registry.ts";
import { type HttpOptions, send } from "../http/http.ts";
import { chainTitle, knownChainId, type ServedChain } from "../serving/served-chain.ts";
import { describeActions } from "./actions.ts";
import { type OtherRoute, otherRoutes } from "./other-routes.ts";
import { errorResponses } from "./responses.ts";
import { restRoutes } from "./rest-verification.ts";
import { createComponents, explorerFailure, rpcFailure } from "./schemas.ts";
import { sourcifyRoutes } from "./sourcify.ts";

export interface DocumentOptions {
  /** The program's version. */
  version: string;
}

/** The parts of the document that the program itself reads. */
export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, object>>;
  components: { schemas: Readonly<Record<string, object>> };
}

interface ApiServer {
  url: string;
  description: string;
}

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

const OTHER_TAGS: Readonly<Record<string, string>> = {
  "eth-rpc": "JSON-RPC, from the index where it can, else from the node",
  ots: "JSON-RPC that the block explorer Otterscan is built on",
  sourcify: "Sourcify's API v2: verified sources, and verification, for tools that speak it",
  operations: "For operators of the server",
};

/** Adds `/openapi.json`. The document is built on the first request, and again when the chains change. */
export function addDocumentation(
  app: FastifyInstance,
  options: DocumentOptions & Pick<HttpOptions, "chains"> & { publicUrl: string | undefined },
): void {
  let made: { servers: string; answer: ReturnType<typeof jsonAnswer> } | undefined;
  app.get("/openapi.json", (_request, reply) => {
    const servers = serversOf(options.chains(), options.publicUrl);
    const key = JSON.stringify(servers);
    if (made?.servers !== key) {
      made = { servers: key, answer: jsonAnswer(describeApi(options, servers)) };
    }
    return send(reply, made.answer);
  });
}

/** Returns the document's servers: for all chains, and for each of several. */
function serversOf(chains: readonly ServedChain[], publicUrl: string | undefined): ApiServer[] {
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
  const others = [...otherRoutes, ...restRoutes, ...sourcifyRoutes].map((route) => {
    for (const [name, schema] of Object.entries(route.schemas ?? {})) components.add(name, schema);
    return { [route.path]: { [route.method]: describeRoute(route) } };
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
        apikey: {
          type: "apiKey",
          in: "query",
          name: "apikey",
          description: "Counts requests by key",
        },
        header: {
          type: "apiKey",
          in: "header",
          name: "x-api-key",
          description: "Counts requests by key",
        },
      },
    },
  } as ApiDocument;
}

function describeRoute({
  path: _path,
  method: _method,
  schemas: _schemas,
  tag,
  ...route
}: OtherRoute) {
  return { tags: [tag], ...route };
}
