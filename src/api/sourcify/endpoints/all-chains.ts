import { z } from "zod";
import { getVerifiedMatch } from "../../../store/verified-lookup.ts";
import { jsonAnswer } from "../../envelope.ts";
import type { Endpoint } from "../endpoint.ts";
import { minimalContract, presentMatch } from "../match.ts";
import { demandAddress } from "../parameters.ts";

const results = z.object({ results: z.array(minimalContract) });

export const allChains: Endpoint = {
  name: "all-chains",
  method: "GET",
  path: "/v2/contract/all-chains/{address}",
  summary: "The same address on every chain: here on one at most",
  answers: {
    200: { description: "The contract is verified", schema: results },
    404: { description: "It is not verified", schema: results },
  },
  async handle({ read, chainId }, request) {
    const address = demandAddress(request);
    const match = await read((sql) => getVerifiedMatch(sql, address));
    const found = match ? [presentMatch(chainId(), address, match)] : [];
    return jsonAnswer({ results: found }, match ? 200 : 404);
  },
};
