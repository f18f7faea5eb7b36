import {
  BUNDLED_VERSION,
  type CompilerCatalogue,
  createCatalogue,
} from "../compilers/catalogue.ts";
import { DEFAULT_LIMITS, runWorker, type WorkerLimits } from "./worker-process.ts";

export interface CompileOptions {
  /** Any accepted spelling of a solc version. Default: the bundled one. */
  compilerVersion?: string;
  /** Where else to look than the bundled compiler. */
  catalogue?: CompilerCatalogue;
  limits?: WorkerLimits;
  signal?: AbortSignal;
}

/**
 * Compiles standard JSON with solc in a process of its own and gives the compiler's standard JSON answer, errors of the
 * sources included. Throws `VerificationError` when the compiler is not to be had or a bound is hit.
 */
export async function compileStandardJson(
  input: object,
  options: CompileOptions = {},
): Promise<unknown> {
  const catalogue =
    options.catalogue ??
    createCatalogue({
      folders: { solc: undefined, vyper: undefined },
      downloads: { solc: undefined, vyper: undefined },
    });
  const build = await catalogue.resolve("solc", options.compilerVersion ?? BUNDLED_VERSION);
  const task = { type: "compile", input: JSON.stringify(input) } as const;
  const answer = await runWorker(build, task, options.limits ?? DEFAULT_LIMITS, options.signal);
  return answer.type === "output" ? JSON.parse(answer.output) : undefined;
}
