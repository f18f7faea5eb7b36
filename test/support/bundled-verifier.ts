import { createCatalogue } from "../../src/verification/compilers/catalogue.ts";
import type { Verifier } from "../../src/verification/verifier.ts";

/** The one compiler that npm installs. */
export const bundledCatalogue = createCatalogue({
  folders: { solc: undefined, vyper: undefined },
  downloads: { solc: undefined, vyper: undefined },
});

/** A verifier with only its one compiler. */
export const bundledVerifier = { compilers: bundledCatalogue.list } as Verifier;
