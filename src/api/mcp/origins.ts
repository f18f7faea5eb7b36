import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";

export interface OriginOptions {
  /** Origins whose pages may ask; `*` for any. */
  mcpOrigins: readonly string[];
  publicUrl: string | undefined;
}

const LOCAL = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Says why a request may not ask; undefined when it may. Otherwise another site could drive an agent's local endpoint from a
 * browser, also by a name that leads to this machine.
 */
export function originFault(
  { headers, server }: FastifyRequest,
  { mcpOrigins, publicUrl }: OriginOptions,
): string | undefined {
  const publicHost = URL.parse(publicUrl ?? "")?.host;
  const { origin, host = "" } = headers;
  if (origin !== undefined && !mcpOrigins.includes("*") && !mcpOrigins.includes(origin)) {
    const url = URL.parse(origin);
    const isOwn = url !== null && (url.host === host.toLowerCase() || url.host === publicHost);
    if (!isOwn && !LOCAL.has(url?.hostname ?? "")) return "Origin is not allowed";
  }
  const hostName = URL.parse(`http://${host}`)?.hostname ?? "";
  const isKnown = LOCAL.has(hostName) || host === publicHost;
  return isLocalOnly(server.server.address()) && !isKnown ? "Host is not allowed" : undefined;
}

function isLocalOnly(address: ReturnType<FastifyRequest["server"]["server"]["address"]>): boolean {
  if (address === null || typeof address === "string") return false;
  const { address: ip } = address;
  return isIP(ip) === 4 ? ip.startsWith("127.") : ip === "::1";
}
