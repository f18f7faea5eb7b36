import { openCompiler } from "../../src/verification/compilers/compiler.ts";
import { verify } from "../../src/verification/engine/verify.ts";
import { VerificationError } from "../../src/verification/errors.ts";
import { startQueue } from "../../src/verification/jobs/queue.ts";
import type { WorkerPool } from "../../src/verification/process/pool.ts";
import { DEFAULT_LIMITS } from "../../src/verification/process/worker-process.ts";
import {
  createVerificationWorks,
  createVerifier,
  type VerificationWorks,
  type VerificationWorksOptions,
  type Verifier,
  type VerifierOptions,
} from "../../src/verification/verifier.ts";

export interface TestVerifierOptions
  extends VerificationWorksOptions,
    Omit<VerifierOptions, "works"> {
  /**
   * Verifies in this process, which loads a compiler once; a process of its own for each job takes 2 s of processor time.
   * For tests of what precedes and follows a job: a compile has neither limits nor an early end.
   */
  inProcess?: boolean;
}

/** The verifier of one chain with works of its own, which end with it. */
export function startTestVerifier({ inProcess, ...options }: TestVerifierOptions): Verifier {
  const works = inProcess ? createWorksHere(options) : createVerificationWorks(options);
  const verifier = createVerifier({ ...options, works });
  verifier.start();
  return {
    ...verifier,
    close: async () => {
      await verifier.close();
      await works.close();
    },
  };
}

function createWorksHere(options: VerificationWorksOptions): VerificationWorks {
  const queue = startQueue({ ...options, workers: poolHere });
  return { queue, compilers: options.catalogue.list, close: () => queue.stop() };
}

const poolHere: WorkerPool = {
  async run(build, task, signal) {
    if (task.type !== "verify") throw new TypeError(`no ${task.type} in this process`);
    const hooks = {
      open: () => openCompiler(build, DEFAULT_LIMITS.maxOutputBytes),
      onFailure: () => {},
    };
    try {
      // Answers of a process are copies.
      const source = structuredClone(await verify({ ...task, build }, hooks));
      signal.throwIfAborted();
      return { type: "verified", source };
    } catch (error) {
      if (!(error instanceof VerificationError)) throw error;
      throw new VerificationError(structuredClone(error.failure));
    }
  },
  close: async () => {},
};
