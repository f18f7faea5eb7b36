import { opendirSync, readFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { z } from "zod";
import { codeOf, pathFault } from "../core/errors.ts";
import { type Address, isAddress, lowerAddress } from "../core/evm/address.ts";

// Types of settings: they parse text into a value. The message of a failure completes a sentence that begins with the name.

/** Parses items separated by commas, each of one type. An empty one is an error. */
export function list(item: z.ZodType<string, string>): z.ZodType<string[], string> {
  return z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim()))
    .pipe(z.array(z.string().min(1, { error: "must have no empty entry" }).pipe(item)));
}

export function url(...protocols: string[]): z.ZodType<string, string> {
  const kinds = protocols.map((protocol) => `${protocol}//…`).join(" or ");
  return z
    .string()
    .refine((text) => !/\s/.test(text), { error: "must have no blanks in a URL", abort: true })
    .refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ""), {
      error: `must be a URL like ${kinds}`,
    });
}

/** Parses a URL that paths can be appended to; the value has no slash at the end. */
export const publicUrl: z.ZodType<string, string> = url("http:", "https:")
  .pipe(matching(/^[^?#@]+$/, "must be a URL without user, query or fragment"))
  .transform((text) => text.replace(/\/+$/, ""));

/** Accepted parameters of a database URL: the driver sends others as settings to the server. */
const DATABASE_PARAMETERS: ReadonlySet<string> = new Set([
  "sslmode",
  "sslrootcert",
  "ssl",
  "prepare",
  "options",
  "target_session_attrs",
  "connect_timeout",
]);

/** Parses a URL whose password is percent-encoded: otherwise a part of it would become host, port or path. */
export const databaseUrl: z.ZodType<string, string> = z
  .string()
  .refine(
    (text) => {
      const parts = /^postgres(?:ql)?:\/\/(?:[^/@?#]*@)?[^/@?#]*(?:[/?#][^@]*)?$/i.exec(text);
      return parts !== null && URL.canParse(text) && isEncoded(text);
    },
    {
      error:
        "must be a URL like postgres://user:password@host:5432/name; percent-encode what is special in its password " +
        "(% as %25, / as %2F, @ as %40, ? as %3F, # as %23, : as %3A)",
      abort: true,
    },
  )
  .superRefine((text, context) => {
    for (const name of new URL(text).searchParams.keys()) {
      if (DATABASE_PARAMETERS.has(name)) continue;
      const known = [...DATABASE_PARAMETERS].join(", ");
      context.addIssue(`must not have the parameter ${name}; the known ones are ${known}`);
    }
    const fault = certificatesFault(new URL(text).searchParams.get("sslrootcert") ?? "system");
    if (fault !== null) {
      context.addIssue(`must name as sslrootcert a PEM file that this user can read, but ${fault}`);
    }
  });

function certificatesFault(file: string): string | null {
  if (file === "system") return null;
  try {
    return readFileSync(file, "latin1").includes("-----BEGIN CERTIFICATE-----")
      ? null
      : "the file has no certificate";
  } catch (error) {
    return pathFault(error);
  }
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export function whole(minimum: number, maximum: number): z.ZodType<number, string> {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,16}$/, { error })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, { error });
}

export function oneOf<const Name extends string>(...names: [Name, ...Name[]]) {
  const error = `must be ${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  return z.string().pipe(z.enum(names, { error }));
}

export const flag: z.ZodType<boolean, string> = oneOf("0", "1").transform((text) => text === "1");

export function matching(pattern: RegExp, error: string): z.ZodString {
  return z.string().regex(pattern, { error });
}

export const address: z.ZodType<Address, string> = z
  .string()
  .refine(isAddress, { error: "must be an address" })
  .transform(lowerAddress);

/** Parses `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`, or the name of a set of private networks. */
export const network: z.ZodType<string, string> = z.string().refine(
  (text) => {
    if (/^(?:loopback|linklocal|uniquelocal)$/.test(text)) return true;
    const [, address = "", bits = "0"] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
    return net.isIP(address) > 0 && Number(bits) <= (net.isIPv6(address) ? 128 : 32);
  },
  { error: "must be addresses, networks like 10.0.0.0/8, loopback, linklocal or uniquelocal" },
);

/** Parses a path of a file; its reader reports errors. */
export const file: z.ZodType<string, string> = z.string().transform((text) => path.resolve(text));

/** Parses a path of a folder, which is created when missing. */
export const folder: z.ZodType<string, string> = file.superRefine((name, context) => {
  try {
    opendirSync(name).closeSync();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    context.addIssue(`must be a folder that this user can read, but ${pathFault(error)}`);
  }
});
