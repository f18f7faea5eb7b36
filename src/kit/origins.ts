import { z } from "zod";
import { sleep } from "../core/async.ts";
import { type Claim, claimOf, claimOfInput } from "./claim.ts";
import type { Web } from "./web.ts";

/** A server that says what contracts' sources are. */
export interface Origin {
  /** Addresses of contracts that it lists as verified; each once. */
  addresses(): AsyncIterable<string>;
  /** Its claim about a contract; undefined when it has none. */
  claim(address: string): Promise<Claim | undefined>;
}

const envelope = z.object({ message: z.string().default(""), result: z.unknown() });
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase());
const listed = z.array(z.object({ Address: address }));
const PAGE = 100;
const MAXIMUM_ATTEMPTS = 6;
const LIMITED_PAUSE_MS = 1000;

/** An explorer with Blockscout's or Etherscan's API. */
export function explorerOrigin(web: Web, chain: string | undefined): Origin {
  const ofChain: Record<string, string> = chain === undefined ? {} : { chainid: chain };
  const askOnce = async (parameters: Record<string, string>) =>
    envelope.parse(
      await web.get({ parameters: { module: "contract", ...ofChain, ...parameters } }),
    );
  // Etherscan answers HTTP 200 at its rate limit.
  async function ask(parameters: Record<string, string>) {
    for (let attempt = 1; ; attempt++) {
      const answer = await askOnce(parameters);
      if (typeof answer.result !== "string" || !/rate limit/i.test(answer.result)) return answer;
      if (attempt === MAXIMUM_ATTEMPTS) throw new Error(`${web.name} lets nothing be asked`);
      await sleep(LIMITED_PAUSE_MS * attempt);
    }
  }
  return {
    async *addresses() {
      const seen = new Set<string>();
      for (let page = 1; ; page++) {
        const place = { page: String(page), offset: String(PAGE) };
        const answer = await ask({ action: "listcontracts", filter: "verified", ...place });
        const parsed = listed.safeParse(answer.result);
        if (!parsed.success) {
          throw new Error(`${web.name} lists no contracts; name them with --addresses`);
        }
        const news = parsed.data.map(({ Address }) => Address).filter((each) => !seen.has(each));
        if (news.length === 0) return;
        for (const address of news) seen.add(address);
        yield* news;
      }
    },
    async claim(address) {
      const { result } = await ask({ action: "getsourcecode", address });
      return claimOf(Array.isArray(result) ? result[0] : undefined);
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

/** A server with Sourcify's API v2. */
export function sourcifyOrigin(web: Web, chain: string): Origin {
  return {
    async *addresses() {
      for (let last: string | undefined; ; ) {
        const parameters = {
          sort: "asc",
          limit: String(SOURCIFY_PAGE),
          ...(last !== undefined && { afterMatchId: last }),
        };
        const { results } = contracts.parse(
          await web.get({ path: `/v2/contracts/${chain}`, parameters }),
        );
        yield* results.map((each) => each.address);
        const next = results.at(-1)?.matchId;
        if (next === undefined || next === last) return;
        last = next;
      }
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
