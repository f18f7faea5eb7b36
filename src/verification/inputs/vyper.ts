import type { CompilerInput } from "../compilers/input.ts";
import { VerificationError } from "../errors.ts";
import { splitName, type VerificationForm } from "../request.ts";
import { collectSources, evmVersionSetting } from "./compiler-input.ts";

type VyperForm = Extract<VerificationForm, { format: "vyper" }>;

/** Returns one compile for a single Vyper file, named after the contract. Throws `VerificationError`: `empty-source`. */
export function readVyper(form: VyperForm): CompilerInput {
  if (form.source.trim() === "") throw new VerificationError({ code: "empty-source" });
  const { path, name } = splitName(form.name);
  const file = path ?? `${name ?? "source"}.vy`;
  return {
    language: "Vyper",
    sources: collectSources([{ path: file, text: form.source }]),
    settings: evmVersionSetting(form.evmVersion),
    rest: {},
    target: { path: file, name: null },
    libraries: [],
    possiblePaths: [],
  };
}
