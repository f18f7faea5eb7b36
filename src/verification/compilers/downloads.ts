import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { messageOf } from "../../core/errors.ts";
import { splitCredentials } from "../../core/secrets.ts";
import {
  type CompilerBuild,
  type CompilerFamily,
  type CompilerKind,
  type CompilerVersion,
  formatVersion,
  parseFileName,
  parseVersion,
} from "./versions.ts";

/** A downloadable compiler. */
export interface ListedBuild {
  kind: CompilerKind;
  version: CompilerVersion;
  url: string;
  /** Hex digits. */
  sha256: string;
}

/** The compilers of one list, stored in one folder. */
export type CompilerDownloads = ReturnType<typeof createDownloads>;

export interface DownloadOptions {
  /** A `list.json` as of binaries.soliditylang.org; paths in it are relative to it. */
  listUrl: string;
  folder: string;
  family: CompilerFamily;
  /** Runs a compiler in a separate process; throws unless its version is the list's. */
  check(build: CompilerBuild): Promise<unknown>;
  log: { warn(data: object, message: string): void };
}

const LIST_MAX_AGE_MS = 3_600_000;
/** Pause after a failure, so that submissions do not all request an unavailable list. */
const LIST_RETRY_MS = 60_000;
const MAX_BYTES = 60 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

const List = z.object({
  builds: z.array(
    z.object({
      path: z.string(),
      longVersion: z.string(),
      sha256: z.string().regex(/^(?:0x)?[0-9a-f]{64}$/i),
    }),
  ),
});

/** Creates the downloader of a list. Fetches nothing before the first call. */
export function createDownloads(options: DownloadOptions) {
  const { listUrl, folder, log } = options;
  const running = new Map<string, Promise<string | undefined>>();
  let known: Promise<ListedBuild[]> = Promise.resolve([]);
  let validUntil = 0;

  async function readList(): Promise<ListedBuild[]> {
    try {
      const list = List.parse(JSON.parse((await download(listUrl)).toString("utf8")));
      validUntil = performance.now() + LIST_MAX_AGE_MS;
      return list.builds.flatMap((build) => listedBuild(build, options));
    } catch (error) {
      log.warn(
        { list: readHost(listUrl), error: messageOf(error) },
        "cannot read the list of compilers",
      );
      return [];
    }
  }

  async function fetchFile(build: ListedBuild): Promise<string | undefined> {
    const file = path.join(folder, formatFileName(build));
    if (existsSync(file)) return file;
    const temporary = path.join(folder, `.download-${randomUUID()}${path.extname(file)}`);
    try {
      const bytes = await download(build.url);
      if (createHash("sha256").update(bytes).digest("hex") !== build.sha256) {
        throw new Error("its SHA-256 differs from the list's");
      }
      await mkdir(folder, { recursive: true });
      await writeFile(temporary, bytes);
      await chmod(temporary, 0o755);
      await options.check({ ...build, file: temporary });
      await rename(temporary, file);
      return file;
    } catch (error) {
      const { kind, version } = build;
      log.warn(
        {
          kind,
          version: formatVersion(version),
          from: readHost(build.url),
          error: messageOf(error),
        },
        "cannot download a compiler",
      );
      return undefined;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  return {
    /** Lists builds that run here, read again after an hour; empty, and logged, when unreadable. */
    list: () => {
      if (performance.now() >= validUntil) {
        validUntil = performance.now() + LIST_RETRY_MS;
        known = readList();
      }
      return known;
    },
    /** Returns the path of the compiler's file. Undefined, and logged, when unavailable. Concurrent calls share one download. */
    fetch: (build: ListedBuild) => {
      const started = running.get(build.url);
      if (started !== undefined) return started;
      const download = fetchFile(build).finally(() => running.delete(build.url));
      running.set(build.url, download);
      return download;
    },
  };
}

function listedBuild(
  entry: z.output<typeof List>["builds"][number],
  { listUrl, family }: DownloadOptions,
): ListedBuild[] {
  const url = URL.parse(entry.path, listUrl);
  const version = parseVersion(entry.longVersion);
  if (url === null || version === undefined || version.commit === "") return [];
  const name = decodeURIComponent(path.posix.basename(url.pathname));
  const kind = family === "vyper" ? "vyper" : parseFileName(name)?.kind;
  if (kind === undefined || (kind !== "soljson" && !runsHere(name, kind))) return [];
  return [{ kind, version, url: url.href, sha256: entry.sha256.toLowerCase().replace(/^0x/, "") }];
}

/** Returns whether a list's compiler runs here: an executable's file name has its platform, except in vyper's lists for Linux on x64. */
function runsHere(name: string, kind: CompilerKind): boolean {
  const platform = { linux: "linux", darwin: "macosx" }[process.platform as "linux" | "darwin"];
  const architecture = { x64: "amd64", arm64: "arm64" }[process.arch as "x64" | "arm64"];
  const here = `${platform}-${architecture}`;
  return kind === "vyper" ? here === "linux-amd64" : name.includes(here);
}

/** Returns the file name, with only digits, dots and words of the version. */
function formatFileName({ kind, version }: ListedBuild): string {
  const name = `${kind === "native" ? "solc" : kind}-v${formatVersion(version)}`;
  return kind === "soljson" ? `${name}.js` : name;
}

/** Returns the host, the only part of a URL that may be logged. */
function readHost(url: string): string {
  return new URL(url).host;
}

/** Downloads a URL, with its credentials as Basic authentication. Throws above 60 MB or after 60 s. */
async function download(text: string): Promise<Buffer> {
  const { bare, headers } = splitCredentials(new URL(text));
  const response = await fetch(bare, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok || response.body === null) throw new Error(`HTTP status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES >> 20} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
