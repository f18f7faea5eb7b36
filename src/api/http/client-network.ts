import net from "node:net";
import type { FastifyRequest } from "fastify";

/** An address in `X-Forwarded-For` with brackets or a port, as some proxies write it. */
const WITH_PORT = /(?<=^|[\s,])(?:\[([^\]\s,]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?(?=$|[\s,])/g;

/** Returns the addresses of an `X-Forwarded-For` header without the ports of clients and proxies. */
export function withoutPorts(forwardedFor: string): string {
  return forwardedFor.replace(WITH_PORT, "$1$2");
}

/** Returns the client's IPv4 address, or the 64 network bits of its IPv6 address. */
export function networkOf({ ip, socket }: FastifyRequest): string {
  // A proxy may have sent any text.
  const address = net.isIP(ip) === 0 ? (socket.remoteAddress ?? "") : ip;
  if (!net.isIPv6(address)) return address;
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [withoutZone = ""] = address.split("%");
  const canonical = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
  const [left = "", right = ""] = canonical.split("::");
  const [before, after] = [left, right].map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill("0");
  return [...(before ?? []), ...zeros, ...(after ?? [])].slice(0, 4).join(":");
}
