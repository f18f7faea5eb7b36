import { z } from "zod";
import { listMatchesOf } from "../../../store/contracts/verified/lookup.ts";
import { findSimilarContracts } from "../../../verification/similar.ts";
import { jsonAnswer } from "../../explorer/envelope.ts";
import type { Endpoint } from "../endpoint.ts";
import { minimalContract, presentMatch } from "../match.ts";
import { requireAddress, requireChain } from "../parameters.ts";

export const similar: Endpoint = {
  name: "similar",
  path: "/v2/contract/similar/{chainId}/{address}",
  summary: "Verified contracts that an unverified one is another deployment of",
  answers: {
    200: {
      description:
        "Contracts with the same code apart from immutables, library addresses and metadata; none for a verified contract",
      schema: z.object({ results: z.array(minimalContract) }),
    },
  },
  async handle(context, request) {
    requireChain(context, request);
    const address = requireAddress(request);
    const { chain, chainId, read } = context;
    const [code = "0x"] = await chain.fetchCodes([address], await chain.fetchHead());
    const matches = await read(async (sql) => {
      const addresses = code === "0x" ? [] : await findSimilarContracts(sql, address, code);
      // A verified contract needs no similar ones.
      return listMatchesOf(sql, [address, ...addresses]);
    });
    const isVerified = matches.some((match) => match.address === address);
    const results = isVerified ? [] : matches;
    return jsonAnswer({
      results: results.map((match) => presentMatch(chainId(), match.address, match)),
    });
  },
};
