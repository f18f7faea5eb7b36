import { createCatalogue } from "../../src/verification/compilers/catalogue.ts";
import type { Verifier } from "../../src/verification/verifier.ts";

/** Of the one compiler that npm installs. */
export const bundledCatalogue = createCatalogue({
  folders: { solc: undefined, vyper: undefined },
  downloads: { solc: undefined, vyper: undefined },
});

/** A verifier that can only tell its one compiler. */
export const bundledVerifier = { compilers: bundledCatalogue.list } as Verifier;
