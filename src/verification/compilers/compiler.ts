import { codeOf, messageOf } from "../../core/errors.ts";
import { VerificationError } from "../errors.ts";
import type { CompilerBuild } from "./build.ts";
import { OutputTooLarge, runExecutable } from "./executable.ts";
import { loadSoljson } from "./soljson.ts";
import { type CompilerVersion, formatVersion, isSameVersion, parseVersion } from "./versions.ts";

/** A compiler loaded in this process. */
export interface Compiler {
  /** The compiler's own version. */
  version: CompilerVersion;
  /** Of one compile. */
  maxOutputBytes: number;
  /** Compiles standard JSON. Throws `VerificationError`: `compiler-limit`, `compiler-error`. */
  compile(input: string): Promise<string>;
}

/** Opens a compiler in a sandboxed process and reads its version. Throws `VerificationError`. */
export async function openCompiler(
  build: CompilerBuild,
  maxOutputBytes: number,
): Promise<Compiler> {
  const compiler = await openBare(build, maxOutputBytes).catch((error) => {
    throw brokenCompiler(build, error);
  });
  if (!isSameVersion(compiler.version, build.version)) {
    const requested = `v${formatVersion(build.version)}`;
    const nearest = [`v${formatVersion(compiler.version)}`];
    throw new VerificationError({ code: "compiler-unavailable", requested, nearest });
  }
  return {
    version: compiler.version,
    maxOutputBytes,
    compile: async (input) => {
      const output = await compiler.compile(input);
      if (output.length > maxOutputBytes) throw outputTooLarge(maxOutputBytes);
      return output;
    },
  };
}

/** Returns the failure of a compiler whose file cannot be opened or run, without this machine's folders. */
export function brokenCompiler({ version }: CompilerBuild, cause: unknown): VerificationError {
  const detail = codeOf(cause);
  const failure = {
    code: "compiler-broken",
    version: `v${formatVersion(version)}`,
    detail,
  } as const;
  return new VerificationError(failure, { cause });
}

type BareCompiler = Omit<Compiler, "maxOutputBytes">;

async function openBare(build: CompilerBuild, maxOutputBytes: number): Promise<BareCompiler> {
  return build.kind === "soljson" ? openSoljson(build.file) : openExecutable(build, maxOutputBytes);
}

function openSoljson(file: string): BareCompiler {
  const soljson = loadSoljson(file);
  return {
    version: understood(soljson.version),
    compile: async (input) => {
      try {
        return soljson.compile(input);
      } catch (error) {
        // Out of memory, an assertion, a stack overflow: the compiler's faults.
        throw new VerificationError(
          { code: "compiler-error", message: messageOf(error) },
          { cause: error },
        );
      }
    },
  };
}

async function openExecutable(
  { file, kind }: CompilerBuild,
  maxOutputBytes: number,
): Promise<BareCompiler> {
  const { stdout } = await runExecutable(file, ["--version"], "", maxOutputBytes);
  const printed = stdout.trim().split("\n").at(-1) ?? "";
  return {
    version: understood(printed.replace(/^Version: /, "")),
    compile: async (input) => {
      try {
        const run = await runExecutable(file, ["--standard-json"], input, maxOutputBytes);
        if (run.stdout.trim() !== "") return run.stdout;
        const words = kind === "vyper" ? run.stderr.trim().split("\n").at(-1) : run.stderr;
        throw new VerificationError({ code: "compiler-error", message: words ?? "" });
      } catch (error) {
        throw error instanceof OutputTooLarge ? outputTooLarge(maxOutputBytes) : error;
      }
    },
  };
}

function understood(version: string): CompilerVersion {
  const parsed = parseVersion(version);
  if (parsed !== undefined) return parsed;
  throw new Error("no version in the compiler's answer");
}

function outputTooLarge(maxOutputBytes: number): VerificationError {
  return new VerificationError({
    code: "compiler-limit",
    limit: "output",
    bound: `${maxOutputBytes >> 20} MB`,
  });
}
