import { z } from "zod";
import { jsonAnswer } from "../../envelope.ts";
import type { Endpoint } from "../endpoint.ts";

export const chains: Endpoint = {
  name: "chains",
  method: "GET",
  path: "/chains",
  summary: "The one chain that is served",
  answers: {
    200: {
      description: "The chain; the URL of its node is nobody's business",
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
  async handle({ chainId, networkName }) {
    const name = networkName ?? `Chain ${chainId()}`;
    return jsonAnswer([
      {
        name,
        title: name,
        chainId: chainId(),
        rpc: [],
        traceSupportedRPCs: [],
        supported: true,
        etherscanAPI: false,
      },
    ]);
  },
};
