import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { parseRpcBody } from "../api/eth-rpc/handle.ts";
import { endOf, jsonAnswer, jsonText, REVALIDATE, send } from "../api/http/answer.ts";
import type { RateLimiter, RateLimitOptions } from "../api/http/rate-limit.ts";
import type { GuideOptions } from "../api/openapi/document.ts";
import { type ChainsOption, perChain } from "../api/serving/served-chain.ts";
import type { Answerers } from "../api/serving/server.ts";
import { keepResult } from "../core/async.ts";
import { RequestError } from "../core/errors.ts";
import { createPageAnswers } from "./answers.ts";
import { loadAsset, loadAssets, sendAsset } from "./assets.ts";
import { createNetworkDescription } from "./network.ts";
import { baseOf } from "./shell.ts";
import { addSubjects } from "./subjects.ts";
import { watchSync } from "./sync-history.ts";

const REFERENCE = "/docs";

/** The files of the reference page. Their names are constant, so clients must revalidate them. */
const FILES: Readonly<Record<string, string>> = {
  [REFERENCE]: "./reference/docs.html",
  // Browsers request it when they show an answer of the API.
  "/favicon.ico": "./browser/style/icon.svg",
  "/pages/theme.css": "./browser/style/theme.css",
  "/pages/docs.css": "./reference/docs.css",
  "/pages/docs.js": "./reference/docs.js",
  "/pages/icon.svg": "./browser/style/icon.svg",
  "/pages/swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
  "/pages/swagger-ui-bundle.js": "swagger-ui-dist/swagger-ui-bundle.js",
};

const FOR_EVER = "public, max-age=31536000, immutable";

/** Body of a request that combines several of a page. */
const ASKED = z
  .array(z.object({ path: z.string().max(4000), body: z.string().max(100_000).optional() }))
  .max(16);

/** Adds the pages for people: those of the chain, `/docs` with the API, and their files. */
export function addPages(
  app: FastifyInstance,
  options: ChainsOption & Pick<GuideOptions, "publicUrl"> & RateLimitOptions,
  limiter: RateLimiter,
  answerers: Answerers,
): void {
  const answerPage = createPageAnswers(answerers, limiter);
  const historyOf = watchSync(app, options.chains);
  for (const [url, file] of Object.entries(FILES)) {
    const getFile = keepResult(() => loadAsset(file));
    app.get(url, async (request, reply) => {
      // With a slash at the end of the URL the page's relative links would be wrong.
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
  app.get("/pages/compilers.json", { onRequest: limiter.admit }, async ({ chains }, reply) => {
    const { verifier } = chains[0];
    const [solc, vyper] = await Promise.all([
      verifier.compilers("solc"),
      verifier.compilers("vyper"),
    ]);
    return send(reply, jsonAnswer({ solc, vyper }));
  });
  app.post("/pages/answers.json", { onRequest: limiter.admit }, async (request, reply) => {
    const asked = ASKED.safeParse(parseRpcBody(request)?.json);
    if (!asked.success) throw new RequestError(400, "bad-request", "Bad request");
    return send(reply, jsonText(await answerPage(request, asked.data, endOf(reply))));
  });
  const getAssets = keepResult(loadAssets);
  app.get<{ Params: { digest: string; file: string } }>(
    "/pages/:digest/:file",
    async (request, reply) => {
      const { digest, file } = request.params;
      const current = await getAssets();
      const asset = await current.get(file);
      if (!asset) return reply.callNotFound();
      // A page of another version may request it. The current file mostly works, but must not be cached.
      return sendAsset(request, reply, asset, digest === current.digest ? FOR_EVER : REVALIDATE);
    },
  );
  addSubjects(app, options, getAssets, limiter, answerPage);
}
