import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { Logger } from "pino";
import { codeOf } from "../../core/errors.ts";
import { VerificationError } from "../errors.ts";
import { DEFAULT_LIMITS, runWorker } from "../process/worker-process.ts";
import { type CompilerDownloads, createDownloads, type ListedBuild } from "./downloads.ts";
import {
  type CompilerBuild,
  type CompilerFamily,
  type CompilerVersion,
  chooseBuild,
  chooseExactBuild,
  formatVersion,
  nearestVersions,
  parseFileName,
  parseVersion,
} from "./versions.ts";

/** The usable compilers. */
export type CompilerCatalogue = ReturnType<typeof createCatalogue>;

interface CatalogueOptions {
  /** Folders of compilers, filled by hand or by the downloader; a missing one is empty. */
  folders: { solc: string | undefined; vyper: string | undefined };
  downloads: { solc: CompilerDownloads | undefined; vyper: CompilerDownloads | undefined };
}

/** The version of the bundled compiler (a test compares it with the compiler's own). */
export const BUNDLED_VERSION = "0.8.37+commit.f401782d";

/** Creates the catalogue of bundled, stored and downloadable compilers; of equally good fits the first in that order counts. */
export function createCatalogue({ folders, downloads }: CatalogueOptions) {
  async function present(family: CompilerFamily): Promise<CompilerBuild[]> {
    const bundled = family === "solc" ? [bundledBuild()] : [];
    return [...bundled, ...(await buildsIn(folders[family], family))];
  }

  async function known(family: CompilerFamily): Promise<(CompilerBuild | ListedBuild)[]> {
    return [...(await present(family)), ...((await downloads[family]?.list()) ?? [])];
  }

  return {
    /** Returns the compiler of a version, downloaded if need be. Throws `VerificationError` of code `compiler-unavailable`. */
    resolve: async (family: CompilerFamily, requested: string): Promise<CompilerBuild> => {
      const wanted = parseVersion(requested);
      // A list may answer late, or not at all.
      const exact = wanted && chooseExactBuild(wanted, await present(family));
      if (exact) return exact;
      const builds = await known(family);
      const build = wanted && chooseBuild(wanted, builds);
      if (build !== undefined && "file" in build) return build;
      const file = build && (await downloads[family]?.fetch(build));
      if (build !== undefined && file !== undefined) return { ...build, file };
      throw new VerificationError({
        code: "compiler-unavailable",
        requested,
        nearest: nearestVersions(wanted, builds),
      });
    },
    list: async (family: CompilerFamily) => {
      const versions = (await known(family)).map(({ version }) => `v${formatVersion(version)}`);
      return [...new Set(versions)].sort((left, right) =>
        right.localeCompare(left, "en", { numeric: true }),
      );
    },
  };
}

function bundledBuild(): CompilerBuild {
  const file = createRequire(import.meta.url).resolve("solc/soljson.js");
  return { kind: "soljson", version: parseVersion(BUNDLED_VERSION) as CompilerVersion, file };
}

/** Executables first: they are faster and have no limits of their own. */
async function buildsIn(folder: string | undefined, family: CompilerFamily) {
  if (folder === undefined) return [];
  const builds = (await namesIn(folder)).flatMap((name) => {
    const parsed = parseFileName(name);
    if (parsed?.family !== family) return [];
    const { kind, version } = parsed;
    return [{ kind, version, file: path.join(folder, name) }];
  });
  return builds.sort((left, right) => left.kind.localeCompare(right.kind));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

interface CompilerSource {
  /** Folder of compilers, created by the first download. */
  folder: string;
  /** List of downloadable compilers; undefined: none is downloaded. */
  listUrl: string | undefined;
}

/** Creates the catalogue: the bundled compiler, and the folders and lists in the settings. */
export function openCatalogue(
  sources: Record<CompilerFamily, CompilerSource>,
  log: Pick<Logger, "warn">,
): CompilerCatalogue {
  const check = (build: CompilerBuild) => runWorker(build, { type: "version" }, DEFAULT_LIMITS);
  const downloads = (family: CompilerFamily): CompilerDownloads | undefined => {
    const { folder, listUrl } = sources[family];
    return listUrl === undefined
      ? undefined
      : createDownloads({ listUrl, folder, family, check, log });
  };
  return createCatalogue({
    folders: { solc: sources.solc.folder, vyper: sources.vyper.folder },
    downloads: { solc: downloads("solc"), vyper: downloads("vyper") },
  });
}
