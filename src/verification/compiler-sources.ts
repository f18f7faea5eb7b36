import type { Logger } from "pino";
import type { CompilerBuild, CompilerFamily } from "./compilers/build.ts";
import { type CompilerCatalogue, createCatalogue } from "./compilers/catalogue.ts";
import { type CompilerDownloads, createDownloads } from "./compilers/downloads.ts";
import { DEFAULT_LIMITS, runWorker } from "./process/worker-process.ts";

export interface CompilerSource {
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

function check(build: CompilerBuild): Promise<unknown> {
  return runWorker(build, { type: "version" }, DEFAULT_LIMITS);
}
