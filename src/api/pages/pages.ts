import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { jsonAnswer } from "../envelope.ts";
import type { HttpOptions } from "../http.ts";
import { send } from "../http.ts";
import type { RateLimitOptions } from "../rate-limit.ts";
import { perChain } from "../served-chain.ts";
import { createNetworkDescription } from "./network.ts";
import { watchSync } from "./sync-history.ts";

/** A file as it is sent. */
interface Asset {
  contentType: string;
  etag: string;
  bytes: Buffer;
  packed: Buffer;
}

const pack = promisify(gzip);

const FILES: Readonly<Record<string, string>> = {
  "/": "./home.html",
  "/docs": "./docs.html",
  "/pages/theme.css": "./theme.css",
  "/pages/home.css": "./home.css",
  "/pages/home.js": "./home.js",
  "/pages/docs.css": "./docs.css",
  "/pages/docs.js": "./docs.js",
  "/pages/icon.svg": "./icon.svg",
  "/pages/swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
  "/pages/swagger-ui-bundle.js": "swagger-ui-dist/swagger-ui-bundle.js",
};
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Nothing is loaded from, sent to or framed by another server. */
const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Adds the pages for people: `/` with the state of the index, `/docs` with the API, and what they are made of. */
export function addPages(
  app: FastifyInstance,
  options: Pick<HttpOptions, "chains"> & RateLimitOptions,
): void {
  const historyOf = watchSync(app, options.chains);
  for (const [url, file] of Object.entries(FILES)) {
    let asset: Promise<Asset> | undefined;
    app.get(url, async (request, reply) => {
      asset ??= loadAsset(file);
      return sendAsset(request, reply, await asset);
    });
  }
  app.get("/pages/history.json", ({ chains }, reply) =>
    send(reply, jsonAnswer(historyOf(chains[0]))),
  );
  const describe = perChain((chain) => createNetworkDescription(chain, options));
  app.get("/pages/network.json", async ({ chains }, reply) =>
    send(reply, jsonAnswer(await describe(chains[0])())),
  );
}

async function loadAsset(file: string): Promise<Asset> {
  const bytes = await readFile(new URL(import.meta.resolve(file)));
  return {
    contentType: CONTENT_TYPES[path.extname(file)] ?? "application/octet-stream",
    etag: `"${createHash("sha256").update(bytes).digest("base64url")}"`,
    bytes,
    packed: await pack(bytes),
  };
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const { contentType, etag, bytes, packed } = asset;
  reply.headers({
    ...SECURITY_HEADERS,
    etag,
    "cache-control": "no-cache",
    vary: "accept-encoding",
  });
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  reply.header("content-type", contentType);
  const takesGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  return takesGzip ? reply.header("content-encoding", "gzip").send(packed) : reply.send(bytes);
}
