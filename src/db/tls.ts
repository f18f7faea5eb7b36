import { once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";
import tls from "node:tls";
import { ConfigError, messageOf } from "../core/errors.ts";

// The driver supports TLS, but lacks some of libpq's modes and custom root certificates, and
// continues silently where the server offers no TLS.

const MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

/** The modes of TLS, in libpq's words (PostgreSQL documentation, "SSL Support", Protection Provided). */
export interface TlsOptions {
  mode: (typeof MODES)[number];
  /** PEM of the trusted certificates; undefined: Node's. */
  rootCertificates: string | undefined;
}

/** Reads `sslmode` and `sslrootcert` of a URL, as libpq does, and returns the URL without them. Throws `ConfigError`. */
export function readTlsOptions(databaseUrl: string): { url: string; tls: TlsOptions } {
  const url = new URL(databaseUrl);
  const { searchParams } = url;
  const asked = searchParams.get("sslmode") ?? searchParams.get("ssl") ?? "disable";
  const name = asked === "true" ? "verify-full" : asked === "false" ? "disable" : asked;
  const mode = MODES.find((one) => one === name);
  if (mode === undefined) {
    throw new ConfigError(`the database URL asks for an unknown sslmode; take ${MODES.join(", ")}`);
  }
  const file = searchParams.get("sslrootcert");
  const rootCertificates = file === null || file === "system" ? undefined : readCertificates(file);
  for (const parameter of ["ssl", "sslmode", "sslrootcert"]) searchParams.delete(parameter);
  const verifies = mode === "require" && rootCertificates !== undefined;
  return { url: url.href, tls: { mode: verifies ? "verify-ca" : mode, rootCertificates } };
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`sslrootcert of the database cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Length 8 and the code of an SSLRequest (PostgreSQL documentation, "Message Formats"). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const ACCEPTED = "S";

/** Time limit of a server's accepting a connection, in seconds. */
export const CONNECT_TIMEOUT_SECONDS = 10;

/** Opens a socket, secured as `tls` asks, without Nagle's delay of 40 ms. A failure is an error of the socket, as the driver needs. */
export async function openSocket(
  options: { host: string[]; port: number[]; path: string | false },
  tlsOptions: TlsOptions,
): Promise<net.Socket> {
  const host = options.host[0] ?? "localhost";
  if (options.path) return net.connect({ path: options.path });
  // The driver reads the server's name for its errors from these properties of the socket.
  const server = { host, port: options.port[0] ?? 5432 };
  const socket = Object.assign(net.connect({ ...server, noDelay: true }), server);
  if (tlsOptions.mode === "disable") return socket;
  try {
    return Object.assign(await secureSocket(socket, host, tlsOptions), server);
  } catch (error) {
    const failed = new net.Socket();
    setImmediate(() => failed.destroy(error as Error));
    return failed;
  }
}

/** Secures a connecting socket, or returns it plain where the server and the mode allow that. Rejects, and closes it, on failure. */
async function secureSocket(socket: net.Socket, host: string, tlsOptions: TlsOptions) {
  const ended = new AbortController();
  const closed = (): void => ended.abort(new Error("the database server ended the connection"));
  socket.once("close", closed);
  const overdue = setTimeout(() => {
    ended.abort(new Error("the database server does not answer the request for TLS"));
  }, CONNECT_TIMEOUT_SECONDS * 1_000);
  try {
    return await negotiate(socket, host, tlsOptions, ended.signal);
  } catch (error) {
    socket.on("error", () => {}).destroy();
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    clearTimeout(overdue);
    socket.off("close", closed);
  }
}

async function negotiate(
  socket: net.Socket,
  host: string,
  { mode, rootCertificates }: TlsOptions,
  signal: AbortSignal,
): Promise<net.Socket> {
  await once(socket, "connect", { signal });
  socket.write(SSL_REQUEST);
  const [answer] = (await once(socket, "data", { signal })) as [Buffer];
  // Bytes beyond the first came from an attacker in between, ahead of the encryption (CVE-2021-23222).
  if (answer.length !== 1) throw new Error("the database server answered more than was asked");
  if (answer.toString("latin1") !== ACCEPTED) {
    if (mode === "allow" || mode === "prefer") return socket;
    throw new Error(`the database server offers no TLS, but sslmode=${mode} asks for it`);
  }
  const secured = tls.connect({
    socket,
    ...(net.isIP(host) === 0 ? { servername: host } : { host }),
    ...(rootCertificates === undefined ? {} : { ca: rootCertificates }),
    rejectUnauthorized: mode === "verify-ca" || mode === "verify-full",
    ...(mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {}),
  });
  await once(secured, "secureConnect", { signal });
  return secured;
}
