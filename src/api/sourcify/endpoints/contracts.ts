import { z } from "zod";
import type { Queryable } from "../../../db/client.ts";
import {
  getLookupBytes,
  getVerifiedMatch,
  listMatchesOf,
  listVerifiedMatches,
  type VerifiedMatch,
} from "../../../store/contracts/verified/lookup.ts";
import { findSimilarContracts } from "../../../verification/similar.ts";
import { jsonAnswer } from "../../http/answer.ts";
import { inTime } from "../../reading/bounds.ts";
import { resultOnOneState } from "../../reading/snapshot.ts";
import type { ServedChain } from "../../serving/served-chain.ts";
import {
  type Endpoint,
  invalid,
  numberOf,
  requireAddress,
  requireChain,
  type SourcifyContext,
} from "../endpoint.ts";
import { FIELD_NAMES, listNeeds, presentLookup, readFields, readLookup } from "../lookup.ts";
import { minimalContract, presentMatch } from "../present.ts";

const schema = minimalContract.extend(
  Object.fromEntries(FIELD_NAMES.map((name) => [name, z.unknown().optional()])),
);

/** Time limit for a chain's part of an answer, so that a slow one does not delay the others. */
const CHAIN_MS = 2000;

const results = z.object({ results: z.array(minimalContract) });

const LIMIT = 200;

/** The endpoints about verified contracts. */
export const contractEndpoints: Readonly<Record<string, Endpoint>> = {
  contract: {
    path: "/v2/contract/{chainId}/{address}",
    summary: "How a contract matches, and what is known of it",
    query: {
      fields: `Names separated by commas, or all; a dot selects one name below a field: ${FIELD_NAMES.join(", ")}`,
      omit: "All fields except these; not together with fields",
    },
    answers: {
      200: { description: "The contract is verified", schema },
      404: { description: "It is not verified", schema: minimalContract },
    },
    async handle(context, request) {
      requireChain(context, request);
      const address = requireAddress(request);
      const wanted = readFields(request.query("fields"), request.query("omit"));
      const { chain, largeAnswers, read, chainId } = context;
      return largeAnswers.make(
        (sql) => getLookupBytes(sql, address, listNeeds(wanted)),
        async () => {
          const { match, lookup } = await read(async (sql, head) => {
            const found = await getVerifiedMatch(sql, address);
            return {
              match: found,
              lookup: found && (await readLookup(sql, await head, address, wanted)),
            };
          });
          const minimal = presentMatch(chainId(), address, match);
          if (!lookup) return jsonAnswer(minimal, 404, { code: "not-verified" });
          const fields = await presentLookup(chain, address, wanted, lookup);
          return jsonAnswer({ ...fields, ...minimal });
        },
      );
    },
  },
  "all-chains": {
    path: "/v2/contract/all-chains/{address}",
    summary:
      "The same address on every chain that is served; one that cannot be asked now is left out",
    answers: {
      200: { description: "The contract is verified", schema: results },
      404: { description: "It is not verified", schema: results },
    },
    async handle({ chains }, request) {
      const address = requireAddress(request);
      const query = (sql: Queryable) => getVerifiedMatch(sql, address);
      const found = await Promise.all(
        chains.map(async (chain) => {
          const match = await readSoon(chain, query);
          return match ? [presentMatch(chain.chainId(), address, match)] : [];
        }),
      );
      const results = found.flat();
      return results.length > 0
        ? jsonAnswer({ results })
        : jsonAnswer({ results }, 404, { code: "not-verified" });
    },
  },
  similar: {
    path: "/v2/contract/similar/{chainId}/{address}",
    summary: "Verified contracts that an unverified one is another deployment of",
    answers: {
      200: {
        description:
          "Contracts with the same code apart from immutables, library addresses and metadata; none for a verified contract",
        schema: results,
      },
    },
    async handle(context, request) {
      requireChain(context, request);
      const address = requireAddress(request);
      const { chain, read } = context;
      const [code = "0x"] = await chain.fetchCodes([address], await chain.fetchHead());
      const matches = await read(async (sql) => {
        const addresses = code === "0x" ? [] : await findSimilarContracts(sql, address, code);
        // A verified contract needs no similar ones.
        return listMatchesOf(sql, [address, ...addresses]);
      });
      const isVerified = matches.some((match) => match.address === address);
      return listAnswer(context, isVerified ? [] : matches);
    },
  },
  contracts: {
    path: "/v2/contracts/{chainId}",
    summary: "Verified contracts, page by page",
    query: {
      sort: "Order by matchId, asc or desc; desc when absent",
      limit: `Contracts of a page, 1 to ${LIMIT}; ${LIMIT} when absent`,
      afterMatchId: "Only contracts after this one in that order",
    },
    answers: {
      200: { description: "Contracts in that order", schema: results },
    },
    async handle(context, request) {
      requireChain(context, request);
      const order = request.query("sort") ?? "desc";
      if (order !== "asc" && order !== "desc") throw invalid("sort", "sort is to be asc or desc");
      const limit = numberOf(request, "limit", { least: 1, most: LIMIT }) ?? LIMIT;
      const after = numberOf(request, "afterMatchId", { least: 0, most: Number.MAX_SAFE_INTEGER });
      const matches = await context.read((sql) =>
        listVerifiedMatches(sql, { order, limit, after }),
      );
      return listAnswer(context, matches);
    },
  },
  chains: {
    path: "/chains",
    summary: "The chains that are served",
    answers: {
      200: {
        description: "The chains, without the URLs of their nodes",
        schema: z.array(
          z.object({
            name: z.string(),
            title: z.string(),
            chainId: z.number(),
            rpc: z.array(z.string()).length(0),
            traceSupportedRPCs: z.array(z.unknown()).length(0),
            supported: z.literal(true),
            etherscanAPI: z.literal(false),
          }),
        ),
      },
    },
    async handle({ chains: served }) {
      return jsonAnswer(
        served.map(({ chainId, networkName }) => {
          const name = networkName ?? `Chain ${chainId()}`;
          return {
            name,
            title: name,
            chainId: chainId(),
            rpc: [],
            traceSupportedRPCs: [],
            supported: true,
            etherscanAPI: false,
          };
        }),
      );
    },
  },
};

/** Reads from a chain; undefined when it does not answer in time. */
async function readSoon<Found>(chain: ServedChain, query: (sql: Queryable) => Promise<Found>) {
  if (chain.stopped() !== null) return undefined;
  const reading = resultOnOneState(chain.sql, (read) => read(query));
  const state = await inTime(reading, CHAIN_MS).catch(() => undefined);
  return state?.result;
}

function listAnswer({ chainId }: SourcifyContext, matches: readonly VerifiedMatch[]) {
  const results = matches.map((match) => presentMatch(chainId(), match.address, match));
  return jsonAnswer({ results });
}
