import { existsSync, readdirSync, readFileSync } from "node:fs";
import { opendir } from "node:fs/promises";
import path from "node:path";
import { getAddress, keccak256 } from "viem/utils";
import { z } from "zod";
import { isAddress, lowerAddress } from "../core/evm/address.ts";
import { recordOf } from "../core/json/record-schema.ts";
import { type Claim, claimOf, claimOfInput, settingsOfMetadata } from "./claim.ts";
import { envelope, textOf, type Web } from "./web.ts";

/** A server with claims about contracts' sources. */
export interface Origin {
  /** Returns addresses of contracts that it lists as verified; each once. */
  addresses(): AsyncIterable<string>;
  /** Returns its claim about a contract; undefined when it has none. */
  claim(address: string): Promise<Claim | undefined>;
}

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase());
const listed = z.array(z.object({ Address: address }));
const PAGE = 100;
/** More pages than any server has; stops a server with endless lists. */
const MAXIMUM_PAGES = 20_000;

/** Returns the origin of an explorer with Blockscout's or Etherscan's API. */
export function explorerOrigin(web: Web): Origin {
  const ask = async (parameters: Record<string, string>) =>
    envelope.parse(await web.get({ parameters: { module: "contract", ...parameters } }));
  return {
    addresses: () =>
      newsOfPages(web, async (page) => {
        const place = { page: String(page), offset: String(PAGE) };
        const answer = await ask({ action: "listcontracts", filter: "verified", ...place });
        const parsed = listed.safeParse(answer.result);
        if (!parsed.success) {
          throw new Error(`${web.name} lists no contracts; name them with --addresses`);
        }
        return parsed.data.map(({ Address }) => Address);
      }),
    async claim(address) {
      const answer = await ask({ action: "getsourcecode", address });
      const { result } = answer;
      if (!Array.isArray(result)) throw new Error(`${web.name} answered: ${textOf(answer)}`);
      return claimOf(result[0]);
    },
  };
}

const contracts = z.object({
  results: z.array(z.object({ address, matchId: z.string() })),
});
const contract = z.object({
  stdJsonInput: z.record(z.string(), z.unknown()),
  compilation: z.object({ compilerVersion: z.string(), fullyQualifiedName: z.string() }),
});
const SOURCIFY_PAGE = 200;

/** Returns the origin of a server with Sourcify's API v2. */
export function sourcifyOrigin(web: Web, chain: string): Origin {
  return {
    addresses: () => {
      let last: string | undefined;
      return newsOfPages(web, async () => {
        const parameters = {
          sort: "asc",
          limit: String(SOURCIFY_PAGE),
          ...(last !== undefined && { afterMatchId: last }),
        };
        const { results } = contracts.parse(
          await web.get({ path: `/v2/contracts/${chain}`, parameters }),
        );
        last = results.at(-1)?.matchId;
        return results.map((each) => each.address);
      });
    },
    async claim(address) {
      const parameters = { fields: "stdJsonInput,compilation" };
      const answer = await web.get({ path: `/v2/contract/${chain}/${address}`, parameters });
      const parsed = contract.safeParse(answer);
      if (!parsed.success) return undefined;
      const { stdJsonInput, compilation } = parsed.data;
      const { fullyQualifiedName, compilerVersion } = compilation;
      return claimOfInput(JSON.stringify(stdJsonInput), fullyQualifiedName, compilerVersion);
    },
  };
}

/** Returns the addresses of a list, each once. Ends with the first page without a new one. */
async function* newsOfPages(web: Web, readPage: (page: number) => Promise<string[]>) {
  const seen = new Set<string>();
  for (let page = 1; page <= MAXIMUM_PAGES; page++) {
    const before = seen.size;
    for (const address of await readPage(page)) {
      if (seen.has(address)) continue;
      seen.add(address);
      yield address;
    }
    if (seen.size === before) return;
  }
  throw new Error(`${web.name} lists contracts without an end; name them with --addresses`);
}

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
