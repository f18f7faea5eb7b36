import type { FastifyInstance } from "fastify";
import FindMyWay, { type Config, type HTTPVersion } from "find-my-way";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Returns whether a path with these parameters exists; by default every one does. */
    isThere?: (parameters: Readonly<Record<string, string | undefined>>) => boolean;
  }
}

/** The methods of routes. */
const METHODS = ["GET", "HEAD", "POST"] as const;

/** Notes routes added from now on; returns a function for the methods of a URL, which Fastify's router does not offer. */
export function noteMethods(
  app: FastifyInstance,
  options: Config<HTTPVersion.V1>,
): (url: string) => readonly string[] {
  const router = FindMyWay(options);
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const noted of METHODS.filter((known) => [method].flat().includes(known))) {
      router.on(noted, url, () => {}, config?.isThere);
    }
  });
  return (url) =>
    METHODS.filter((method) => {
      const found = router.find(method, url);
      const isThere: ((parameters: object) => boolean) | undefined = found?.store;
      return found && (isThere?.(found.params) ?? true);
    });
}
