import type { FastifyInstance } from "fastify";
import { jsonAnswer } from "../api/explorer/envelope.ts";
import { REVALIDATE } from "../api/http/caching.ts";
import { type HttpOptions, send } from "../api/http/http.ts";
import type { RateLimiter, RateLimitOptions } from "../api/http/rate-limit.ts";
import { perChain } from "../api/serving/served-chain.ts";
import { keepResult } from "../core/async.ts";
import { loadAsset, loadAssets, sendAsset } from "./assets.ts";
import { createNetworkDescription } from "./network.ts";
import { baseOf } from "./shell.ts";
import { addSubjects } from "./subjects.ts";
import { watchSync } from "./sync-history.ts";

const REFERENCE = "/docs";

/** The files of the reference page. Their names are constant, so clients must revalidate them. */
const FILES: Readonly<Record<string, string>> = {
  [REFERENCE]: "./reference/docs.html",
  // A browser that shows an answer of the API asks for it.
  "/favicon.ico": "./browser/icon.svg",
  "/pages/theme.css": "./browser/theme.css",
  "/pages/docs.css": "./reference/docs.css",
  "/pages/docs.js": "./reference/docs.js",
  "/pages/icon.svg": "./browser/icon.svg",
  "/pages/swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
  "/pages/swagger-ui-bundle.js": "swagger-ui-dist/swagger-ui-bundle.js",
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
    const getFile = keepResult(() => loadAsset(file));
    app.get(url, async (request, reply) => {
      // Its links are relative: behind a slash at the end they would lead nowhere.
      const base = url === REFERENCE ? baseOf(request.originalUrl, 1) : "./";
      if (base !== "./") return reply.redirect(`${base}docs`, 302);
      return sendAsset(request, reply, await getFile(), REVALIDATE);
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
      return sendAsset(request, reply, asset, digest === current.digest ? FOR_EVER : REVALIDATE);
    },
  );
  addSubjects(app, options.chains, getAssets, limiter);
}
