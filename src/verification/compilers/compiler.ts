import { spawn } from "node:child_process";
import { codeOf, messageOf } from "../../core/errors.ts";
import { VerificationError } from "../errors.ts";
import { loadSoljson } from "./soljson.ts";
import {
  type CompilerBuild,
  type CompilerVersion,
  formatVersion,
  isSameVersion,
  parseVersion,
} from "./versions.ts";

/** A compiler loaded in this process. */
export interface Compiler {
  /** The compiler's own version. */
  version: CompilerVersion;
  /** Size limit of one compile's output. */
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
    ...compiler,
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

/** Output and exit of a program. */
interface Run {
  stdout: string;
  stderr: string;
  /** Null when a signal ended it. */
  exitCode: number | null;
}

const MAX_ERROR_BYTES = 65_536;

/** Thrown when a program exceeds its output limit. */
class OutputTooLarge extends Error {}

/** Runs an executable without a shell, with TMPDIR alone. Throws `OutputTooLarge`, or the system's error. */
export function runExecutable(
  file: string,
  args: readonly string[],
  input: string,
  maxOutputBytes: number,
): Promise<Run> {
  return new Promise((resolve, reject) => {
    // Vyper's releases unpack themselves there, and leave the files behind when they are killed.
    const env = { TMPDIR: process.cwd() };
    const child = spawn(file, args, { env, stdio: "pipe" });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let size = 0;
    let errorSize = 0;
    child.stdout.on("data", (bytes: Buffer) => {
      size += bytes.length;
      if (size <= maxOutputBytes) return stdout.push(bytes);
      child.kill("SIGKILL");
      // Its children may keep writing; they end with this process.
      child.stdout.destroy();
      return reject(new OutputTooLarge());
    });
    child.stderr.on("data", (bytes: Buffer) => {
      errorSize += bytes.length;
      if (errorSize <= MAX_ERROR_BYTES) stderr.push(bytes);
    });
    child.on("error", reject);
    child.on("close", (exitCode) => {
      const [out, error] = [stdout, stderr].map((parts) => Buffer.concat(parts).toString("utf8"));
      resolve({ stdout: out ?? "", stderr: error ?? "", exitCode });
    });
    // The program may end before it has read everything.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
