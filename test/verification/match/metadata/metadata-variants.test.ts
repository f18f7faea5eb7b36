import { describe, expect, test } from "vitest";
import {
  base58,
  ipfsHash,
  keccak,
  swarmHash,
} from "../../../../src/verification/match/metadata/content-hash.ts";
import {
  findSourceVariant,
  textVariants,
} from "../../../../src/verification/match/metadata/variants.ts";

const TEXT = "contract A {}\n";
const WINDOWS = "contract A {}\r\n";

/** The entry of a source as compilers write it. */
function entryOf(text: string, isLiteral = false) {
  const bytes = Buffer.from(text);
  const hash = `0x${keccak(bytes).toString("hex")}`;
  if (isLiteral) return { content: text, keccak256: hash };
  return {
    keccak256: hash,
    urls: [
      `bzz-raw://${swarmHash(bytes, "bzzr1").toString("hex")}`,
      `bzzr://${swarmHash(bytes, "bzzr0").toString("hex")}`,
      `dweb:/ipfs/${base58(ipfsHash(bytes))}`,
    ],
  };
}

function metadataOf(sources: Record<string, string>, target = "A.sol", isLiteral = false): string {
  const entries = Object.entries(sources).map(([path, text]) => [path, entryOf(text, isLiteral)]);
  return JSON.stringify({
    compiler: { version: "0.8.20" },
    settings: { compilationTarget: { [target]: "A" } },
    sources: Object.fromEntries(entries),
  });
}

/** Looks for the sources of `deployed`, when those of `sent` were sent. */
function find(
  sent: Record<string, string>,
  deployed: string,
  {
    paths = [],
    metadata = metadataOf(sent),
    kind = "ipfs",
  }: {
    paths?: string[];
    metadata?: string;
    kind?: "ipfs" | "bzzr0" | "bzzr1";
  } = {},
) {
  const bytes = Buffer.from(deployed);
  const value = kind === "ipfs" ? ipfsHash(bytes) : swarmHash(bytes, kind);
  const variants = [...textVariants(new Map(Object.entries(sent)), "A.sol")];
  const all = variants.flatMap((group) => group.variants);
  return findSourceVariant(metadata, all, paths, { kind, value });
}

describe("the sources that were deployed are found", () => {
  test.each(["ipfs", "bzzr0", "bzzr1"] as const)("by the %s hash of their metadata", (kind) => {
    const deployed = metadataOf({ "A.sol": WINDOWS });
    expect(find({ "A.sol": TEXT }, deployed, { kind })).toEqual({
      sources: new Map([["A.sol", WINDOWS]]),
      path: null,
    });
  });

  test("as they were sent", () => {
    expect(find({ "A.sol": TEXT }, metadataOf({ "A.sol": TEXT }))?.sources.get("A.sol")).toBe(TEXT);
  });

  test.each([
    ["as they are", (text: string) => text],
    [
      "escaped",
      (text: string) => text.replaceAll("ü", "\\u00fc").replaceAll("🎉", "\\ud83c\\udf89"),
    ],
    [
      "escaped, with DEL",
      (text: string) =>
        text
          .replaceAll("ü", "\\u00fc")
          .replaceAll("🎉", "\\ud83c\\udf89")
          .replaceAll("\u007f", "\\u007f"),
    ],
  ])("with characters beyond ASCII %s", (_form, write) => {
    const [text, windows] = [`// ü🎉\u007f\n${TEXT}`, `// ü🎉\u007f\r\n${WINDOWS}`];
    const metadata = write(metadataOf({ "ü.sol": text }, "ü.sol", true));
    const deployed = write(metadataOf({ "ü.sol": windows }, "ü.sol", true));
    expect(find({ "ü.sol": text }, deployed, { metadata })?.sources.get("ü.sol")).toBe(windows);
  });

  test("where the metadata holds their texts", () => {
    const metadata = metadataOf({ "A.sol": TEXT }, "A.sol", true);
    const deployed = metadataOf({ "A.sol": WINDOWS }, "A.sol", true);
    expect(find({ "A.sol": TEXT }, deployed, { metadata })?.sources.get("A.sol")).toBe(WINDOWS);
  });

  test("all of them changed alike", () => {
    const sources = new Map([
      ["A.sol", WINDOWS],
      ["B.sol", WINDOWS],
    ]);
    const deployed = metadataOf(Object.fromEntries(sources));
    expect(find({ "A.sol": TEXT, "B.sol": TEXT }, deployed)?.sources).toEqual(sources);
    expect(find({ "A.sol": TEXT, "B.sol": WINDOWS }, deployed)?.sources).toEqual(sources);
  });

  test.each([
    ["the main file's folder", WINDOWS, TEXT],
    ["the other folders", TEXT, WINDOWS],
  ])("only those of %s changed", (_folder, main, other) => {
    const deployed = metadataOf({ "A.sol": main, "lib/B.sol": other });
    for (const sent of [TEXT, WINDOWS]) {
      const found = find({ "A.sol": sent, "lib/B.sol": sent }, deployed);
      expect([...(found?.sources.values() ?? [])]).toEqual([main, other]);
    }
  });

  test("under another path, when the source was flattened", () => {
    const deployed = metadataOf({ "src/A.sol": WINDOWS }, "src/A.sol");
    expect(find({ "A.sol": TEXT }, deployed, { paths: ["B.sol", "src/A.sol"] })).toEqual({
      sources: new Map([["src/A.sol", WINDOWS]]),
      path: "src/A.sol",
    });
    expect(find({ "A.sol": TEXT }, deployed)).toBeUndefined();
  });

  test("beside sources that were not sent, and stand as they are", () => {
    const metadata = metadataOf({ "A.sol": TEXT, "B.sol": TEXT });
    const deployed = metadataOf({ "A.sol": WINDOWS, "B.sol": TEXT });
    expect(find({ "A.sol": TEXT }, deployed, { metadata })?.sources.get("A.sol")).toBe(WINDOWS);
  });

  test("where an entry or the target is of another form", () => {
    const form = { settings: {}, sources: { "A.sol": null, "B.sol": { urls: 7 } } };
    const metadata = JSON.stringify(form);
    const described = { urls: 7, keccak256: entryOf(TEXT).keccak256 };
    const deployed = { ...form, sources: { ...form.sources, "B.sol": described } };
    const sent = { "A.sol": TEXT, "B.sol": TEXT };
    expect(find(sent, JSON.stringify(deployed), { metadata })?.path).toBeNull();
    const renamed = { settings: { compilationTarget: {} }, sources: { "C.sol": described } };
    expect(find(sent, JSON.stringify(renamed), { metadata, paths: ["C.sol"] })?.path).toBe("C.sol");
  });
});

describe("nothing is found", () => {
  const sent = { "A.sol": TEXT };
  const form = { settings: {}, sources: {} };

  test.each([
    ["there is no metadata", ""],
    ["it is no object", "[]"],
    ["it would be written in another way", `${JSON.stringify(form)} `],
    ["it has no settings", JSON.stringify({ sources: {} })],
    ["it has no sources", JSON.stringify({ settings: {} })],
  ])("when %s", (_case, metadata) => {
    const written = metadata === "" ? "" : JSON.stringify(JSON.parse(metadata));
    expect(find(sent, written, { metadata })).toBeUndefined();
  });
});
