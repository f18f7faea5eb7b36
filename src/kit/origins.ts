import { z } from "zod";
import { type Claim, claimOf, claimOfInput } from "./claim.ts";
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
