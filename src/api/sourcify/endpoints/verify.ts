import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { requireAddress, requireBody, requireChain } from "../parameters.ts";
import { accepted, submit } from "../submit.ts";

const VERSION = "is to be a version such as 0.8.28+commit.7893614a";
const IDENTIFIER = "is to be a path and a name such as src/C.sol:C";

/** Field of both submissions. */
export const creationTransactionHash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "is to be 0x and 64 hex digits")
  .optional()
  .describe("Hash of the creation transaction; not needed, the index knows it");

const body = z.object({
  stdJsonInput: z
    .looseObject({
      language: z.enum(["Solidity", "Yul", "Vyper"]),
      sources: z
        .record(z.string(), z.looseObject({ content: z.string() }))
        .refine((sources) => Object.keys(sources).length > 0, "has no source"),
      settings: z.record(z.string(), z.unknown()),
    })
    .describe("Input of the compiler; its outputSelection is replaced"),
  compilerVersion: z
    .string(VERSION)
    .regex(/^v?\d+\.\d+\.\d+/, VERSION)
    .meta({
      description: "Long version of the compiler, with or without v",
      example: "0.8.28+commit.7893614a",
    }),
  contractIdentifier: z
    .string(IDENTIFIER)
    .includes(":", IDENTIFIER)
    .meta({ description: "Path and name, the last colon between them", example: "src/C.sol:C" }),
  creationTransactionHash,
});

export const verify: Endpoint = {
  name: "verify",
  path: "/v2/verify/{chainId}/{address}",
  summary: "Submits standard JSON for verification",
  body,
  answers: accepted,
  async handle(context, request) {
    requireChain(context, request);
    const address = requireAddress(request);
    const { stdJsonInput, ...sent } = requireBody(request, body);
    const { compilerVersion, contractIdentifier: name } = sent;
    const format = stdJsonInput.language === "Vyper" ? "vyper-json" : "standard-json";
    const input = JSON.stringify(stdJsonInput);
    return submit(context, { format, input, address, name, compilerVersion });
  },
};
