import { z } from "zod";
import { listVerifiedMatches } from "../../../store/contracts/verified/lookup.ts";
import { jsonAnswer } from "../../explorer/envelope.ts";
import type { Endpoint } from "../endpoint.ts";
import { invalid } from "../errors.ts";
import { minimalContract, presentMatch } from "../match.ts";
import { numberOf, requireChain } from "../parameters.ts";

const LIMIT = 200;

export const contracts: Endpoint = {
  name: "contracts",
  path: "/v2/contracts/{chainId}",
  summary: "Verified contracts, page by page",
  query: {
    sort: "Order by matchId, asc or desc; desc when absent",
    limit: `Contracts of a page, 1 to ${LIMIT}; ${LIMIT} when absent`,
    afterMatchId: "Only contracts after this one in that order",
  },
  answers: {
    200: {
      description: "Contracts in that order",
      schema: z.object({ results: z.array(minimalContract) }),
    },
  },
  async handle(context, request) {
    requireChain(context, request);
    const order = request.query("sort") ?? "desc";
    if (order !== "asc" && order !== "desc") throw invalid("sort", "sort is to be asc or desc");
    const limit = numberOf(request, "limit", { least: 1, most: LIMIT }) ?? LIMIT;
    const after = numberOf(request, "afterMatchId", { least: 0, most: Number.MAX_SAFE_INTEGER });
    const matches = await context.read((sql) => listVerifiedMatches(sql, { order, limit, after }));
    const chainId = context.chainId();
    return jsonAnswer({
      results: matches.map((match) => presentMatch(chainId, match.address, match)),
    });
  },
};
