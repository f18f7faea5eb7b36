import {
  BUNDLED_VERSION,
  type CompilerCatalogue,
  createCatalogue,
} from "../../src/verification/compilers/catalogue.ts";
import {
  DEFAULT_LIMITS,
  runWorker,
  type WorkerLimits,
} from "../../src/verification/process/worker-process.ts";

export interface CompileOptions {
  /** Any accepted spelling of a solc version. Default: the bundled one. */
  compilerVersion?: string;
  /** Default: the bundled compiler alone. */
  catalogue?: CompilerCatalogue;
  limits?: WorkerLimits;
  signal?: AbortSignal;
}

/**
 * Compiles standard JSON with solc in a process of its own. Gives the compiler's standard JSON output, errors of the
 * sources included. Throws `VerificationError` when the compiler is unavailable or a limit is reached.
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
