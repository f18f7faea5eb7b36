import { existsSync, readdirSync, readFileSync } from "node:fs";
import { opendir } from "node:fs/promises";
import path from "node:path";
import { getAddress, keccak256 } from "viem/utils";
import { z } from "zod";
import { isAddress, lowerAddress } from "../core/evm/address.ts";
import { recordOf } from "../core/json/record-schema.ts";
import { type Claim, claimOfInput, settingsOfMetadata } from "./claim.ts";
import type { Origin } from "./origins.ts";

/** Folders of an export with its contracts, relative to its root. */
const PLACES = ["", "contracts", "repository", "repository/contracts"];
const MATCHES = ["full_match", "partial_match"];

const metadata = z.object({
  language: z.string(),
  compiler: z.object({ version: z.string() }),
  settings: z.looseObject({
    compilationTarget: recordOf(z.string()),
  }),
  sources: recordOf(z.object({ keccak256: z.string(), content: z.string().optional() })),
});

/** Reads contracts of Sourcify's export, `{full,partial}_match/{chain}/{address}`. Throws an `Error` when there are none. */
export function exportOrigin(folder: string, chain: string): Origin {
  const folders = PLACES.flatMap((place) =>
    MATCHES.map((match) => path.join(folder, place, match, chain)),
  ).filter((each) => existsSync(each));
  if (folders.length === 0) throw new Error(`${folder} has no contracts of chain ${chain}`);
  return {
    async *addresses() {
      const seen = new Set<string>();
      for (const each of folders) {
        for await (const { name } of await opendir(each)) {
          if (!isAddress(name) || seen.has(lowerAddress(name))) continue;
          seen.add(lowerAddress(name));
          yield lowerAddress(name);
        }
      }
    },
    async claim(address) {
      const names = isAddress(address) ? [getAddress(address), lowerAddress(address)] : [];
      const places = folders.flatMap((each) => names.map((name) => path.join(each, name)));
      const place = places.find((each) => existsSync(path.join(each, "metadata.json")));
      return place === undefined ? undefined : claimIn(place);
    },
  };
}

/** Returns the claim of a contract's metadata. Finds its sources by their hashes. */
function claimIn(folder: string): Claim {
  const { language, compiler, settings, sources } = metadata.parse(
    JSON.parse(readFileSync(path.join(folder, "metadata.json"), "utf8")),
  );
  const [target] = Object.entries(settings.compilationTarget);
  if (!target) throw new Error("the metadata names no contract");
  const files = filesBelow(path.join(folder, "sources"));
  const texts = new Map(files.map((file) => [keccak256(readFileSync(file)), file]));
  const contents = Object.entries(sources).map(([name, { keccak256: hash, content }]) => {
    const file = texts.get(hash as `0x${string}`);
    const text = content ?? (file && readFileSync(file, "utf8"));
    if (text === undefined) throw new Error(`the export lacks the source ${name}`);
    return [name, { content: text }] as const;
  });
  const input = {
    language,
    sources: Object.fromEntries(contents),
    settings: settingsOfMetadata(settings),
  };
  return claimOfInput(JSON.stringify(input), target.join(":"), compiler.version);
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
