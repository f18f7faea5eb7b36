import { type CompilerVersion, parseVersion } from "./versions.ts";

export type CompilerFamily = "solc" | "vyper";

/** `soljson`: solc as JavaScript. `native`: solc as an executable. `vyper`: always an executable. */
export type CompilerKind = "soljson" | "native" | "vyper";

/** A compiler file on this machine. */
export interface CompilerBuild {
  kind: CompilerKind;
  /** The version in its file name or list; checked by `openCompiler`. */
  version: CompilerVersion;
  file: string;
}

const FILE_NAMES: readonly { pattern: RegExp; kind: CompilerKind; family: CompilerFamily }[] = [
  { pattern: /^soljson-(v[\w.+-]+)\.js$/, kind: "soljson", family: "solc" },
  { pattern: /^solc(?:-[a-z]+-[a-z0-9]+)?-(v[\w.+-]+)$/, kind: "native", family: "solc" },
  { pattern: /^vyper[.-]?(v?\d[\w.+-]*?)(?:\.linux)?$/, kind: "vyper", family: "vyper" },
];

/** Parses a compiler's file name; undefined for other names. The commit may be missing. */
export function parseFileName(
  name: string,
): { kind: CompilerKind; family: CompilerFamily; version: CompilerVersion } | undefined {
  for (const { pattern, kind, family } of FILE_NAMES) {
    const version = parseVersion(pattern.exec(name)?.[1] ?? "");
    if (version !== undefined) return { kind, family, version };
  }
  return undefined;
}
