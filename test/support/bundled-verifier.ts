import { createCatalogue } from "../../src/verification/compilers/catalogue.ts";
import type { Verifier } from "../../src/verification/verifier.ts";

const catalogue = createCatalogue({
  folders: { solc: undefined, vyper: undefined },
  downloads: { solc: undefined, vyper: undefined },
});

/** A verifier that can only tell its one compiler. */
export const bundledVerifier = { compilers: catalogue.list } as Verifier;
