import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { keepResult } from "../../core/async.ts";
import { hasTag, REVALIDATE } from "../caching.ts";
import { acceptedEncodings } from "../compression.ts";
import { jsonAnswer } from "../envelope.ts";
import { type HttpOptions, send } from "../http.ts";
import type { RateLimiter, RateLimitOptions } from "../rate-limit.ts";
import { perChain } from "../served-chain.ts";
import { type Asset, loadAssets } from "./assets.ts";
import { createNetworkDescription } from "./network.ts";
import { SECURITY_HEADERS } from "./security.ts";
import { baseOf } from "./shell.ts";
import { addSubjects } from "./subjects.ts";
import { watchSync } from "./sync-history.ts";

/** A file as it is sent. */
interface DocumentFile {
  contentType: string;
  etag: string;
  bytes: Buffer;
  packed: Buffer;
}

const pack = promisify(gzip);

const REFERENCE = "/docs";

/** The files of the reference page. They keep their names, so clients must revalidate them. */
const FILES: Readonly<Record<string, string>> = {
  [REFERENCE]: "./docs.html",
  // A browser that shows an answer of the API asks for it.
  "/favicon.ico": "./browser/icon.svg",
  "/pages/theme.css": "./browser/theme.css",
  "/pages/docs.css": "./docs.css",
  "/pages/docs.js": "./docs.js",
  "/pages/icon.svg": "./browser/icon.svg",
  "/pages/swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
  "/pages/swagger-ui-bundle.js": "swagger-ui-dist/swagger-ui-bundle.js",
};
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const FOR_EVER = "public, max-age=31536000, immutable";

/** Adds the pages for people: those of the chain, `/docs` with the API, and their files. */
export function addPages(
  app: FastifyInstance,
  options: Pick<HttpOptions, "chains"> & RateLimitOptions,
  limiter: RateLimiter,
): void {
  const historyOf = watchSync(app, options.chains);
  for (const [url, file] of Object.entries(FILES)) {
    const getFile = keepResult(() => loadFile(file));
    app.get(url, async (request, reply) => {
      // Its links are relative: behind a slash at the end they would lead nowhere.
      const base = url === REFERENCE ? baseOf(request.originalUrl, 1) : "./";
      if (base !== "./") return reply.redirect(`${base}docs`, 302);
      return sendFile(request, reply, await getFile());
    });
  }
  app.get("/pages/history.json", ({ chains }, reply) =>
    send(reply, jsonAnswer(historyOf(chains[0]))),
  );
  const describe = perChain((chain) => createNetworkDescription(chain, options));
  app.get("/pages/network.json", { onRequest: limiter.admit }, async ({ chains }, reply) =>
    send(reply, jsonAnswer(await describe(chains[0])())),
  );
  const getAssets = keepResult(loadAssets);
  app.get<{ Params: { digest: string; file: string } }>(
    "/pages/:digest/:file",
    async (request, reply) => {
      const { digest, file } = request.params;
      const current = await getAssets();
      const asset = await current.get(file);
      if (!asset) return reply.callNotFound();
      // A page of another version may ask for it. The present file mostly works, but must not be cached.
      return sendAsset(request, reply, asset, digest === current.digest);
    },
  );
  addSubjects(app, options.chains, getAssets, limiter);
}

async function loadFile(file: string): Promise<DocumentFile> {
  const bytes = await readFile(new URL(import.meta.resolve(file)));
  return {
    contentType: CONTENT_TYPES[path.extname(file)] ?? "application/octet-stream",
    etag: `W/"${createHash("sha256").update(bytes).digest("base64url")}"`,
    bytes,
    packed: await pack(bytes),
  };
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, etag, bytes, packed }: DocumentFile,
): FastifyReply {
  reply.headers({
    ...SECURITY_HEADERS,
    etag,
    "cache-control": REVALIDATE,
    vary: "accept-encoding",
  });
  if (hasTag(request, etag)) return reply.code(304).send();
  reply.header("content-type", contentType);
  return acceptedEncodings(request).has("gzip")
    ? reply.header("content-encoding", "gzip").send(packed)
    : reply.send(bytes);
}

function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, bytes, brotli, gzip: zipped }: Asset,
  isCurrent: boolean,
): FastifyReply {
  reply.headers({
    ...SECURITY_HEADERS,
    "content-type": contentType,
    "cache-control": isCurrent ? FOR_EVER : REVALIDATE,
    vary: "accept-encoding",
  });
  const accepted = acceptedEncodings(request);
  if (accepted.has("br")) return reply.header("content-encoding", "br").send(brotli);
  if (accepted.has("gzip")) return reply.header("content-encoding", "gzip").send(zipped);
  return reply.send(bytes);
}
