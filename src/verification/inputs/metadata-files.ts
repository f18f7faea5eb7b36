import { z } from "zod";
import { librariesByFile } from "../../core/evm/libraries.ts";
import { isRecord } from "../../core/json/record.ts";
import { recordOf } from "../../core/json/record-schema.ts";
import type { SourceFile } from "../../store/contracts/verified/verified-contract.ts";
import { type CompilerInput, NOTHING_FURTHER, type Settings } from "../compilers/input.ts";
import { VerificationError } from "../errors.ts";
import { keccak } from "../match/metadata/content-hash.ts";
import { MAX_CHARACTERS, TEXT_CHANGES } from "../match/metadata/variants.ts";
import { collectSources, parseObject, without } from "./compiler-input.ts";

/** A shorter input costs as much to hash as one of this length. */
const HASHED_BYTES = 136;
const COMPILER_VERSION = /"compiler"\s*:\s*\{\s*"version"\s*:\s*"([^"]{1,100})"/;

/** Returns the metadata file and its compiler version; undefined without one. Ignores metadata that a source quotes. */
export function findMetadata(files: readonly SourceFile[]) {
  for (const { text } of files.filter((file) => file.text.trimStart().startsWith("{"))) {
    const compilerVersion = COMPILER_VERSION.exec(text)?.[1];
    if (compilerVersion !== undefined) return { text, compilerVersion };
  }
  return undefined;
}

const Metadata = z.object({
  language: z.enum(["Solidity", "Yul"]),
  compiler: z.object({ version: z.string() }),
  settings: z.looseObject({
    compilationTarget: recordOf(z.string()),
    libraries: recordOf(z.string()).optional(),
  }),
});

/** Rebuilds a metadata file's compile; sources match by hash, also with other line ends. Throws `VerificationError`. */
export function readMetadataFiles(files: readonly SourceFile[]): CompilerInput {
  const found = findMetadata(files);
  if (found === undefined) throw new VerificationError({ code: "no-metadata" });
  const object = parseObject(found.text);
  const parsed = Metadata.safeParse(object);
  const [target] = Object.entries(parsed.data?.settings.compilationTarget ?? {});
  if (!parsed.success || target === undefined) throw new VerificationError({ code: "no-metadata" });
  const { language, settings } = parsed.data;
  return {
    language,
    sources: findSources(
      object["sources"],
      files.filter(({ text }) => text !== found.text),
    ),
    settings: convertSettings(settings),
    target: { path: target[0], name: target[1] },
    ...NOTHING_FURTHER,
  };
}

function findSources(described: unknown, files: readonly SourceFile[]): Map<string, string> {
  const wanted = Object.entries(isRecord(described) ? described : {}).map(([path, source]) => {
    const { keccak256: hash, content } = isRecord(source) ? source : {};
    return { path, hash, content };
  });
  const texts = new Map(files.map(({ text }) => [hashText(text), text]));
  for (const { content } of wanted) {
    if (typeof content === "string") texts.set(hashText(content), content);
  }
  const isFound = ({ hash }: { hash: unknown }) => typeof hash === "string" && texts.has(hash);
  if (!wanted.every(isFound)) {
    const named = new Set(wanted.map(({ hash }) => hash));
    const others = [...texts].filter(([hash]) => !named.has(hash)).map(([, text]) => text);
    const size = others.reduce((sum, { length }) => sum + Math.max(length, HASHED_BYTES), 0);
    for (const text of size > MAX_CHARACTERS ? [] : others) {
      const variants = new Set(TEXT_CHANGES.map((change) => change(text)));
      for (const variant of variants) texts.set(hashText(variant), variant);
    }
  }
  const missing = wanted.filter((source) => !isFound(source)).map(({ path }) => path);
  if (missing.length > 0) throw new VerificationError({ code: "missing-sources", paths: missing });
  return collectSources(
    wanted.map(({ path, hash }) => ({ path, text: texts.get(String(hash)) ?? "" })),
  );
}

function hashText(text: string): string {
  return `0x${keccak(Buffer.from(text, "utf8")).toString("hex")}`;
}

/** Returns the settings without metadata's target and flat list of libraries; standard JSON has neither. */
function convertSettings(settings: z.output<typeof Metadata>["settings"]): Settings {
  return {
    ...without(settings, ["compilationTarget"]),
    libraries: librariesByFile(settings.libraries ?? {}),
  };
}
