import {
  createVerificationWorks,
  createVerifier,
  type VerificationWorksOptions,
  type Verifier,
  type VerifierOptions,
} from "../../src/verification/verifier.ts";

export type TestVerifierOptions = VerificationWorksOptions & Omit<VerifierOptions, "works">;

/** The verifier of one chain with works of its own, which end with it. */
export function startTestVerifier(options: TestVerifierOptions): Verifier {
  const works = createVerificationWorks(options);
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
