import { z } from "zod";
import { jsonAnswer } from "../../explorer/envelope.ts";
import type { Endpoint } from "../endpoint.ts";

export const chains: Endpoint = {
  name: "chains",
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
};
