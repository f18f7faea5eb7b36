import { z } from "zod";
import type { SourceFile } from "../../../store/verified-contracts/verified-contract.ts";
import type { Endpoint } from "../endpoint.ts";
import { invalid } from "../errors.ts";
import { requireAddress, requireBody, requireChain } from "../parameters.ts";
import { accepted, submit } from "../submit.ts";
import { creationTransactionHash } from "./verify.ts";

const body = z.object({
  metadata: z
    .looseObject({
      compiler: z.object({ version: z.string().regex(/^v?\d+\.\d+\.\d+[^"\\]{0,80}$/) }),
      language: z.enum(["Solidity", "Yul"]),
      settings: z.looseObject({
        compilationTarget: z
          .record(z.string(), z.string())
          .refine((target) => Object.keys(target).length === 1, "is to name one contract"),
      }),
      sources: z.record(z.string(), z.unknown()),
    })
    .describe("The compiler's metadata"),
  sources: z
    .record(z.string(), z.string())
    .describe("Texts under any names; they are found by their hashes"),
  creationTransactionHash,
});

export const verifyMetadata: Endpoint = {
  name: "verify-metadata",
  path: "/v2/verify/metadata/{chainId}/{address}",
  summary: "Submits the compiler's metadata and the sources it names for verification",
  body,
  answers: accepted,
  async handle(context, request) {
    requireChain(context, request);
    const address = requireAddress(request);
    const { metadata, sources } = requireBody(request, body);
    const { compiler, ...others } = metadata;
    const files = Object.entries(sources).map(([path, text]): SourceFile => {
      // zod passes over a member named `__proto__`.
      if (typeof text !== "string") throw invalid("sources: a text is missing");
      return { path, text };
    });
    const text = JSON.stringify({ compiler: { version: compiler.version }, ...others });
    const file = { path: "metadata.json", text };
    return submit(context, { format: "metadata-files", address, files: [file, ...files] });
  },
};
